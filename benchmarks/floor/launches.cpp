// SPDX-License-Identifier: Apache-2.0
// The floor's launches: cuLaunchKernel, cuLaunchKernelEx, and one whose arguments are packed once.
#include "calls.hpp"

#include <structmember.h>

#include <cstddef>
#include <initializer_list>
#include <new>

namespace benchmark_floor {
namespace {

[[gnu::always_inline]] inline int read_numbers(PyObject* const* objects, unsigned int* numbers, const char* function) {
  constexpr const char* names[] = {"gridDimX",  "gridDimY",  "gridDimZ",      "blockDimX",
                                   "blockDimY", "blockDimZ", "sharedMemBytes"};
  for (int index = 0; index < 7; ++index) {
    if (read_number(objects[index], &numbers[index], function, names[index]) < 0) return -1;
  }
  return 0;
}

inline int launch(Number kernel, const unsigned int* numbers, Number stream, void** arguments, Number extra) {
  return CALL(cuLaunchKernel, kernel, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5],
              numbers[6], stream, arguments, extra);
}

// An array of addresses: its memory stays where it is until the launch is done.
[[gnu::noinline]] PyObject* launch_array(Number kernel, const unsigned int* numbers, Number stream, PyObject* array,
                                         PyObject* more) {
  Number extra = 0;
  if (read_number(more, &extra, "cuLaunchKernel", "extra") < 0) return nullptr;
  Py_buffer view;
  if (PyObject_GetBuffer(array, &view, PyBUF_SIMPLE) < 0) return nullptr;
  const int status = launch(kernel, numbers, stream, static_cast<void**>(view.buf), extra);
  PyBuffer_Release(&view);
  return nothing(status);
}

PyObject* cuLaunchKernel(PyObject*, PyObject* const* arguments, Py_ssize_t size) {
  constexpr char function[] = "cuLaunchKernel";
  Number kernel = 0;
  Number stream = 0;
  Number extra = 0;
  unsigned int numbers[7];
  if (check_size(size, 11, function) < 0 || read_handle(arguments[0], function_class, &kernel, function, "f") < 0 ||
      read_numbers(arguments + 1, numbers, function) < 0 ||
      read_handle(arguments[8], stream_class, &stream, function, "hStream") < 0) {
    return nullptr;
  }
  KernelArguments packed;
  if (const int kind = packed.read(arguments[9], function); kind != 0) [[unlikely]] {
    return kind < 0 ? nullptr : launch_array(kernel, numbers, stream, arguments[9], arguments[10]);
  }
  if (read_number(arguments[10], &extra, function, "extra") < 0) return nullptr;
  return nothing(launch(kernel, numbers, stream, packed.data(), extra));
}

// ---- cuLaunchKernelEx: what a launch is like in a struct -----------------------------------------------------------

struct Config {
  PyObject_HEAD LaunchConfig values;
};

void config_dealloc(PyObject* self) { PyObject_Free(self); }

LaunchConfig* config_of(PyObject* self) { return &reinterpret_cast<Config*>(self)->values; }

PyObject* get_stream(PyObject* self, void*) { return handle_new(stream_class, config_of(self)->stream); }
int set_stream(PyObject* self, PyObject* value, void*) {
  if (value == nullptr) return refuse(self, "CUlaunchConfig", "hStream", "without a stream");
  return read_handle(value, stream_class, &config_of(self)->stream, "CUlaunchConfig", "hStream");
}

constexpr Py_ssize_t number_offset(int index) {
  return static_cast<Py_ssize_t>(offsetof(Config, values) + sizeof(unsigned int) * static_cast<std::size_t>(index));
}

PyMemberDef config_members[] = {
    {"gridDimX", T_UINT, number_offset(0), 0, nullptr},       {"gridDimY", T_UINT, number_offset(1), 0, nullptr},
    {"gridDimZ", T_UINT, number_offset(2), 0, nullptr},       {"blockDimX", T_UINT, number_offset(3), 0, nullptr},
    {"blockDimY", T_UINT, number_offset(4), 0, nullptr},      {"blockDimZ", T_UINT, number_offset(5), 0, nullptr},
    {"sharedMemBytes", T_UINT, number_offset(6), 0, nullptr}, {nullptr, 0, 0, 0, nullptr},
};

PyGetSetDef config_stream[] = {
    {"hStream", get_stream, set_stream, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyTypeObject config_class = plain_class("CUlaunchConfig", sizeof(Config), config_dealloc);

PyObject* config_create(PyTypeObject*, PyObject*, PyObject*) {
  Config* config = PyObject_New(Config, &config_class);
  if (config != nullptr) config->values = {};
  return reinterpret_cast<PyObject*>(config);
}

PyObject* cuLaunchKernelEx(PyObject*, PyObject* const* arguments, Py_ssize_t size) {
  constexpr char function[] = "cuLaunchKernelEx";
  Number kernel = 0;
  Number extra = 0;
  if (check_size(size, 4, function) < 0) return nullptr;
  if (Py_TYPE(arguments[0]) != &config_class) {
    refuse(arguments[0], function, "config", "CUlaunchConfig");
    return nullptr;
  }
  KernelArguments packed;
  if (read_handle(arguments[1], function_class, &kernel, function, "f") < 0 ||
      packed.read_packed(arguments[2], function) < 0 || read_number(arguments[3], &extra, function, "extra") < 0) {
    return nullptr;
  }
  return nothing(CALL(cuLaunchKernelEx, config_of(arguments[0]), kernel, packed.data(), extra));
}

// ---- a launch whose arguments are packed once ----------------------------------------------------------------------

struct Prepared {
  PyObject_HEAD vectorcallfunc vectorcall;
  Number kernel;
  Number stream;
  unsigned int numbers[7];
  KernelArguments packed;
};

// Its dealloc cannot run meanwhile: who calls an object holds it.
PyObject* prepared_call(PyObject* self, PyObject* const* arguments, std::size_t flags, PyObject* names) {
  Prepared* launches = reinterpret_cast<Prepared*>(self);
  Number stream = launches->stream;
  if (PyVectorcall_NARGS(flags) != 0 || names != nullptr) [[unlikely]] {
    if (names != nullptr || check_size(PyVectorcall_NARGS(flags), 1, "PreparedLaunch()") < 0 ||
        read_handle(arguments[0], stream_class, &stream, "PreparedLaunch()", "hStream") < 0) {
      if (names != nullptr) PyErr_SetString(PyExc_TypeError, "PreparedLaunch() takes no keywords");
      return nullptr;
    }
  }
  return nothing(launch(launches->kernel, launches->numbers, stream, launches->packed.data(), 0));
}

void prepared_dealloc(PyObject* self) { PyObject_Free(self); }

PyTypeObject prepared_class = plain_class("PreparedLaunch", sizeof(Prepared), prepared_dealloc);

PyObject* prepared_create(PyTypeObject*, PyObject* arguments, PyObject*) {
  constexpr char function[] = "PreparedLaunch";
  PyObject* const* const given = &PyTuple_GET_ITEM(arguments, 0);
  if (check_size(PyTuple_GET_SIZE(arguments), 10, function) < 0) return nullptr;
  Prepared* made = PyObject_New(Prepared, &prepared_class);
  if (made == nullptr) return nullptr;
  made->vectorcall = prepared_call;
  new (&made->packed) KernelArguments;
  if (read_handle(given[0], function_class, &made->kernel, function, "f") < 0 ||
      read_numbers(given + 1, made->numbers, function) < 0 ||
      read_handle(given[8], stream_class, &made->stream, function, "hStream") < 0 ||
      made->packed.read_packed(given[9], function) < 0) {
    Py_DECREF(made);
    return nullptr;
  }
  return reinterpret_cast<PyObject*>(made);
}

}  // namespace

PyMethodDef launch_methods[] = {
    {"cuLaunchKernel", method(cuLaunchKernel), METH_FASTCALL, nullptr},
    {"cuLaunchKernelEx", method(cuLaunchKernelEx), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

int add_launches(PyObject* module) {
  config_class.tp_new = config_create;
  config_class.tp_members = config_members;
  config_class.tp_getset = config_stream;
  prepared_class.tp_new = prepared_create;
  prepared_class.tp_call = PyVectorcall_Call;
  prepared_class.tp_vectorcall_offset = offsetof(Prepared, vectorcall);
  prepared_class.tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
  for (PyTypeObject* type : {&config_class, &prepared_class}) {
    if (PyType_Ready(type) < 0) return -1;
    if (PyModule_AddObjectRef(module, type->tp_name, reinterpret_cast<PyObject*>(type)) < 0) return -1;
  }
  return 0;
}

}  // namespace benchmark_floor
