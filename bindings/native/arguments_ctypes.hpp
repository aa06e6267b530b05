// SPDX-License-Identifier: Apache-2.0
// ctypes classes, recognised without importing ctypes: a program that passes one has done so.
#pragma once

#include <atomic>

#include "native/arguments_api.hpp"
#include "native/class_map.hpp"

namespace cuda_bindings {

enum class CtypeKind : std::uint8_t {
  boolean,
  character,
  wide_character,
  signed_integer,
  unsigned_integer,
  real,
  pointer
};

struct Ctype {
  PyTypeObject* type;
  CtypeKind kind;
  std::uint8_t size;
  bool takes_small;  // any value of read_small_integer() fits
};

constexpr size_t ctype_count = 13;

struct CtypesTable {
  Ctype numbers[ctype_count];  // the most used first
  ClassMap<Ctype> exact;       // the same, found by the class alone
  bool layout_known;           // ctypes_instance() may be used
  Ctype wide_character;
  PyTypeObject* simple;  // _SimpleCData: base of the above and of py_object, c_char_p
  PyTypeObject* py_object;
  PyTypeObject* structure;
  PyTypeObject* union_;
  PyTypeObject* pointer;   // POINTER(T)
  PyTypeObject* function;  // CFUNCTYPE(...)
};

// Filled once, by whichever thread comes first: read it through ctypes_table().
extern std::atomic<const CtypesTable*> known_ctypes_table;

// The general way of ctypes_table().
const CtypesTable* find_ctypes_table();

// NULL where the program has not imported ctypes (or is just doing so).
inline const CtypesTable* ctypes_table() {
  const CtypesTable* const known = known_ctypes_table.load(std::memory_order_acquire);
  return known != nullptr ? known : find_ctypes_table();
}

// How a ctypes instance begins. Its memory may lie in another object, and ctypes.resize() may move it.
struct CtypesInstance {
  PyObject_HEAD const void* memory;
  int needs_free;
  PyObject* base;
  Py_ssize_t size;
};

// Whether the memory of an instance of ctype's own class has the class's size: then *memory is set to it.
inline bool ctypes_memory(const CtypesTable& table, const Ctype& ctype, PyObject* object, const void** memory) {
  if (!table.layout_known) return false;
  const CtypesInstance* const instance = reinterpret_cast<const CtypesInstance*>(object);
  *memory = instance->memory;
  return instance->size == ctype.size;
}

// The row of a ctypes number class or of a class that derives from one; NULL for anything else.
const Ctype* find_ctype(const CtypesTable& table, PyObject* type);

// Instances whose memory is what C takes by value: numbers, pointers, Structure, Union. Arrays and py_object are not.
bool is_ctypes_value(const CtypesTable& table, PyObject* object);

// Stores the object as the C type, as the ctype itself would but without loss; not for pointers.
int store_ctype(const CtypesTable& table, PyObject* object, const Ctype& ctype, void* target, Place place);

// Copies the memory of a ctypes instance of known size.
int copy_memory(PyObject* object, void* target, size_t size, Place place);

}  // namespace cuda_bindings
