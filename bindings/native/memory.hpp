// SPDX-License-Identifier: Apache-2.0
// The memory that records lie in, and the Python objects that its pointers point at.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "native/tables.hpp"

namespace cuda_bindings {

// Why an object is kept: only a list may be read back as one, and only as what it was written as.
enum class KeepKind : std::uint8_t { object, record_list, handle_list, callback };

// One pointer in the memory that leads to a Python object. It counts only as long as the pointer is still `address`:
// C code, a union's other member or a raw write may have put another there.
struct Keep {
  std::size_t offset = 0;
  const void* address = nullptr;
  PyObject* object = nullptr;  // owned; for lists the Memory of the elements
  KeepKind kind = KeepKind::object;
  std::int16_t type = NO_TYPE;  // of a list's elements
  std::size_t count = 0;
  const FieldRow* field = nullptr;    // of a list with a member that counts it: the list's
  std::ptrdiff_t count_distance = 0;  // of that member from the pointer
  std::uint8_t count_width = 0;       // in bytes; 0: there is none
};

// One struct, or an array of them: the memory of every record, and of every list member. Views share it.
struct MemoryObject {
  PyObject_VAR_HEAD char* data;
  std::size_t size;
  bool external;             // at an address that the program named: not ours to free
  std::int16_t type;         // RECORD_* of the whole memory; NO_TYPE for a list's elements
  std::vector<Keep>* keeps;  // nullptr until there is one
};

// At the start of _native. 0 or -1.
int init_memory();

// Zeroed memory of our own; or the `size` bytes at `address`. New references, nullptr with an exception.
MemoryObject* memory_new(std::size_t size, std::size_t align, std::int16_t type);
MemoryObject* memory_at(void* address, std::size_t size, std::int16_t type);

inline MemoryObject* memory_of(PyObject* object) { return reinterpret_cast<MemoryObject*>(object); }

// Writes keep.address to keep.offset and keeps keep.object (steals it, on failure too; nullptr: keeps nothing). 0 or
// -1.
int memory_point(MemoryObject* memory, Keep keep);

// What the pointer at `offset` leads to; nullptr if that is nothing we know.
const Keep* memory_find(const MemoryObject* memory, std::size_t offset);

// Copies bytes together with what they point at. Source and destination may be the same memory. 0 or -1.
int memory_copy(MemoryObject* to, std::size_t to_offset, const MemoryObject* from, std::size_t from_offset,
                std::size_t size);

// Gives the memory lists of its own in place of those that it shares with what it was copied from: as copy.deepcopy
// does, with one copy of a list that several members lead to, be it the list that they lie in. 0 or -1.
int memory_unshare(MemoryObject* memory);

// Reads memory behind a pointer that was found in a record; false if there is none.
bool memory_read(const void* from, void* to, std::size_t size);

inline std::size_t offset_in(const MemoryObject* memory, const char* data) {
  return static_cast<std::size_t>(data - memory->data);
}

}  // namespace cuda_bindings
