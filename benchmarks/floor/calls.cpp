// SPDX-License-Identifier: Apache-2.0
// The floor's functions: METH_FASTCALL, each with its own conversions, the GIL given up where ours gives it up.
#include "calls.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace benchmark_floor {

PyTypeObject* attribute_class;
PyObject* success;
PyObject* succeeded;

#define FLOOR_FUNCTION(name, link, ...) int (*name##_pointer)(__VA_ARGS__);
#include "functions.inc"
#undef FLOOR_FUNCTION

namespace {

PyObject* result_class;
constexpr int result_count = 1000;
PyObject* result_members[result_count];  // by number; nullptr where there is none

}  // namespace

PyObject* failed(int status, int outputs) {
  PyObject* member = status > 0 && status < result_count ? result_members[status] : nullptr;
  if (member == nullptr) return PyErr_Format(PyExc_ValueError, "%d is no CUresult", status);
  PyObject* tuple = PyTuple_New(1 + outputs);
  if (tuple == nullptr) return nullptr;
  PyTuple_SET_ITEM(tuple, 0, Py_NewRef(member));
  for (int index = 1; index <= outputs; ++index) PyTuple_SET_ITEM(tuple, index, Py_NewRef(Py_None));
  return tuple;
}

namespace {

// Interpreters call METH_FASTCALL directly where they would go through a function of their own for METH_NOARGS.

// ---- getters -----------------------------------------------------------------------------------------------------

PyObject* cuCtxGetCurrent(PyObject*, PyObject* const*, Py_ssize_t size) {
  if (check_size(size, 0, "cuCtxGetCurrent") < 0) return nullptr;
  Number context = 0;
  const int status = CALL(cuCtxGetCurrent, &context);
  return status != 0 ? failed(status, 1) : with_value(handle_new(context_class, context));
}

PyObject* cuDeviceGet(PyObject*, PyObject* ordinal) {
  int number = 0;
  if (read_number(ordinal, &number, "cuDeviceGet", "ordinal") < 0) return nullptr;
  int device = 0;
  const int status = CALL(cuDeviceGet, &device, number);
  return status != 0 ? failed(status, 1) : with_value(handle_new(device_class, static_cast<Number>(device)));
}

PyObject* cuDriverGetVersion(PyObject*, PyObject* const*, Py_ssize_t size) {
  if (check_size(size, 0, "cuDriverGetVersion") < 0) return nullptr;
  int version = 0;
  const int status = CALL(cuDriverGetVersion, &version);
  return status != 0 ? failed(status, 1) : with_value(PyLong_FromLong(version));
}

PyObject* cuDeviceGetAttribute(PyObject*, PyObject* const* arguments, Py_ssize_t size) {
  int attribute = 0;
  Number device = 0;
  if (check_size(size, 2, "cuDeviceGetAttribute") < 0 ||
      read_enumeration(arguments[0], attribute_class, &attribute, "cuDeviceGetAttribute", "attrib") < 0 ||
      read_handle(arguments[1], device_class, &device, "cuDeviceGetAttribute", "dev") < 0) {
    return nullptr;
  }
  int value = 0;
  const int status = CALL(cuDeviceGetAttribute, &value, attribute, static_cast<int>(device));
  return status != 0 ? failed(status, 1) : with_value(PyLong_FromLong(value));
}

// ---- handles -----------------------------------------------------------------------------------------------------

PyObject* cuCtxSetCurrent(PyObject*, PyObject* argument) {
  Number context = 0;
  if (read_handle(argument, context_class, &context, "cuCtxSetCurrent", "ctx") < 0) return nullptr;
  return nothing(CALL(cuCtxSetCurrent, context));
}

PyObject* cuStreamQuery(PyObject*, PyObject* argument) {
  Number stream = 0;
  if (read_handle(argument, stream_class, &stream, "cuStreamQuery", "hStream") < 0) return nullptr;
  return nothing(CALL(cuStreamQuery, stream));
}

PyObject* cuEventCreate(PyObject*, PyObject* argument) {
  unsigned int flags = 0;
  if (read_number(argument, &flags, "cuEventCreate", "Flags") < 0) return nullptr;
  Number event = 0;
  const int status = CALL(cuEventCreate, &event, flags);
  return status != 0 ? failed(status, 1) : with_value(handle_new(event_class, event));
}

PyObject* cuEventDestroy(PyObject*, PyObject* argument) {
  Number event = 0;
  if (read_handle(argument, event_class, &event, "cuEventDestroy", "hEvent") < 0) return nullptr;
  return nothing(CALL(cuEventDestroy, event));
}

PyObject* cuEventRecord(PyObject*, PyObject* const* arguments, Py_ssize_t size) {
  Number event = 0;
  Number stream = 0;
  if (check_size(size, 2, "cuEventRecord") < 0 ||
      read_handle(arguments[0], event_class, &event, "cuEventRecord", "hEvent") < 0 ||
      read_handle(arguments[1], stream_class, &stream, "cuEventRecord", "hStream") < 0) {
    return nullptr;
  }
  return nothing(CALL(cuEventRecord, event, stream));
}

PyObject* cuMemAlloc(PyObject*, PyObject* argument) {
  std::size_t size = 0;
  if (read_number(argument, &size, "cuMemAlloc", "bytesize") < 0) return nullptr;
  Number memory = 0;
  const int status = CALL(cuMemAlloc, &memory, size);
  return status != 0 ? failed(status, 1) : with_value(handle_new(memory_class, memory));
}

PyObject* cuMemFree(PyObject*, PyObject* argument) {
  Number memory = 0;
  if (read_handle(argument, memory_class, &memory, "cuMemFree", "dptr") < 0) return nullptr;
  return nothing(CALL(cuMemFree, memory));
}

// ---- copies ------------------------------------------------------------------------------------------------------

// A host address: an int, or memory that is long enough and, where it is written to, writable.
class HostMemory {
 public:
  HostMemory() { view_.obj = nullptr; }
  ~HostMemory() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
  }
  int read(PyObject* object, bool written, std::size_t size, const char* function) {
    if (PyLong_CheckExact(object)) return read_number(object, &address, function, "host");
    if (PyObject_GetBuffer(object, &view_, written ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0) return -1;
    if (static_cast<std::size_t>(view_.len) < size) return refuse(object, function, "host", "enough memory");
    address = reinterpret_cast<Number>(view_.buf);
    return 0;
  }
  Number address = 0;

 private:
  Py_buffer view_;
};

PyObject* cuMemcpyHtoDAsync(PyObject*, PyObject* const* arguments, Py_ssize_t size) {
  Number target = 0;
  std::size_t bytes = 0;
  Number stream = 0;
  if (check_size(size, 4, "cuMemcpyHtoDAsync") < 0 ||
      read_handle(arguments[0], memory_class, &target, "cuMemcpyHtoDAsync", "dstDevice") < 0 ||
      read_number(arguments[2], &bytes, "cuMemcpyHtoDAsync", "ByteCount") < 0 ||
      read_handle(arguments[3], stream_class, &stream, "cuMemcpyHtoDAsync", "hStream") < 0) {
    return nullptr;
  }
  HostMemory source;
  if (source.read(arguments[1], false, bytes, "cuMemcpyHtoDAsync") < 0) return nullptr;
  return nothing(CALL(cuMemcpyHtoDAsync, target, source.address, bytes, stream));
}

PyObject* cuMemcpyDtoHAsync(PyObject*, PyObject* const* arguments, Py_ssize_t size) {
  Number source = 0;
  std::size_t bytes = 0;
  Number stream = 0;
  if (check_size(size, 4, "cuMemcpyDtoHAsync") < 0 ||
      read_handle(arguments[1], memory_class, &source, "cuMemcpyDtoHAsync", "srcDevice") < 0 ||
      read_number(arguments[2], &bytes, "cuMemcpyDtoHAsync", "ByteCount") < 0 ||
      read_handle(arguments[3], stream_class, &stream, "cuMemcpyDtoHAsync", "hStream") < 0) {
    return nullptr;
  }
  HostMemory target;
  if (target.read(arguments[0], true, bytes, "cuMemcpyDtoHAsync") < 0) return nullptr;
  return nothing(CALL(cuMemcpyDtoHAsync, target.address, source, bytes, stream));
}

// ---- the module --------------------------------------------------------------------------------------------------

PyMethodDef methods[] = {
    {"cuCtxGetCurrent", method(cuCtxGetCurrent), METH_FASTCALL, nullptr},
    {"cuDeviceGet", cuDeviceGet, METH_O, nullptr},
    {"cuDriverGetVersion", method(cuDriverGetVersion), METH_FASTCALL, nullptr},
    {"cuDeviceGetAttribute", method(cuDeviceGetAttribute), METH_FASTCALL, nullptr},
    {"cuCtxSetCurrent", cuCtxSetCurrent, METH_O, nullptr},
    {"cuStreamQuery", cuStreamQuery, METH_O, nullptr},
    {"cuEventCreate", cuEventCreate, METH_O, nullptr},
    {"cuEventDestroy", cuEventDestroy, METH_O, nullptr},
    {"cuEventRecord", method(cuEventRecord), METH_FASTCALL, nullptr},
    {"cuMemAlloc", cuMemAlloc, METH_O, nullptr},
    {"cuMemFree", cuMemFree, METH_O, nullptr},
    {"cuMemcpyHtoDAsync", method(cuMemcpyHtoDAsync), METH_FASTCALL, nullptr},
    {"cuMemcpyDtoHAsync", method(cuMemcpyDtoHAsync), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

int find_functions() {
  const char* path = std::getenv("CUDA_BINDINGS_LIBCUDA");
  void* library = dlopen(path != nullptr ? path : "libcuda.so.1", RTLD_NOW);
  if (library == nullptr) {
    PyErr_SetString(PyExc_ImportError, dlerror());
    return -1;
  }
#define FLOOR_FUNCTION(name, link, ...)                                           \
  name##_pointer = reinterpret_cast<int (*)(__VA_ARGS__)>(dlsym(library, #link)); \
  if (name##_pointer == nullptr) {                                                \
    PyErr_SetString(PyExc_ImportError, dlerror());                                \
    return -1;                                                                    \
  }
#include "functions.inc"
#undef FLOOR_FUNCTION
  return 0;
}

int fill(PyObject* module) {
  constexpr const char* results[] = {"CUDA_SUCCESS", "CUDA_ERROR_NOT_READY"};
  constexpr int result_values[] = {0, 600};
  constexpr const char* attributes[] = {"CU_DEVICE_ATTRIBUTE_WARP_SIZE"};
  constexpr int attribute_values[] = {10};
  result_class = make_enumeration("CUresult", results, result_values, 2);
  attribute_class =
      reinterpret_cast<PyTypeObject*>(make_enumeration("CUdevice_attribute", attributes, attribute_values, 1));
  if (result_class == nullptr || attribute_class == nullptr) return -1;
  for (int index = 0; index < 2; ++index) {
    result_members[result_values[index]] = PyObject_GetAttrString(result_class, results[index]);
    if (result_members[result_values[index]] == nullptr) return -1;
  }
  success = PyObject_GetAttrString(result_class, "CUDA_SUCCESS");
  succeeded = success == nullptr ? nullptr : PyTuple_Pack(1, success);
  if (succeeded == nullptr) return -1;
  if (PyModule_AddObjectRef(module, "CUresult", result_class) < 0) return -1;
  if (PyModule_AddObjectRef(module, "CUdevice_attribute", reinterpret_cast<PyObject*>(attribute_class)) < 0) return -1;
  for (PyTypeObject& type : handle_types) {
    if (PyType_Ready(&type) < 0) return -1;
    if (PyModule_AddObjectRef(module, type.tp_name, reinterpret_cast<PyObject*>(&type)) < 0) return -1;
  }
  if (PyModule_AddFunctions(module, launch_methods) < 0 || PyModule_AddFunctions(module, list_methods) < 0) return -1;
  return add_record(module) < 0 || add_launches(module) < 0 ? -1 : add_lists(module);
}

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "benchmark_floor",
                          "What a hand-written extension costs.",
                          -1,
                          methods,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyObject* make_enumeration(const char* name, const char* const* names, const int* values, int size) {
  PyObject* module = PyImport_ImportModule("enum");
  PyObject* members = module == nullptr ? nullptr : PyDict_New();
  for (int index = 0; members != nullptr && index < size; ++index) {
    PyObject* value = PyLong_FromLong(values[index]);
    if (value == nullptr || PyDict_SetItemString(members, names[index], value) < 0) return nullptr;
    Py_DECREF(value);
  }
  PyObject* cls = members == nullptr ? nullptr : PyObject_CallMethod(module, "IntEnum", "sO", name, members);
  Py_XDECREF(members);
  Py_XDECREF(module);
  return cls;
}

}  // namespace benchmark_floor

PyMODINIT_FUNC PyInit_benchmark_floor() {
  using namespace benchmark_floor;
  PyObject* module = PyModule_Create(&definition);
  if (module == nullptr) return nullptr;
  if (find_functions() < 0 || import_kernel_argument_classes() < 0 || fill(module) < 0) {
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}
