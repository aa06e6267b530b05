// SPDX-License-Identifier: Apache-2.0
// Errors about arguments: "{function}(): parameter '{parameter}': {problem}: got {what}; accepts {accepted}".
#pragma once

#include "native/arguments_api.hpp"
#include "native/complaint.hpp"

namespace cuda_bindings {

inline Where where(Place place) {
  return {place.owner, place.name, place.member ? Where::Kind::member : Where::Kind::argument, place.element};
}

// Each sets the exception, in place of any that is set already, and returns -1.
int raise_type(Place place, PyObject* object, const char* accepted);
int raise_range(Place place, PyObject* object, const char* accepted);
int raise_value(Place place, PyObject* object, const char* problem, const char* accepted);
int raise_error(PyObject* exception, Place place, PyObject* object, const char* problem, const char* accepted);
int raise_too_short(Place place, size_t size, size_t count);

// Whether the exception that is set may be swallowed: KeyboardInterrupt and its like may not.
inline bool ordinary_exception() { return PyErr_ExceptionMatches(PyExc_Exception) != 0; }

}  // namespace cuda_bindings
