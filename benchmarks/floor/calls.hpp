// SPDX-License-Identifier: Apache-2.0
// What the floor's functions share: the C functions that they call, the GIL around them, their results.
#pragma once

#include "gil.hpp"  // generated: whether bindings/generated/driver.pyx releases the GIL around each
#include "objects.hpp"

namespace benchmark_floor {

using Number = std::uint64_t;

// As the C API has them.
struct LaunchConfig {
  unsigned int numbers[7];  // grid, block, bytes of shared memory
  Number stream;
  void* attributes;
  unsigned int attribute_count;
};
struct EdgeData {
  unsigned char ports[2];
  unsigned char type;
  unsigned char reserved[5];
};
struct CopyAttributes {
  int order;
  int hints[4];
  unsigned int flags;
};

#define FLOOR_FUNCTION(name, link, ...) extern int (*name##_pointer)(__VA_ARGS__);
#include "functions.inc"
#undef FLOOR_FUNCTION

template <bool release, class Function, class... Values>
inline int call(Function function, Values... values) {
  if constexpr (release) {
    PyThreadState* thread = PyEval_SaveThread();
    const int status = function(values...);
    PyEval_RestoreThread(thread);
    return status;
  } else {
    return function(values...);
  }
}

#define CALL(name, ...) call<releases_##name>(name##_pointer __VA_OPT__(, ) __VA_ARGS__)

extern PyObject* success;    // the member
extern PyObject* succeeded;  // the tuple of it alone

[[gnu::cold]] PyObject* failed(int status, int outputs);

inline PyObject* nothing(int status) { return status != 0 ? failed(status, 0) : Py_NewRef(succeeded); }

inline PyObject* with_value(PyObject* value) {
  PyObject* tuple = value == nullptr ? nullptr : PyTuple_New(2);
  if (tuple == nullptr) return nullptr;
  PyTuple_SET_ITEM(tuple, 0, Py_NewRef(success));
  PyTuple_SET_ITEM(tuple, 1, value);
  return tuple;
}

inline int check_size(Py_ssize_t given, Py_ssize_t wanted, const char* function) {
  if (given == wanted) return 0;
  PyErr_Format(PyExc_TypeError, "%s takes %zd arguments (%zd given)", function, wanted, given);
  return -1;
}

template <class Function>
PyCFunction method(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

extern PyMethodDef launch_methods[];
extern PyMethodDef list_methods[];
int add_launches(PyObject* module);
int add_lists(PyObject* module);

// A class without a base, as the floor's structs are.
inline PyTypeObject plain_class(const char* name, Py_ssize_t size, destructor dealloc) {
  PyTypeObject type{PyVarObject_HEAD_INIT(nullptr, 0)};
  type.tp_name = name;
  type.tp_basicsize = size;
  type.tp_dealloc = dealloc;
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  return type;
}

}  // namespace benchmark_floor
