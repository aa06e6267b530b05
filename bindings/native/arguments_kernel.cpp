// SPDX-License-Identifier: Apache-2.0
// Kernel arguments: `void** kernelParams` of launches and of graph node records.
#include "native/api.hpp"

#include "native/arguments_kernel.hpp"

#include <climits>
#include <cstdio>
#include <memory>
#include <new>

#include "native/arguments_address.hpp"
#include "native/arguments_ctypes.hpp"
#include "native/arguments_errors.hpp"
#include "native/arguments_numbers.hpp"
#include "native/arguments_objects.hpp"
#include "native/reference.hpp"
#include "native/registry.hpp"

namespace cuda_bindings {

namespace {

constexpr size_t slot_bytes = 8;
constexpr char accepted_forms[] =
    "None, an int address, a buffer of addresses, (values, types) as two tuples of equal length, or one tuple of typed "
    "values";
constexpr char accepted_value[] =
    "a value that knows its C type (a handle, struct, enum member, NumPy scalar, ctypes instance or object with "
    "__cuda_array_interface__); give Python numbers as ctypes or NumPy scalars, or as (values, types)";

// An attribute that may be missing: 1 and a new reference, 0, or -1 with an exception set.
int optional_attribute(PyObject* object, const char* name, PyObject** attribute) {
  *attribute = PyObject_GetAttrString(object, name);
  if (*attribute != nullptr) return 1;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
  PyErr_Clear();
  return 0;
}

// The address that object.getPtr() gives: 1, 0 where there is no such method, -1.
int get_pointer(PyObject* object, std::uint64_t* address, Place place) {
  PyObject* method = nullptr;
  const int found = optional_attribute(object, "getPtr", &method);
  if (found <= 0) return found;
  if (PyCallable_Check(method) == 0) {
    Py_DECREF(method);
    return 0;
  }
  PyObject* result = PyObject_CallNoArgs(method);
  Py_DECREF(method);
  if (result == nullptr) return -1;
  const int read = integer_address(result, address);
  if (read == 0) raise_type(place, result, "a getPtr() that returns an address");
  Py_DECREF(result);
  return read == 1 ? 1 : -1;
}

// object.__cuda_array_interface__["data"][0]: 1, 0 where there is no such attribute, -1.
int array_interface_pointer(PyObject* object, std::uint64_t* address, Place place) {
  PyObject* interface = nullptr;
  const int found = optional_attribute(object, "__cuda_array_interface__", &interface);
  if (found <= 0) return found;
  PyObject* data = PyMapping_GetItemString(interface, "data");
  Py_DECREF(interface);
  PyObject* first = data != nullptr ? PySequence_GetItem(data, 0) : nullptr;
  Py_XDECREF(data);
  if (first == nullptr) return -1;
  // An array without elements may have no address.
  *address = 0;
  const int read = first == Py_None ? 1 : integer_address(first, address);
  if (read == 0) raise_type(place, first, "a __cuda_array_interface__ whose data is an address");
  Py_DECREF(first);
  return read == 1 ? 1 : -1;
}

// Members of any enum.Enum: 1, 0 or -1.
int is_enum_member(PyObject* object) {
  PyObject* module = PyImport_ImportModule("enum");
  PyObject* base = module != nullptr ? PyObject_GetAttrString(module, "Enum") : nullptr;
  Py_XDECREF(module);
  if (base == nullptr) return -1;
  const int member = PyObject_IsInstance(object, base);
  Py_DECREF(base);
  return member;
}

// Puts one argument after the other into the memory of a KernelParameters.
class Packer {
 public:
  Packer(KernelParameters& parameters, Place place) : parameters_(parameters), place_(place), ctypes_(ctypes_table()) {}

  int reserve(size_t count) {
    addresses_ = static_cast<void**>(parameters_.memory.reserve_items(count, sizeof(void*) + slot_bytes));
    if (addresses_ == nullptr) return -1;
    slots_ = reinterpret_cast<unsigned char*>(addresses_ + count);
    return 0;
  }
  int typed(Py_ssize_t index, PyObject* value, PyObject* type);
  int self_describing(Py_ssize_t index, PyObject* value);
  void finish() { parameters_.data = addresses_; }

 private:
  unsigned char* slot(Py_ssize_t index) {
    unsigned char* memory = slots_ + static_cast<size_t>(index) * slot_bytes;
    addresses_[index] = memory;
    return memory;
  }
  int by_address(Py_ssize_t index, std::uint64_t address) {
    addresses_[index] = reinterpret_cast<void*>(static_cast<uintptr_t>(address));
    return 0;
  }
  int by_value(Py_ssize_t index, const void* memory, size_t size);
  int buffer_by_value(Py_ssize_t index, PyObject* value);
  int numpy_scalar(Py_ssize_t index, PyObject* value);
  int enumeration(Py_ssize_t index, PyObject* value);
  int pointer(Py_ssize_t index, PyObject* value);
  int pointer_value(Py_ssize_t index, PyObject* value, std::uint64_t* address);

  KernelParameters& parameters_;
  Place place_;
  const CtypesTable* ctypes_;
  void** addresses_ = nullptr;
  unsigned char* slots_ = nullptr;
};

// A copy: neither ctypes.resize nor another thread can take the memory away while the launch reads it.
int Packer::by_value(Py_ssize_t index, const void* memory, size_t size) {
  if (size <= slot_bytes) {
    std::memcpy(slot(index), memory, size);
    return 0;
  }
  if (parameters_.copies == nullptr) {
    parameters_.copies = PyList_New(0);
    if (parameters_.copies == nullptr) return -1;
  }
  PyObject* copy = PyBytes_FromStringAndSize(static_cast<const char*>(memory), static_cast<Py_ssize_t>(size));
  if (copy == nullptr) return -1;
  const int added = PyList_Append(parameters_.copies, copy);
  addresses_[index] = PyBytes_AS_STRING(copy);
  Py_DECREF(copy);  // the list holds it
  return added;
}

int Packer::buffer_by_value(Py_ssize_t index, PyObject* value) {
  Py_buffer view;
  if (PyObject_GetBuffer(value, &view, PyBUF_SIMPLE) < 0) return -1;
  const int packed = by_value(index, view.buf, static_cast<size_t>(view.len));
  PyBuffer_Release(&view);
  return packed;
}

int Packer::numpy_scalar(Py_ssize_t index, PyObject* value) {
  // Strings, and long double, which no device has.
  const char* name = Py_TYPE(value)->tp_name;
  if (PyBytes_Check(value) || PyUnicode_Check(value) || std::strstr(name, "longdouble") != nullptr) {
    return raise_type(place_.at(index), value, accepted_value);
  }
  Py_buffer view;
  if (PyObject_GetBuffer(value, &view, PyBUF_SIMPLE) == 0) {
    const int packed = by_value(index, view.buf, static_cast<size_t>(view.len));
    PyBuffer_Release(&view);
    return packed;
  }
  // Types that have no buffer format, such as datetime64.
  if (!ordinary_exception()) return -1;
  PyErr_Clear();
  PyObject* memory = PyObject_CallMethod(value, "tobytes", nullptr);
  if (memory == nullptr) return -1;
  const int packed = PyBytes_Check(memory)
                         ? by_value(index, PyBytes_AS_STRING(memory), static_cast<size_t>(PyBytes_GET_SIZE(memory)))
                         : raise_type(place_.at(index), value, accepted_value);
  Py_DECREF(memory);
  return packed;
}

// Enumerations of the headers are C ints, signed or not.
int Packer::enumeration(Py_ssize_t index, PyObject* value) {
  PyObject* number = PyLong_Check(value) ? Py_NewRef(value) : PyObject_GetAttrString(value, "value");
  if (number == nullptr) return -1;
  long long read = 0;
  const int done = signed_argument(number, INT_MIN, UINT_MAX, &read, place_.at(index));
  Py_DECREF(number);
  if (done < 0) return -1;
  const std::uint32_t narrowed = static_cast<std::uint32_t>(read);
  return by_value(index, &narrowed, sizeof narrowed);
}

int Packer::self_describing(Py_ssize_t index, PyObject* value) {
  const ClassKind kind = find_class_or_base(Py_TYPE(value)).kind;
  if (kind == ClassKind::handle) return by_value(index, handle_slot(value), slot_size(handle_kind(value)));
  if (kind == ClassKind::record) return by_address(index, reinterpret_cast<std::uint64_t>(record_object(value)->data));
  if (PyLong_CheckExact(value) || PyFloat_CheckExact(value) || PyBool_Check(value) || value == Py_None) {
    return raise_type(place_.at(index), value, accepted_value);
  }
  if (ctypes_ != nullptr && is_ctypes_value(*ctypes_, value)) return buffer_by_value(index, value);
  if (is_numpy_scalar(value)) return numpy_scalar(index, value);
  std::uint64_t address = 0;
  int found = get_pointer(value, &address, place_.at(index));
  if (found != 0) return found < 0 ? -1 : by_address(index, address);
  found = array_interface_pointer(value, &address, place_.at(index));
  if (found != 0) return found < 0 ? -1 : by_value(index, &address, sizeof address);
  found = is_enum_member(value);
  if (found != 0) return found < 0 ? -1 : enumeration(index, value);
  return raise_type(place_.at(index), value, accepted_value);
}

// What c_void_p makes of a value: 0, or -1 with an exception set.
int Packer::pointer_value(Py_ssize_t index, PyObject* value, std::uint64_t* address) {
  constexpr char accepted[] =
      "an int, c_void_p, None, or an object with getPtr() or __cuda_array_interface__, for c_void_p";
  const Place place = place_.at(index);
  if (PyLong_Check(value) && !PyBool_Check(value)) {
    unsigned long long number = 0;
    if (unsigned_argument(value, UINTPTR_MAX, &number, place) < 0) return -1;
    *address = number;
    return 0;
  }
  if (value == Py_None) {
    *address = 0;
    return 0;
  }
  if (PyObject_TypeCheck(value, ctypes_->simple) != 0) {
    const Ctype* ctype = find_ctype(*ctypes_, reinterpret_cast<PyObject*>(Py_TYPE(value)));
    if (ctype == nullptr || ctype->kind != CtypeKind::pointer) return raise_type(place, value, accepted);
    return copy_memory(value, address, sizeof *address, place);
  }
  if (!is_numpy_scalar(value)) {
    int found = get_pointer(value, address, place);
    if (found != 0) return found < 0 ? -1 : 0;
    found = array_interface_pointer(value, address, place);
    if (found != 0) return found < 0 ? -1 : 0;
  }
  const int found = integer_address(value, address);
  if (found != 0) return found < 0 ? -1 : 0;
  return raise_type(place, value, accepted);
}

int Packer::pointer(Py_ssize_t index, PyObject* value) {
  std::uint64_t address = 0;
  const ClassKind kind = PyLong_CheckExact(value) ? ClassKind::none : find_class_or_base(Py_TYPE(value)).kind;
  if (kind == ClassKind::handle) {
    // As everywhere with c_void_p: the address of the handle, not its value (type None passes the value).
    address = reinterpret_cast<std::uint64_t>(handle_slot(value));
  } else if (kind == ClassKind::record) {
    address = reinterpret_cast<std::uint64_t>(record_object(value)->data);
  } else if (pointer_value(index, value, &address) < 0) {
    return -1;
  }
  return by_value(index, &address, sizeof address);
}

int Packer::typed(Py_ssize_t index, PyObject* value, PyObject* type) {
  if (type == Py_None) return self_describing(index, value);
  const Ctype* ctype = ctypes_ != nullptr ? find_ctype(*ctypes_, type) : nullptr;
  if (ctype == nullptr) {
    return raise_error(PyExc_TypeError, place_.at(index), type, "unsupported type",
                       "a ctypes number class, c_void_p or None");
  }
  if (ctype->kind == CtypeKind::pointer) return pointer(index, value);
  return store_ctype(*ctypes_, value, *ctype, slot(index), place_.at(index));
}

int pack_pairs(KernelParameters& parameters, PyObject* values, PyObject* types, PyObject* object, Place place) {
  const Py_ssize_t count = PyTuple_GET_SIZE(values);
  if (count != PyTuple_GET_SIZE(types)) {
    return raise_error(PyExc_TypeError, place, object, "tuples of different length", "as many types as values");
  }
  if (count == 0) return 0;
  Packer packer(parameters, place);
  if (packer.reserve(static_cast<size_t>(count)) < 0) return -1;
  parameters.values = Py_NewRef(values);
  for (Py_ssize_t index = 0; index < count; ++index) {
    if (packer.typed(index, PyTuple_GET_ITEM(values, index), PyTuple_GET_ITEM(types, index)) < 0) return -1;
  }
  packer.finish();
  return 0;
}

int pack_values(KernelParameters& parameters, PyObject* values, Place place) {
  const Py_ssize_t count = PyTuple_GET_SIZE(values);
  if (count == 0) return 0;
  Packer packer(parameters, place);
  if (packer.reserve(static_cast<size_t>(count)) < 0) return -1;
  parameters.values = Py_NewRef(values);
  for (Py_ssize_t index = 0; index < count; ++index) {
    if (packer.self_describing(index, PyTuple_GET_ITEM(values, index)) < 0) return -1;
  }
  packer.finish();
  return 0;
}

// A tuple, or a list as it is now: reading its elements may change it. nullptr for anything else.
PyObject* as_tuple(PyObject* object) {
  return PyTuple_Check(object) || PyList_Check(object) ? PySequence_Tuple(object) : nullptr;
}

constexpr char capsule_name[] = "cuda_bindings.kernel_parameters";

void free_packed(PyObject* capsule) {
  delete static_cast<KernelParameters*>(PyCapsule_GetPointer(capsule, capsule_name));
}

}  // namespace

int read_kernel_parameters(KernelParameters& parameters, PyObject* object, Place place) {
  if (object == Py_None) return 0;
  if (PyTuple_Check(object)) {
    if (PyTuple_GET_SIZE(object) == 2) {
      const Reference values{as_tuple(PyTuple_GET_ITEM(object, 0))};
      const Reference types{as_tuple(PyTuple_GET_ITEM(object, 1))};
      if (values && types) return pack_pairs(parameters, values.get(), types.get(), object, place);
      if (PyErr_Occurred() != nullptr) return -1;
    }
    return pack_values(parameters, object, place);
  }
  if (PyLong_Check(object) && !PyBool_Check(object)) {
    unsigned long long address = 0;
    if (unsigned_argument(object, UINTPTR_MAX, &address, place) < 0) return -1;
    parameters.data = reinterpret_cast<void**>(static_cast<uintptr_t>(address));
    return 0;
  }
  if (PyObject_CheckBuffer(object) == 0 || is_record(object)) return raise_type(place, object, accepted_forms);
  if (hold_buffer(parameters.view, object, ACCESS_NONE, SIZE_MAX, place) < 0) return -1;
  parameters.data = static_cast<void**>(parameters.view.buf);
  return 0;
}

PyObject* pack_kernel_parameters(PyObject* value, const char* record, const char* member, void*** address) {
  std::unique_ptr<KernelParameters> parameters(new (std::nothrow) KernelParameters);
  if (parameters == nullptr) return PyErr_NoMemory();
  if (read_kernel_parameters(*parameters, value, {record, member, -1, true}) < 0) return nullptr;
  *address = parameters->data;
  // Nothing of ours behind None and plain addresses.
  if (parameters->view.obj == nullptr && parameters->values == nullptr) return Py_NewRef(Py_None);
  PyObject* capsule = PyCapsule_New(parameters.get(), capsule_name, free_packed);
  if (capsule != nullptr) parameters.release();
  return capsule;
}

}  // namespace cuda_bindings
