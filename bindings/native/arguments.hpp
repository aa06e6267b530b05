// SPDX-License-Identifier: Apache-2.0
// Python arguments to C arguments: number conversions and owners of what a call needs until it returns.
// Included by native/api.hpp, after `api`. Common cases are inline; everything else runs in cuda_bindings._native.
#pragma once

#include <Python.h>

#include <climits>
#include <cstdint>
#include <cstring>
#include <limits>

#include "native/arguments_api.hpp"
#include "native/arguments_scratch.hpp"
#include "native/few_numbers.hpp"
#include "native/small_integer.hpp"

namespace cuda_bindings {

// ---- numbers: -1 (all bits set) with an exception where the object does not fit ----

/// An int itself (no bool, no class derived from int) of one digit, 0 or positive, that fits T.
template <class T>
inline bool read_small(PyObject* object, T* value) {
  std::uint32_t read = 0;
  if (!PyLong_CheckExact(object) || !read_small_integer(object, &read)) return false;
  if constexpr (sizeof(T) < sizeof read) {
    if (read > static_cast<std::uint32_t>(std::numeric_limits<T>::max())) return false;
  }
  *value = static_cast<T>(read);
  return true;
}

// What read_small() leaves: larger and negative numbers, other objects, errors. Out of line, with the place as two texts:
// a Place would be put together before every number that is read.
template <class T>
[[gnu::noinline]] T other_signed(PyObject* object, const char* function, const char* parameter) {
  if (PyLong_CheckExact(object)) [[likely]] {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0 && value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max()) [[likely]] {
      return static_cast<T>(value);
    }
  }
  long long value = -1;
  api->arguments->signed_number(object, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), &value,
                                {function, parameter});
  return static_cast<T>(value);
}

template <class T>
[[gnu::noinline]] T other_unsigned(PyObject* object, const char* function, const char* parameter) {
  if (PyLong_CheckExact(object)) [[likely]] {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0 && value >= 0 && static_cast<unsigned long long>(value) <= std::numeric_limits<T>::max())
        [[likely]] {
      return static_cast<T>(value);
    }
  }
  unsigned long long value = ULLONG_MAX;
  api->arguments->unsigned_number(object, std::numeric_limits<T>::max(), &value, {function, parameter});
  return static_cast<T>(value);
}

template <class T>
inline T as_signed(PyObject* object, const char* function, const char* parameter) {
  T small;
  if (read_small(object, &small)) [[likely]]
    return small;
  return other_signed<T>(object, function, parameter);
}

template <class T>
inline T as_unsigned(PyObject* object, const char* function, const char* parameter) {
  T small;
  if (read_small(object, &small)) [[likely]]
    return small;
  return other_unsigned<T>(object, function, parameter);
}

inline int as_int(PyObject* object, const char* function, const char* parameter) {
  return as_signed<int>(object, function, parameter);
}
inline short as_short(PyObject* object, const char* function, const char* parameter) {
  return as_signed<short>(object, function, parameter);
}
inline char as_char(PyObject* object, const char* function, const char* parameter) {
  return static_cast<char>(as_signed<signed char>(object, function, parameter));
}
inline long as_long(PyObject* object, const char* function, const char* parameter) {
  return as_signed<long>(object, function, parameter);
}
inline long long as_longlong(PyObject* object, const char* function, const char* parameter) {
  return as_signed<long long>(object, function, parameter);
}
inline unsigned int as_uint(PyObject* object, const char* function, const char* parameter) {
  return as_unsigned<unsigned int>(object, function, parameter);
}
inline unsigned short as_ushort(PyObject* object, const char* function, const char* parameter) {
  return as_unsigned<unsigned short>(object, function, parameter);
}
inline unsigned char as_uchar(PyObject* object, const char* function, const char* parameter) {
  return as_unsigned<unsigned char>(object, function, parameter);
}
inline size_t as_size(PyObject* object, const char* function, const char* parameter) {
  return as_unsigned<size_t>(object, function, parameter);
}
inline unsigned long long as_ulonglong(PyObject* object, const char* function, const char* parameter) {
  return as_unsigned<unsigned long long>(object, function, parameter);
}
inline double as_double(PyObject* object, const char* function, const char* parameter) {
  if (PyFloat_CheckExact(object)) [[likely]]
    return PyFloat_AS_DOUBLE(object);
  double value = -1;
  api->arguments->real_number(object, std::numeric_limits<double>::infinity(), &value, {function, parameter});
  return value;
}
inline float as_float(PyObject* object, const char* function, const char* parameter) {
  double value = -1;
  api->arguments->real_number(object, static_cast<double>(std::numeric_limits<float>::max()), &value,
                              {function, parameter});
  return static_cast<float>(value);
}

// `void** extra` of launches: an integer address. 1, which no array can have, with an exception where it is none: most
// launches pass 0.
inline void** as_extra(PyObject* object, const char* function, const char* parameter) {
  std::uintptr_t address;
  if (read_small(object, &address)) [[likely]]
    return reinterpret_cast<void**>(address);
  void** value = reinterpret_cast<void**>(1);
  api->arguments->extra(object, &value, {function, parameter});
  return value;
}

// ---- owners: they live on the stack of the call, and release in their destructors ----

// A `const char*`: bytes or bytearray.
class Text {
 public:
  Text() { view.obj = nullptr; }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() {
    if (view.obj != nullptr) PyBuffer_Release(&view);
  }
  int read(PyObject* object, bool nullable, const char* function, const char* parameter) {
    return api->arguments->text(*this, object, nullable, {function, parameter});
  }

  const char* data = nullptr;
  Py_buffer view;  // held: the object can be neither freed nor resized
};

// A `void*`: an integer-like, None or a contiguous buffer.
class Address {
 public:
  Address() { view.obj = nullptr; }
  Address(const Address&) = delete;
  Address& operator=(const Address&) = delete;
  ~Address() {
    if (view.obj != nullptr) PyBuffer_Release(&view);
  }
  int read(PyObject* object, int access, size_t byte_length, const char* function, const char* parameter) {
    if (object == Py_None) return 0;
    if (PyLong_CheckExact(object)) {
      int overflow = 0;
      const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
      if (overflow == 0 && value >= 0) [[likely]] {
        data = reinterpret_cast<void*>(static_cast<uintptr_t>(value));
        return 0;
      }
    }
    return api->arguments->address(*this, object, access, byte_length, {function, parameter});
  }

  void* data = nullptr;
  Py_buffer view;
};

// A `char*` that the callee fills: the caller's bytes (written in place, as clients of the API expect) or writable
// buffer.
class OutBuffer {
 public:
  OutBuffer() { view.obj = nullptr; }
  OutBuffer(const OutBuffer&) = delete;
  OutBuffer& operator=(const OutBuffer&) = delete;
  ~OutBuffer() {
    if (view.obj != nullptr) api->arguments->out_buffer_release(*this);
  }
  int read(PyObject* object, size_t needed, const char* function, const char* parameter) {
    return api->arguments->out_buffer(*this, object, needed, {function, parameter});
  }

  char* data = nullptr;
  Py_buffer view;
};

// Common part of the lists: a snapshot of the elements (the list itself may change meanwhile), where there must be one, and
// room for the C array.
class ListOwner {
 public:
  ListOwner() = default;
  ListOwner(const ListOwner&) = delete;
  ListOwner& operator=(const ListOwner&) = delete;
  ~ListOwner() { Py_XDECREF(elements); }

  size_t size = 0;
  PyObject* elements = nullptr;  // tuple, or the only element
  Scratch<128> memory;
};

// A `T*` of handles, each in its own width. One element: the address of that element's slot, so that C may write into
// it.
class HandleList : public ListOwner {
 public:
  int read(PyObject* object, int type, bool nullable, bool has_count, size_t count, const char* function,
           const char* parameter) {
    return api->arguments->handle_list(*this, object, type, {nullable, has_count, count, 0}, {function, parameter});
  }
  // A pointer to `count` handles: None is NULL, an int an address, one object its slot.
  int read_pointer(PyObject* object, int type, size_t count, const char* function, const char* parameter) {
    return api->arguments->handle_pointer(*this, object, type, count, {function, parameter});
  }

  void* data = nullptr;
};

// What a list must hold where C reads fewer elements than another argument says.
inline size_t fewer(size_t count, size_t by) { return count > by ? count - by : 0; }

// A `T*` of structs, copied side by side. One element: the address of that record's memory.
class RecordList : public ListOwner {
 public:
  int read(PyObject* object, int type, bool nullable, bool has_count, size_t count, const char* function,
           const char* parameter) {
    return api->arguments->record_list(*this, object, type, {nullable, has_count, count, 0}, {function, parameter});
  }

  void* data = nullptr;
};

class EnumerationList : public ListOwner {
 public:
  int read(PyObject* object, int type, bool nullable, bool has_count, size_t count, const char* function,
           const char* parameter) {
    return api->arguments->enumeration_list(*this, object, type, {nullable, has_count, count, 0},
                                            {function, parameter});
  }

  int* data = nullptr;
};

class NumberList : public ListOwner {
 public:
  // In line, where its constants decide most of it.
  [[gnu::always_inline]] int read(PyObject* object, int number, int handle_type, bool nullable, bool has_count,
                                  size_t count, size_t max_length, const char* function, const char* parameter) {
    if (max_length != 0 && max_length <= 8 && handle_type >= 0) {  // constants of the call
      const PyTypeObject* cls = api->handle_types[handle_type];
      const size_t least = has_count ? count : 0;
      void* values = memory.reserve(max_length * sizeof(std::uint64_t));
      size = number == NUMBER_ULONGLONG ? read_few_numbers<unsigned long long>(object, cls, least, max_length, values)
             : number == NUMBER_UINT    ? read_few_numbers<unsigned int>(object, cls, least, max_length, values)
                                        : 0;
      data = values;
      if (size != 0) [[likely]]
        return 0;
      data = nullptr;
    }
    return api->arguments->number_list(*this, object, number, handle_type, {nullable, has_count, count, max_length},
                                       {function, parameter});
  }

  void* data = nullptr;
};

// A `const char**`; the bytes objects are held by the snapshot.
class TextList : public ListOwner {
 public:
  int read(PyObject* object, bool nullable, bool has_count, size_t count, const char* function, const char* parameter) {
    return api->arguments->text_list(*this, object, {nullable, has_count, count, 0}, {function, parameter});
  }

  const char** data = nullptr;
};

// A `void**` of addresses; buffers among them are held.
class AddressList : public ListOwner {
 public:
  ~AddressList() {
    if (owners != nullptr) api->arguments->address_list_release(*this);
  }
  int read(PyObject* object, bool nullable, bool has_count, size_t count, const char* function, const char* parameter) {
    return api->arguments->address_list(*this, object, {nullable, has_count, count, 0}, {function, parameter});
  }

  void** data = nullptr;
  Address* owners = nullptr;
};

// `void** kernelParams` of launches and graph nodes.
class KernelParameters {
 public:
  KernelParameters() { view.obj = nullptr; }
  KernelParameters(const KernelParameters&) = delete;
  KernelParameters& operator=(const KernelParameters&) = delete;
  ~KernelParameters() {
    if (view.obj != nullptr) PyBuffer_Release(&view);
    Py_XDECREF(values);
    Py_XDECREF(copies);
  }
  int read(PyObject* object, const char* function, const char* parameter) {
    if (object == Py_None) return 0;
    return api->arguments->kernel_parameters(*this, object, {function, parameter});
  }

  void** data = nullptr;
  Py_buffer view;              // the caller's ready array of addresses
  PyObject* values = nullptr;  // tuple whose records are passed by their own memory, where nobody else keeps it
  PyObject* copies = nullptr;  // list of bytes: values of more than 8 bytes
  Scratch<1024> memory;        // addresses and values of up to 8 bytes: 64 of each
};

// `float[4]`: a sequence of four numbers, or one number meant for all four.
class Color {
 public:
  int read(PyObject* object, const char* function, const char* parameter) {
    return api->arguments->color(*this, object, {function, parameter});
  }

  float values[4] = {};
  float* data = values;
};

struct JitStorage;

// Option keys and values of the JIT and library loaders: numbers travel inside the pointer slots.
class JitOptions {
 public:
  JitOptions() = default;
  JitOptions(const JitOptions&) = delete;
  JitOptions& operator=(const JitOptions&) = delete;
  ~JitOptions() {
    if (storage != nullptr) api->arguments->jit_release(*this);
  }
  int read(PyObject* options, PyObject* option_values, size_t count, int table, const char* function,
           const char* options_name, const char* values_name) {
    return api->arguments->jit_read(*this, options, option_values, count, table, {function, options_name},
                                    {function, values_name});
  }
  // After the call: stores what the driver wrote into the slots in the objects that were passed as values.
  int finish() { return storage == nullptr ? 0 : api->arguments->jit_finish(*this); }
  // The driver goes on using the slots: they live as long as the handle.
  int keep_on(PyObject* handle) { return storage == nullptr ? 0 : api->arguments->jit_keep_on(*this, handle); }

  void* keys = nullptr;
  void** values = nullptr;
  JitStorage* storage = nullptr;
};

// For handles that JitOptions were kept on (CUlinkState): finish() for what the driver wrote since. No-op for other
// objects.
inline int jit_refresh(PyObject* handle) { return api->arguments->jit_refresh(handle); }

struct AttributeRow;

// The `void*` of an attribute getter or setter, whose type the attribute decides.
class AttributeValue {
 public:
  AttributeValue() = default;
  AttributeValue(const AttributeValue&) = delete;
  AttributeValue& operator=(const AttributeValue&) = delete;
  ~AttributeValue() { Py_XDECREF(held); }
  // byte_size: what the caller states as room for the value, 0 where the function has no such parameter.
  int prepare_get(int table, int attribute, size_t byte_size, const char* function, const char* parameter) {
    return api->arguments->attribute_get(*this, table, attribute, byte_size, {function, parameter});
  }
  int prepare_set(PyObject* value, int table, int attribute, const char* function, const char* parameter) {
    return api->arguments->attribute_set(*this, value, table, attribute, {function, parameter});
  }
  PyObject* result() { return api->arguments->attribute_result(*this); }

  void* data = nullptr;
  size_t size = 0;
  const AttributeRow* row = nullptr;
  PyObject* held = nullptr;
  Scratch<128> memory;
};

struct AttributeStorage;

// Plural attribute getters: an array of attributes, of addresses for their values, and of sizes.
class AttributeValues {
 public:
  AttributeValues() = default;
  AttributeValues(const AttributeValues&) = delete;
  AttributeValues& operator=(const AttributeValues&) = delete;
  ~AttributeValues() {
    if (storage != nullptr) api->arguments->attributes_release(*this);
  }
  // sizes_name is NULL where the function has no such parameter.
  int prepare(PyObject* list_of_attributes, PyObject* list_of_sizes, size_t count, int table, const char* function,
              const char* attributes_name, const char* sizes_name) {
    return api->arguments->attributes_prepare(*this, list_of_attributes, list_of_sizes, count, table,
                                              {function, attributes_name}, {function, sizes_name});
  }
  PyObject* result() { return api->arguments->attributes_result(*this); }

  void* attributes = nullptr;
  void** data = nullptr;
  size_t* sizes = nullptr;
  AttributeStorage* storage = nullptr;
};

// Zeroed memory that the callee fills with an array.
class OutArray {
 public:
  int reserve(size_t count, size_t item_size) {
    if (count == 0) return 0;
    data = memory.reserve_items(count, item_size);
    if (data == nullptr) return -1;
    std::memset(data, 0, count * item_size);
    size = count;
    return 0;
  }

  void* data = nullptr;
  size_t size = 0;  // of the memory: an in/out count may say more after the call
  Scratch<256> memory;
};

// ---- results ----

inline PyObject* number_list_new(int number, const void* values, size_t count) {
  return api->arguments->number_list_new(number, values, count);
}

}  // namespace cuda_bindings
