// SPDX-License-Identifier: Apache-2.0
// Kernel arguments, packed in one pass into the caller's stack.
#include "objects.hpp"

#include <cfloat>
#include <cmath>

namespace benchmark_floor {
namespace {

enum Ctype { type_pointer, type_int, type_uint, type_long, type_ulong, type_float, type_double, ctypes };

PyObject* ctype_classes[ctypes];
PyTypeObject* numpy_classes[6];  // float32, int32, uint32: 4 bytes; float64, int64, uint64: 8 bytes
PyTypeObject* simple_class;      // ctypes._SimpleCData

// The first member behind the head of a ctypes instance: where its value lies.
const void* ctypes_memory(PyObject* object) {
  return *reinterpret_cast<void* const*>(reinterpret_cast<const char*>(object) + sizeof(PyObject));
}

// A NumPy scalar's value follows its head.
const void* numpy_memory(PyObject* object) { return reinterpret_cast<const char*>(object) + sizeof(PyObject); }

template <class T>
int put_number(std::uint64_t* slot, PyObject* value, const char* function) {
  T number{};
  if (read_number(value, &number, function, "kernelParams") < 0) return -1;
  std::memcpy(slot, &number, sizeof number);
  return 0;
}

template <class T>
int put_real(std::uint64_t* slot, PyObject* value, const char* function) {
  if (!PyFloat_CheckExact(value)) return refuse(value, function, "kernelParams", "a float");
  const double read = PyFloat_AS_DOUBLE(value);
  if (sizeof(T) == 4 && std::isfinite(read) && std::fabs(read) > static_cast<double>(FLT_MAX)) {
    return refuse(value, function, "kernelParams", "a float of the C type's range");
  }
  const T number = static_cast<T>(read);
  std::memcpy(slot, &number, sizeof number);
  return 0;
}

int put_typed(std::uint64_t* slot, PyObject* value, PyObject* type, const char* function) {
  if (type == Py_None) {
    if (!is_handle(value)) return refuse(value, function, "kernelParams", "a handle");
    *slot = handle_value(value);
    return 0;
  }
  if (type == ctype_classes[type_pointer]) {
    if (value == Py_None) {
      *slot = 0;
      return 0;
    }
    return put_number<std::uint64_t>(slot, value, function);
  }
  if (type == ctype_classes[type_int]) return put_number<int>(slot, value, function);
  if (type == ctype_classes[type_float]) return put_real<float>(slot, value, function);
  if (type == ctype_classes[type_uint]) return put_number<unsigned int>(slot, value, function);
  if (type == ctype_classes[type_ulong]) return put_number<unsigned long>(slot, value, function);
  if (type == ctype_classes[type_long]) return put_number<long>(slot, value, function);
  if (type == ctype_classes[type_double]) return put_real<double>(slot, value, function);
  return refuse(type, function, "kernelParams", "a ctypes class or None");
}

int put_value(std::uint64_t* slot, PyObject* value, const char* function) {
  if (is_handle(value)) {
    *slot = handle_value(value);
    return 0;
  }
  PyTypeObject* cls = Py_TYPE(value);
  for (int index = 0; index < 6; ++index) {
    if (cls != numpy_classes[index]) continue;
    std::memcpy(slot, numpy_memory(value), index < 3 ? 4 : 8);
    return 0;
  }
  if (cls->tp_base == simple_class) {  // ctypes' own numbers: not more than 8 bytes
    const bool small = reinterpret_cast<PyObject*>(cls) == ctype_classes[type_int] ||
                       reinterpret_cast<PyObject*>(cls) == ctype_classes[type_uint] ||
                       reinterpret_cast<PyObject*>(cls) == ctype_classes[type_float];
    std::memcpy(slot, ctypes_memory(value), small ? 4 : 8);
    return 0;
  }
  return refuse(value, function, "kernelParams", "a value that knows its C type");
}

}  // namespace

int KernelArguments::pairs(PyObject* values, PyObject* types, const char* function) {
  const Py_ssize_t size = PyTuple_GET_SIZE(values);
  if (size != PyTuple_GET_SIZE(types) || size > most) {
    return refuse(values, function, "kernelParams", "of as many values as types, at most 64");
  }
  for (Py_ssize_t index = 0; index < size; ++index) {
    addresses_[index] = &slots_[index];
    if (put_typed(&slots_[index], PyTuple_GET_ITEM(values, index), PyTuple_GET_ITEM(types, index), function) < 0)
      return -1;
  }
  data_ = addresses_;
  return 0;
}

int KernelArguments::flat(PyObject* values, const char* function) {
  const Py_ssize_t size = PyTuple_GET_SIZE(values);
  if (size > most) return refuse(values, function, "kernelParams", "at most 64 values");
  for (Py_ssize_t index = 0; index < size; ++index) {
    addresses_[index] = &slots_[index];
    if (put_value(&slots_[index], PyTuple_GET_ITEM(values, index), function) < 0) return -1;
  }
  data_ = addresses_;
  return 0;
}

int KernelArguments::read(PyObject* object, const char* function) {
  if (object == Py_None) return 0;
  if (PyTuple_CheckExact(object)) {
    if (PyTuple_GET_SIZE(object) == 2 && PyTuple_CheckExact(PyTuple_GET_ITEM(object, 0))) {
      PyObject* types = PyTuple_GET_ITEM(object, 1);
      if (!PyTuple_CheckExact(types)) return refuse(types, function, "kernelParams", "a tuple of types");
      return pairs(PyTuple_GET_ITEM(object, 0), types, function);
    }
    return flat(object, function);
  }
  if (PyObject_CheckBuffer(object)) return 1;
  std::uint64_t address = 0;
  if (read_number(object, &address, function, "kernelParams") < 0) return -1;
  data_ = reinterpret_cast<void**>(address);
  return 0;
}

int import_kernel_argument_classes() {
  constexpr const char* names[ctypes] = {"c_void_p", "c_int", "c_uint", "c_long", "c_ulong", "c_float", "c_double"};
  PyObject* module = PyImport_ImportModule("ctypes");
  if (module == nullptr) return -1;
  for (int index = 0; index < ctypes; ++index) {
    ctype_classes[index] = PyObject_GetAttrString(module, names[index]);
    if (ctype_classes[index] == nullptr) return -1;
  }
  simple_class = reinterpret_cast<PyTypeObject*>(PyObject_GetAttrString(module, "_SimpleCData"));
  Py_DECREF(module);
  if (simple_class == nullptr || (module = PyImport_ImportModule("numpy")) == nullptr) return -1;
  constexpr const char* scalars[] = {"float32", "int32", "uint32", "float64", "int64", "uint64"};
  for (int index = 0; index < 6; ++index) {
    numpy_classes[index] = reinterpret_cast<PyTypeObject*>(PyObject_GetAttrString(module, scalars[index]));
    if (numpy_classes[index] == nullptr) return -1;
  }
  Py_DECREF(module);
  return 0;
}

}  // namespace benchmark_floor
