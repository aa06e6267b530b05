// SPDX-License-Identifier: Apache-2.0
// `void*` arguments: integer-likes, None and contiguous buffers.
#include "native/api.hpp"

#include "native/arguments_address.hpp"

#include <climits>
#include <cstdio>
#include <cstring>
#include <new>

#include "native/arguments_errors.hpp"
#include "native/arguments_lists.hpp"
#include "native/arguments_numpy.hpp"
#include "native/arguments_objects.hpp"
#include "native/arguments_plain_lists.hpp"

namespace cuda_bindings {

namespace {

constexpr char accepted_address[] = "an address (int or handle), None, or an object with a contiguous buffer";

// 1 and the value of an int object in range; 0 out of range.
int unsigned_value(PyObject* integer, std::uint64_t* value) {
  const unsigned long long read = PyLong_AsUnsignedLongLong(integer);
  if (read == ULLONG_MAX && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return 0;
  }
  *value = read;
  return 1;
}

// An array, told from a scalar of the same memory: its items can be assigned. NumPy's scalars export their memory too.
bool is_array(PyObject* object) {
  const PyMappingMethods* methods = Py_TYPE(object)->tp_as_mapping;
  return methods != nullptr && methods->mp_ass_subscript != nullptr && PyObject_CheckBuffer(object) != 0;
}

// An array without dimensions holds an address only if it is unsigned and of 64 bits; every other array is memory.
int array_address(PyObject* object, std::uint64_t* value) {
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_FULL_RO) < 0) {
    if (!ordinary_exception()) return -1;
    PyErr_Clear();
    return 0;
  }
  const char* format = view.format != nullptr ? view.format : "B";
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  const bool holds =
      view.ndim == 0 && view.itemsize == sizeof *value && (*format == 'L' || *format == 'Q') && format[1] == '\0';
  if (holds) std::memcpy(value, view.buf, sizeof *value);
  PyBuffer_Release(&view);
  return holds ? 1 : 0;
}

// Clients pass objects whose int() raises anything at all, and expect their buffer to be taken.
int swallowed(PyObject* integer, std::uint64_t* value) {
  if (integer == nullptr) {
    if (!ordinary_exception()) return -1;
    PyErr_Clear();
    return 0;
  }
  const int found = unsigned_value(integer, value);
  Py_DECREF(integer);
  return found;
}

// Before NumPy 2.3 its bool is an index, with a warning.
bool is_numpy_bool(PyObject* object) {
  const char* const name = Py_TYPE(object)->tp_name;
  return std::strcmp(name, "numpy.bool") == 0 || std::strcmp(name, "numpy.bool_") == 0;
}

int check_buffer(const Py_buffer& view, PyObject* object, int access, size_t byte_length, Place place) {
  if (is_scalar_memory(view, object)) return raise_type(place, object, accepted_address);
  if (byte_length == SIZE_MAX) return 0;
  if (access == ACCESS_WRITE && view.readonly != 0) {
    return raise_error(PyExc_TypeError, place, object, "read-only but written to", "a writable buffer");
  }
  if (access != ACCESS_NONE && static_cast<size_t>(view.len) < byte_length) {
    char problem[96];
    std::snprintf(problem, sizeof problem, "%zd bytes where %zu are %s", view.len, byte_length,
                  access == ACCESS_WRITE ? "written" : "read");
    return raise_value(place, object, problem, "a buffer that is long enough");
  }
  return 0;
}

// What the exporter raised (ValueError from NumPy, BufferError from memoryview), with the place in front.
int raise_not_exported(PyObject* object, Place place) {
  if (PyErr_ExceptionMatches(PyExc_TypeError)) return raise_type(place, object, accepted_address);
  PyObject* exception = PyErr_ExceptionMatches(PyExc_ValueError)    ? PyExc_ValueError
                        : PyErr_ExceptionMatches(PyExc_BufferError) ? PyExc_BufferError
                                                                    : nullptr;
  if (exception == nullptr) return -1;
  return raise_error(exception, place, object, "no contiguous buffer", accepted_address);
}

// The object's memory, contiguous, in an empty view.
int export_memory(Py_buffer& view, PyObject* object, Place place) {
  if (PyObject_GetBuffer(object, &view, PyBUF_ANY_CONTIGUOUS) == 0) return 0;
  view.obj = nullptr;
  return raise_not_exported(object, place);
}

// Arrays with dimensions and bytes cannot mean an address: 1 where the object is one of these and held, 0 where the
// general way must look, -1.
int read_usual_memory(Address& address, PyObject* object, int access, size_t byte_length, Place place) {
  Py_buffer& view = address.view;
  if (PyBytes_CheckExact(object)) {
    const bool enough = byte_length == SIZE_MAX || access == ACCESS_NONE ||
                        (access == ACCESS_READ && static_cast<size_t>(PyBytes_GET_SIZE(object)) >= byte_length);
    if (!enough) return 0;
    view.obj = Py_NewRef(object);  // all that a release looks at
    address.data = PyBytes_AS_STRING(object);
    return 1;
  }
  if (!is_numpy_array(object)) return 0;
  if (export_memory(view, object, place) < 0) return -1;
  const bool memory = view.ndim != 0;
  if (memory && check_buffer(view, object, access, byte_length, place) == 0) {
    address.data = view.buf;
    return 1;
  }
  PyBuffer_Release(&view);
  return memory ? -1 : 0;
}

}  // namespace

bool is_scalar_memory(const Py_buffer& view, PyObject* object) {
  return view.readonly != 0 && view.ndim == 0 && !is_array(object);
}

int integer_address(PyObject* object, std::uint64_t* value) {
  if (is_plain_handle(object)) {
    *value = handle_read(object);
    return 1;
  }
  if (PyBool_Check(object) || is_numpy_bool(object) || PyFloat_Check(object)) return 0;
  if (PyLong_Check(object)) return unsigned_value(object, value);
  if (is_handle(object)) {
    *value = handle_read(object);
    return 1;
  }
  const PyNumberMethods* methods = Py_TYPE(object)->tp_as_number;
  if (methods == nullptr) return 0;
  if (is_array(object)) return array_address(object, value);
  if (methods->nb_index != nullptr) return swallowed(PyNumber_Index(object), value);
  // With __float__ beside __int__ it is a number, and no address.
  if (methods->nb_int != nullptr && methods->nb_float == nullptr) return swallowed(PyNumber_Long(object), value);
  return 0;
}

int hold_buffer(Py_buffer& view, PyObject* object, int access, size_t byte_length, Place place) {
  if (export_memory(view, object, place) < 0) return -1;
  if (check_buffer(view, object, access, byte_length, place) == 0) return 0;
  PyBuffer_Release(&view);
  return -1;
}

int read_address(Address& address, PyObject* object, int access, size_t byte_length, Place place) {
  if (object == Py_None) return 0;
  if (is_plain_handle(object)) {
    address.data = reinterpret_cast<void*>(static_cast<uintptr_t>(handle_read(object)));
    return 0;
  }
  const int usual = read_usual_memory(address, object, access, byte_length, place);
  if (usual != 0) return usual < 0 ? -1 : 0;
  if (!PyBytes_CheckExact(object)) {
    std::uint64_t value = 0;
    const int found = integer_address(object, &value);
    if (found < 0) return -1;
    if (found != 0) {
      address.data = reinterpret_cast<void*>(static_cast<uintptr_t>(value));
      return 0;
    }
  }
  if (PyObject_CheckBuffer(object) == 0) return raise_type(place, object, accepted_address);
  if (hold_buffer(address.view, object, access, byte_length, place) < 0) return -1;
  address.data = address.view.buf;
  return 0;
}

int read_address_list(AddressList& list, PyObject* object, const ListRules& rules, Place place) {
  const PlainList plain = read_plain_addresses(list, object, rules);
  if (plain != PlainList::other) return plain == PlainList::read ? 0 : -1;
  const char* accepted = rules.nullable ? "a list or tuple of addresses, or None" : "a list or tuple of addresses";
  if (take_elements(list, object, rules, ListSource::sequence, accepted, place) < 0) return -1;
  if (list.size == 0) return 0;
  void** addresses = static_cast<void**>(list.memory.reserve_items(list.size, sizeof(void*)));
  if (addresses == nullptr) return -1;
  list.owners = new (std::nothrow) Address[list.size];
  if (list.owners == nullptr) {
    PyErr_NoMemory();
    return -1;
  }
  for (size_t index = 0; index < list.size; ++index) {
    const Py_ssize_t position = static_cast<Py_ssize_t>(index);
    if (read_address(list.owners[index], PyTuple_GET_ITEM(list.elements, position), ACCESS_NONE, SIZE_MAX,
                     place.at(position)) < 0) {
      return -1;
    }
    addresses[index] = list.owners[index].data;
  }
  list.data = addresses;
  return 0;
}

void release_address_list(AddressList& list) {
  delete[] list.owners;
  list.owners = nullptr;
}

}  // namespace cuda_bindings
