// SPDX-License-Identifier: Apache-2.0
// Functions of ctypes as callbacks: their prototype must be what CUDA calls.
#include "native/api.hpp"

#include "native/arguments_ctypes.hpp"
#include "native/arguments_errors.hpp"
#include "native/callbacks.hpp"
#include "native/handle.hpp"

namespace cuda_bindings {
namespace {

// Bytes that a value of a ctypes class takes in a call; 0 for what is no number or pointer.
std::size_t size_of_ctype(const CtypesTable& table, PyObject* ctype, bool* is_pointer, bool* is_real) {
  *is_pointer = *is_real = false;
  if (!PyType_Check(ctype)) return 0;
  PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(ctype);
  if (const Ctype* found = find_ctype(table, ctype)) {
    *is_pointer = found->kind == CtypeKind::pointer;
    *is_real = found->kind == CtypeKind::real;
    return found->size;
  }
  // What is left of the simple classes are c_char_p, c_wchar_p and py_object, all of them pointers.
  *is_pointer = PyType_IsSubtype(type, table.pointer) != 0 || PyType_IsSubtype(type, table.function) != 0 ||
                PyType_IsSubtype(type, table.simple) != 0;
  return *is_pointer ? sizeof(void*) : 0;
}

// A pointer may be spelled as any pointer or as an integer of its size.
bool fits(const CtypesTable& table, PyObject* ctype, const CallbackArgument& argument) {
  bool is_pointer = false;
  bool is_real = false;
  if (size_of_ctype(table, ctype, &is_pointer, &is_real) != argument.size || is_real) return false;
  switch (argument.kind) {
    case CallbackArgumentKind::enumeration:
    case CallbackArgumentKind::length:
    case CallbackArgumentKind::signed_number:
    case CallbackArgumentKind::unsigned_number: return !is_pointer;
    default: return true;
  }
}

bool result_fits(const CtypesTable& table, PyObject* ctype, std::size_t size) {
  if (size == 0 || ctype == Py_None) return size == 0 && ctype == Py_None;
  bool is_pointer = false;
  bool is_real = false;
  return size_of_ctype(table, ctype, &is_pointer, &is_real) == size && !is_pointer && !is_real;
}

// 1 where the prototype is the row's, 0 where not, -1 with an exception.
int matches(const CtypesTable& table, PyObject* function, const CallbackRow& row) {
  const Reference result(PyObject_GetAttrString(function, "restype"));
  const Reference arguments(result ? PyObject_GetAttrString(function, "argtypes") : nullptr);
  if (!arguments) return -1;
  if (!PyTuple_Check(arguments.get()) || PyTuple_GET_SIZE(arguments.get()) != row.argument_count) return 0;
  if (!result_fits(table, result.get(), row.result_size)) return 0;
  for (int index = 0; index < row.argument_count; ++index) {
    if (!fits(table, PyTuple_GET_ITEM(arguments.get(), index), row.arguments[index])) return 0;
  }
  return 1;
}

}  // namespace

CallbackSource callback_source(PyObject* object) {
  if (object == Py_None || PyLong_Check(object) || is_handle(object)) return CallbackSource::function_pointer;
  const CtypesTable* const table = ctypes_table();
  if (table != nullptr && PyObject_TypeCheck(object, table->function)) return CallbackSource::ctypes;
  return PyCallable_Check(object) != 0 ? CallbackSource::callable : CallbackSource::function_pointer;
}

int ctypes_code(PyObject* function, int type, Place place, void** code) {
  const CallbackRow& row = callback_rows[type];
  const int same = matches(*ctypes_table(), function, row);
  if (same < 0) return -1;
  if (same == 0) {
    const std::string accepted = std::string("a function with the prototype ") + row.prototype;
    return raise_error(PyExc_TypeError, place, function, "restype and argtypes of another prototype", accepted.c_str());
  }
  return copy_memory(function, code, sizeof *code, place);
}

}  // namespace cuda_bindings
