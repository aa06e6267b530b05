// SPDX-License-Identifier: Apache-2.0
// Puts the texts of refused values together.
#include "native/complaint.hpp"

namespace cuda_bindings {

std::string text_of(const Where& where) {
  std::string text = where.owner;
  if (where.kind == Where::Kind::argument) {
    text += "(): parameter '";
    text += where.name;
    text += "'";
  } else {
    text += ".";
    text += where.name;
  }
  if (where.index >= 0) text += "[" + std::to_string(where.index) + "]";
  return text;
}

std::string described(PyObject* object) {
  if (object == Py_None) return "None";
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow > 0) return "an int above 64 bits signed";
    if (overflow < 0) return "an int below 64 bits signed";
    return "int " + std::to_string(value);
  }
  if (PyBool_Check(object)) return object == Py_True ? "True" : "False";
  if (PyFloat_CheckExact(object)) {
    char* digits = PyOS_double_to_string(PyFloat_AS_DOUBLE(object), 'r', 0, 0, nullptr);
    if (digits == nullptr) {
      PyErr_Clear();
      return "float";
    }
    std::string text = std::string("float ") + digits;
    PyMem_Free(digits);
    return text;
  }
  return Py_TYPE(object)->tp_name;
}

void complain(PyObject* exception, const Where& where, const std::string& text) {
  PyErr_SetString(exception, (text_of(where) + ": " + text).c_str());
}

void refuse(PyObject* exception, const Where& where, PyObject* got, const std::string& accepted) {
  complain(exception, where, "got " + described(got) + "; accepts " + accepted);
}

}  // namespace cuda_bindings
