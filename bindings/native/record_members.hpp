// SPDX-License-Identifier: Apache-2.0
// Reading and writing one member of a record: by the kind that its row states.
#pragma once

#include "native/record.hpp"

namespace cuda_bindings {

// New reference or nullptr; 0 or -1. Never run for members of another class: the descriptors see to that.
PyObject* member_get(RecordObject* record, const FieldRow& field);
int member_set(RecordObject* record, const FieldRow& field, PyObject* value);

// The parts, one file each.
PyObject* scalar_get(const FieldRow& field, const char* data);  // record_scalars.cpp
int scalar_set(const FieldRow& field, char* data, PyObject* value, const Where& where);
std::size_t scalar_size(const FieldRow& field);
PyObject* array_get(RecordObject* record, const FieldRow& field);  // record_arrays.cpp
int array_set(RecordObject* record, const FieldRow& field, PyObject* value, const Where& where);
PyObject* list_get(RecordObject* record, const FieldRow& field);  // record_lists.cpp
int list_set(RecordObject* record, const FieldRow& field, PyObject* value, const Where& where);
PyObject* pointer_get(RecordObject* record, const FieldRow& field);  // record_pointers.cpp
int pointer_set(RecordObject* record, const FieldRow& field, PyObject* value, const Where& where);
// The same for an array of pointers and a tuple of as many values.
int pointers_set(RecordObject* record, const FieldRow& field, PyObject* values, const Where& where);

PyObject* callback_get(RecordObject* record, const FieldRow& field);  // record_callbacks.cpp
int callback_set(RecordObject* record, const FieldRow& field, PyObject* value, const Where& where);
// Members that are a callable's user data: 1 where the member is one now, 0 where it is an address, -1 with an exception.
int user_data_get(RecordObject* record, const FieldRow& field, PyObject** object);
int user_data_set(RecordObject* record, const FieldRow& field, PyObject* value);

PyObject* record_show(PyObject* self);  // record_text.cpp
PyObject* record_to_dict(PyObject* self, PyObject*);
int records_equal(const RecordObject* left, const RecordObject* right);  // record_compare.cpp: 1, 0, or -1

// The rows of a class's members: a typedef's class has its tag's.
const RecordRow& members_row(int type);

inline bool is_list(FieldKind kind) { return kind == FieldKind::record_list || kind == FieldKind::handle_list; }
inline bool is_text(FieldKind kind) { return kind == FieldKind::bytes || kind == FieldKind::text; }

inline void* read_pointer(const void* data) {
  void* pointer;
  std::memcpy(&pointer, data, sizeof pointer);
  return pointer;
}

}  // namespace cuda_bindings
