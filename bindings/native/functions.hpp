// SPDX-License-Identifier: Apache-2.0
// How the interpreter enters a function: positional arguments go straight on, as borrowed references; keywords and
// defaults are put in order first, out of line. Included by native/api.hpp, after `api`.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <utility>

#include "native/functions_api.hpp"

namespace cuda_bindings {

/// How many objects a function takes.
template <class... Objects>
constexpr std::size_t arity(PyObject* (*)(Objects...)) {
  return sizeof...(Objects);
}

template <auto function, std::size_t... at>
inline PyObject* call_with(PyObject* const* arguments, std::index_sequence<at...>) {
  return function(arguments[at]...);
}

template <auto function>
inline FunctionDefinition definition_of = {};

template <auto function>
PyObject* enter_in_order(PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  constexpr std::size_t length = arity(function);
  PyObject* ordered[length + 1] = {};
  if (api->order_arguments(definition_of<function>, arguments, count, names, ordered, length) < 0) return nullptr;
  return call_with<function>(ordered, std::make_index_sequence<length>{});
}

template <auto function>
PyObject* entry(PyObject* /*module*/, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  constexpr std::size_t length = arity(function);
  if (count == static_cast<Py_ssize_t>(length) && names == nullptr) [[likely]]
    return call_with<function>(arguments, std::make_index_sequence<length>{});
  return enter_in_order<function>(arguments, count, names);
}

/// Enters the function into its module's namespace as a builtin. 0 or -1.
template <auto function>
int define_function(PyObject* names, const char* name, const char* doc) {
  FunctionDefinition& definition = definition_of<function>;
  definition.method = {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(entry<function>)),
                       METH_FASTCALL | METH_KEYWORDS, doc};
  return api->enter_function(names, definition);
}

// Cython hands over the name of a C function; as a template's argument it makes the function part of its entry.
#define CUDA_BINDINGS_DEFINE(names, name, doc, function) \
  ::cuda_bindings::define_function<static_cast<decltype(&(function))>(function)>(names, name, doc)

}  // namespace cuda_bindings
