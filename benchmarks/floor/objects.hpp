// SPDX-License-Identifier: Apache-2.0
// The floor: what an extension written by hand for a few functions costs. Its objects and its reading of arguments.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <climits>
#include <cstdint>
#include <cstring>
#if PY_VERSION_HEX < 0x030B0000
#include <longintrepr.h>  // Python.h includes it itself from 3.11 on
#endif

namespace benchmark_floor {

// A handle, or a view of one inside a record: then `keep` is the record.
struct Handle {
  PyObject_HEAD void* slot;
  std::uint64_t own;
  PyObject* keep;
};

enum HandleClass {
  context_class,
  device_class,
  event_class,
  function_class,
  memory_class,
  stream_class,
  graph_class,
  node_class,
  pool_class,
  wide_class,
  narrow_class,
  handle_classes
};

extern PyTypeObject handle_types[handle_classes];

// Dead objects wait here for the next of their class.
template <class Object, int capacity>
struct FreeList {
  static constexpr int most = capacity;
  Object* objects[capacity];
  int size = 0;
};

extern FreeList<Handle, 4096> free_handles;

void handle_dealloc(PyObject* self);

inline bool is_handle(PyObject* object) { return Py_TYPE(object)->tp_dealloc == handle_dealloc; }

inline std::uint64_t handle_value(PyObject* object) {
  std::uint64_t value;
  std::memcpy(&value, reinterpret_cast<Handle*>(object)->slot, sizeof value);
  return value;
}

inline Handle* handle_allocate(HandleClass cls) {
  if (free_handles.size == 0) return PyObject_New(Handle, &handle_types[cls]);
  Handle* handle = free_handles.objects[--free_handles.size];
  PyObject* object = reinterpret_cast<PyObject*>(handle);
  Py_SET_TYPE(object, &handle_types[cls]);
  Py_SET_REFCNT(object, 1);
  return handle;
}

inline PyObject* handle_new(HandleClass cls, std::uint64_t value) {
  Handle* handle = handle_allocate(cls);
  if (handle == nullptr) return nullptr;
  handle->own = value;
  handle->slot = &handle->own;
  handle->keep = nullptr;
  return reinterpret_cast<PyObject*>(handle);
}

// ---- arguments: exact classes, ranges; anything else is an error that names the argument ----

[[gnu::cold]] int refuse(PyObject* object, const char* function, const char* argument, const char* accepted);

inline int read_handle(PyObject* object, HandleClass cls, std::uint64_t* value, const char* function,
                       const char* argument) {
  if (Py_TYPE(object) == &handle_types[cls]) {
    *value = handle_value(object);
    return 0;
  }
  if (object == Py_None && cls != device_class) {
    *value = 0;
    return 0;
  }
  return refuse(object, function, argument, handle_types[cls].tp_name);
}

// Whether an int is 0 or positive and of one digit, that is of 30 bits, as nearly all are; then its value.
inline bool read_digit(PyObject* integer, std::uint32_t* value) {
#if PY_VERSION_HEX >= 0x030C0000
  const auto* number = reinterpret_cast<const PyLongObject*>(integer);
  if (!PyUnstable_Long_IsCompact(number) || PyUnstable_Long_CompactValue(number) < 0) return false;
  *value = static_cast<std::uint32_t>(PyUnstable_Long_CompactValue(number));
  return true;
#else
  const Py_ssize_t size = Py_SIZE(integer);
  *value = size == 1 ? reinterpret_cast<const PyLongObject*>(integer)->ob_digit[0] : 0;
  return size == 0 || size == 1;
#endif
}

// Any other int, if it is of the C type's range.
template <class T>
[[gnu::noinline]] int read_digits(PyObject* object, T* value, const char* function, const char* argument) {
  constexpr bool is_signed = static_cast<T>(-1) < 0;
  int overflow = 0;
  const long long read = PyLong_AsLongLongAndOverflow(object, &overflow);
  const long long most = sizeof(T) == 8 ? LLONG_MAX : is_signed ? INT_MAX : static_cast<long long>(UINT_MAX);
  const long long least = !is_signed ? 0 : sizeof(T) == 8 ? LLONG_MIN : INT_MIN;
  if (overflow == 0 && read >= least && read <= most) {
    *value = static_cast<T>(read);
    return 0;
  }
  if (!is_signed && sizeof(T) == 8 && overflow > 0) {
    *value = static_cast<T>(PyLong_AsUnsignedLongLong(object));
    if (PyErr_Occurred() == nullptr) return 0;
    PyErr_Clear();
  }
  return refuse(object, function, argument, "an integer of the C type's range");
}

template <class T>
inline int read_number(PyObject* object, T* value, const char* function, const char* argument) {
  if (!PyLong_CheckExact(object)) return refuse(object, function, argument, "an integer");
  std::uint32_t digit;
  if (!read_digit(object, &digit)) return read_digits(object, value, function, argument);
  *value = static_cast<T>(digit);
  return 0;
}

// A member of the class, or an int.
inline int read_enumeration(PyObject* object, PyTypeObject* cls, int* value, const char* function,
                            const char* argument) {
  if (Py_TYPE(object) != cls && !PyLong_CheckExact(object)) return refuse(object, function, argument, cls->tp_name);
  std::uint32_t digit;
  if (!read_digit(object, &digit)) return read_digits(object, value, function, argument);
  *value = static_cast<int>(digit);
  return 0;
}

// `void** kernelParams`: None, an address, a flat tuple of values that know their C type, or (values, types).
class KernelArguments {
 public:
  /// 0, or -1 with an exception, or 1 where the object is memory that has the addresses.
  int read(PyObject* object, const char* function);
  /// Like read(); memory is refused.
  int read_packed(PyObject* object, const char* function) {
    const int kind = read(object, function);
    return kind > 0 ? refuse(object, function, "kernelParams", "a tuple or an address") : kind;
  }
  void** data() { return data_; }

 private:
  static constexpr Py_ssize_t most = 64;
  int pairs(PyObject* values, PyObject* types, const char* function);
  int flat(PyObject* values, const char* function);
  void** data_ = nullptr;
  std::uint64_t slots_[most];
  void* addresses_[most];
};

int import_kernel_argument_classes();

// Members of CUresult and of the enumerations that the benchmark passes; made once, kept for ever.
extern PyTypeObject* attribute_class;
PyObject* make_enumeration(const char* name, const char* const* names, const int* values, int size);

int add_record(PyObject* module);

}  // namespace benchmark_floor
