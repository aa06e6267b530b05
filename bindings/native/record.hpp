// SPDX-License-Identifier: Apache-2.0
// Structs and unions: one Python object layout for all of them, classes and members made from rows.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>

#include "generated/ids.hpp"
#include "native/complaint.hpp"
#include "native/memory.hpp"
#include "native/objects.hpp"

namespace cuda_bindings {

extern PyTypeObject* record_types[RECORD_COUNT];  // nullptr until first touched

// The class, borrowed; made now if nobody has asked before. nullptr with an exception.
PyTypeObject* record_type(int type);

// The class of the C tag that a typedef's class derives from: classes of one tag are one C type.
int record_tag(int type);

// A fresh record, as its constructor makes it; one with a copy of the bytes at `source`; one that shares memory.
PyObject* record_new_object(int type);
PyObject* record_from(int type, const void* source);
PyObject* record_view(int type, char* data, MemoryObject* memory);
// A record of its own with the bytes at `data` in `memory`, and what they keep alive.
PyObject* record_duplicate(PyTypeObject* cls, int type, const char* data, const MemoryObject* memory);
// Copies of an array's records; of zeros where there is none. Those that can keep nothing share one memory.
PyObject* record_list(int type, const void* values, std::size_t count);

bool is_record(PyObject* object);
// The memory of an instance of the class; nullptr, without an exception, for anything else.
char* record_instance(PyObject* object, int type);
// Refuses a list that holds fewer elements than the member beside it says: C would read past its end. 0 or -1.
int record_check_lists(const RecordObject* record, const Where& where);
// What an argument of `type` means: an instance, or None for NULL where `nullable`. 0 or -1.
int record_read(PyObject* object, int type, bool nullable, const Where& where, void** data);

inline MemoryObject* memory_of(RecordObject* record) { return memory_of(record->memory); }
inline std::size_t offset_of(const RecordObject* record) { return offset_in(memory_of(record->memory), record->data); }

}  // namespace cuda_bindings
