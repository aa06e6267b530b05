// SPDX-License-Identifier: Apache-2.0
// The texts of refused values: every one says where, what was given and what is accepted.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>

namespace cuda_bindings {

// The argument of a function, the member of a record, or one element of either.
struct Where {
  const char* owner;  // function or class
  const char* name;   // parameter or member
  enum class Kind { argument, member } kind = Kind::argument;
  Py_ssize_t index = -1;

  Where element(Py_ssize_t position) const { return {owner, name, kind, position}; }
};

// "cuMemAlloc(): parameter 'bytesize'" or "CUDA_MEMCPY2D.srcXInBytes", with "[3]" for an element.
std::string text_of(const Where& where);

// What an object is, in few words: its class, for small ints the number too.
std::string described(PyObject* object);

// Sets `exception`: "<where>: got <described>; accepts <accepted>".
void refuse(PyObject* exception, const Where& where, PyObject* got, const std::string& accepted);

// Sets `exception`: "<where>: <text>".
void complain(PyObject* exception, const Where& where, const std::string& text);

}  // namespace cuda_bindings
