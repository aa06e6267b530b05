// SPDX-License-Identifier: Apache-2.0
// ctypes classes and NumPy scalars, recognised without importing either: a program that passes one has done so.
#pragma once

#include "native/arguments_api.hpp"

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
};

constexpr size_t ctype_count = 13;

struct CtypesTable {
  Ctype numbers[ctype_count];  // the most used first
  Ctype wide_character;
  PyTypeObject* simple;  // _SimpleCData: base of the above and of py_object, c_char_p
  PyTypeObject* py_object;
  PyTypeObject* structure;
  PyTypeObject* union_;
  PyTypeObject* pointer;   // POINTER(T)
  PyTypeObject* function;  // CFUNCTYPE(...)
};

// Filled once, by whichever thread comes first; NULL where the program has not imported ctypes (or is just doing so).
const CtypesTable* ctypes_table();

// The row of a ctypes number class or of a class that derives from one; NULL for anything else.
const Ctype* find_ctype(const CtypesTable& table, PyObject* type);

// Instances whose memory is what C takes by value: numbers, pointers, Structure, Union. Arrays and py_object are not.
bool is_ctypes_value(const CtypesTable& table, PyObject* object);

// Stores the object as the C type, as the ctype itself would but without loss; not for pointers.
int store_ctype(const CtypesTable& table, PyObject* object, const Ctype& ctype, void* target, Place place);

// Copies the memory of a ctypes instance of known size.
int copy_memory(PyObject* object, void* target, size_t size, Place place);

// Whether the object is a NumPy scalar (numpy.generic).
bool is_numpy_scalar(PyObject* object);

}  // namespace cuda_bindings
