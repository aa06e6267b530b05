// SPDX-License-Identifier: Apache-2.0
// Errors about arguments.
#include "native/arguments_errors.hpp"

#include "native/reference.hpp"

namespace cuda_bindings {

int raise_type(Place place, PyObject* object, const char* accepted) {
  PyErr_Clear();
  refuse(PyExc_TypeError, where(place), object, accepted);
  return -1;
}

int raise_range(Place place, PyObject* object, const char* accepted) {
  PyErr_Clear();
  refuse(PyExc_OverflowError, where(place), object, accepted);
  return -1;
}

int raise_error(PyObject* exception, Place place, PyObject* object, const char* problem, const char* accepted) {
  PyErr_Clear();
  complain(exception, where(place), std::string(problem) + ": got " + described(object) + "; accepts " + accepted);
  return -1;
}

int raise_value(Place place, PyObject* object, const char* problem, const char* accepted) {
  return raise_error(PyExc_ValueError, place, object, problem, accepted);
}

int raise_too_short(Place place, size_t size, size_t count) {
  const Reference errors(PyImport_ImportModule("cuda_bindings.errors"));
  if (!errors) return -1;
  const Reference exception(PyObject_GetAttrString(errors.get(), "ListTooShortError"));
  if (!exception) return -1;
  complain(exception.get(), where(place),
           "got " + std::to_string(size) + (size == 1 ? " element" : " elements") + "; accepts a list of at least " +
               std::to_string(count));
  return -1;
}

}  // namespace cuda_bindings
