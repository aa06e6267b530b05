// SPDX-License-Identifier: Apache-2.0
// Kernel arguments: `void** kernelParams` of launches and of graph node records.
#include "native/api.hpp"

#include "native/arguments_kernel.hpp"

#include <climits>
#include <cstdio>
#include <limits>
#include <memory>
#include <new>

#include "native/arguments_address.hpp"
#include "native/arguments_ctypes.hpp"
#include "native/arguments_errors.hpp"
#include "native/arguments_numbers.hpp"
#include "native/arguments_numpy.hpp"
#include "native/arguments_objects.hpp"
#include "native/reference.hpp"
#include "native/registry.hpp"
#include "native/small_integer.hpp"

namespace cuda_bindings {

namespace {

using Slot = std::uint64_t;
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

// A handle whose value lies in the handle itself.
bool owns_value(PyObject* object) {
  return is_plain_handle(object) && handle_object(object)->slot == &handle_object(object)->own;
}

// A float itself for a C type of floating point, where it fits; false where the general way must look.
bool put_real(Slot* slot, PyObject* value, const Ctype& ctype) {
  if (!PyFloat_CheckExact(value) || ctype.kind != CtypeKind::real) return false;
  const double number = PyFloat_AS_DOUBLE(value);
  if (ctype.size == sizeof number) {
    std::memcpy(slot, &number, sizeof number);
    return true;
  }
  constexpr double largest = std::numeric_limits<float>::max();
  if (!(number >= -largest && number <= largest)) return false;  // too large, infinite or not a number
  const float narrowed = static_cast<float>(number);
  std::memcpy(slot, &narrowed, sizeof narrowed);
  return true;
}

// An address in the lower half, where all of a process's memory lies.
bool usual_address(PyObject* integer, unsigned long long* address) {
  int overflow = 0;
  const long long number = PyLong_CheckExact(integer) ? PyLong_AsLongLongAndOverflow(integer, &overflow) : -1;
  *address = static_cast<unsigned long long>(number);
  return number >= 0 && overflow == 0;
}

// A number of 1, 2, 4 or 8 bytes.
void put_number(Slot* slot, const void* memory, size_t size) {
  if (size == 8) {
    std::memcpy(slot, memory, 8);
  } else if (size == 4) {
    std::memcpy(slot, memory, 4);
  } else {
    std::memcpy(slot, memory, size);
  }
}

// Puts one argument after the other into the memory of a KernelParameters.
class Packer {
 public:
  // first: the element of kernelParams that index 0 stands for. `place` must outlive the object.
  Packer(KernelParameters& parameters, const Place& place, Py_ssize_t first = 0)
      : parameters_(parameters), place_(place), first_(first) {}

  // types: nullptr where each value must know its own. Once per object.
  int pack(PyObject* const* values, PyObject* const* types, Py_ssize_t count);
  int pack(PyObject* values, PyObject* types);  // tuples

 private:
  Place place_at(Py_ssize_t index) const { return place_.at(first_ + index); }
  Slot* slot(Py_ssize_t index) {
    addresses_[index] = &slots_[index];
    return &slots_[index];
  }
  int pack_values(PyObject* const* values, Py_ssize_t count);
  int pack_pairs(PyObject* const* values, PyObject* const* types, Py_ssize_t count);
  Py_ssize_t pack_handles(PyObject* const* values, PyObject* const* types, Py_ssize_t index, Py_ssize_t count);
  Py_ssize_t pack_small(PyObject* const* values, PyObject* const* types, Py_ssize_t index, Py_ssize_t count);
  Py_ssize_t pack_numbers(PyObject* const* values, PyObject* const* types, Py_ssize_t index, Py_ssize_t count);
  int typed(Py_ssize_t index, PyObject* value, PyObject* type);
  int self_describing(Py_ssize_t index, PyObject* value);
  int other_self_describing(Py_ssize_t index, PyObject* value);
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
  const Place& place_;
  Py_ssize_t first_;
  void** addresses_ = nullptr;
  Slot* slots_ = nullptr;
};

// A copy: neither ctypes.resize nor another thread can take the memory away while the launch reads it.
int Packer::by_value(Py_ssize_t index, const void* memory, size_t size) {
  if (size <= sizeof(Slot)) {
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
    return raise_type(place_at(index), value, accepted_value);
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
                         : raise_type(place_at(index), value, accepted_value);
  Py_DECREF(memory);
  return packed;
}

// Enumerations of the headers are C ints, signed or not.
int Packer::enumeration(Py_ssize_t index, PyObject* value) {
  PyObject* number = PyLong_Check(value) ? Py_NewRef(value) : PyObject_GetAttrString(value, "value");
  if (number == nullptr) return -1;
  long long read = 0;
  const int done = signed_argument(number, INT_MIN, UINT_MAX, &read, place_at(index));
  Py_DECREF(number);
  if (done < 0) return -1;
  const std::uint32_t narrowed = static_cast<std::uint32_t>(read);
  return by_value(index, &narrowed, sizeof narrowed);
}

// Numbers of NumPy's and ctypes' own classes are read where they lie, everything else by what the object says.
int Packer::self_describing(Py_ssize_t index, PyObject* value) {
  const NumpyClasses* const numpy = known_numpy_classes.load(std::memory_order_acquire);
  if (numpy != nullptr && numpy->numbers.find(Py_TYPE(value)) != nullptr) {
    std::memcpy(slot(index), numpy_value(value), sizeof(Slot));
    return 0;
  }
  const CtypesTable* const ctypes = known_ctypes_table.load(std::memory_order_acquire);
  const Ctype* const ctype = ctypes != nullptr ? ctypes->exact.find(Py_TYPE(value)) : nullptr;
  const void* memory = nullptr;
  if (ctype != nullptr && ctypes_memory(*ctypes, *ctype, value, &memory)) {
    put_number(slot(index), memory, ctype->size);
    return 0;
  }
  return other_self_describing(index, value);
}

int Packer::other_self_describing(Py_ssize_t index, PyObject* value) {
  const ClassKind kind = find_class_or_base(Py_TYPE(value)).kind;
  if (kind == ClassKind::handle) return by_value(index, handle_slot(value), slot_size(handle_kind(value)));
  if (kind == ClassKind::record) return by_address(index, reinterpret_cast<std::uint64_t>(record_object(value)->data));
  if (PyLong_CheckExact(value) || PyFloat_CheckExact(value) || PyBool_Check(value) || value == Py_None) {
    return raise_type(place_at(index), value, accepted_value);
  }
  const CtypesTable* const ctypes = ctypes_table();
  if (ctypes != nullptr && is_ctypes_value(*ctypes, value)) return buffer_by_value(index, value);
  if (is_numpy_scalar(value)) return numpy_scalar(index, value);
  std::uint64_t address = 0;
  int found = get_pointer(value, &address, place_at(index));
  if (found > 0 && address == 0) {  // the driver would read there
    return raise_value(place_at(index), value, "its getPtr() gave 0",
                       "an object whose getPtr() says where its value is");
  }
  if (found != 0) return found < 0 ? -1 : by_address(index, address);
  found = array_interface_pointer(value, &address, place_at(index));
  if (found != 0) return found < 0 ? -1 : by_value(index, &address, sizeof address);
  found = is_enum_member(value);
  if (found != 0) return found < 0 ? -1 : enumeration(index, value);
  return raise_type(place_at(index), value, accepted_value);
}

// What c_void_p makes of a value: 0, or -1 with an exception set.
int Packer::pointer_value(Py_ssize_t index, PyObject* value, std::uint64_t* address) {
  constexpr char accepted[] =
      "an int, c_void_p, None, or an object with getPtr() or __cuda_array_interface__, for c_void_p";
  const Place place = place_at(index);
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
  const CtypesTable& ctypes = *ctypes_table();
  if (PyObject_TypeCheck(value, ctypes.simple) != 0) {
    const Ctype* ctype = find_ctype(ctypes, reinterpret_cast<PyObject*>(Py_TYPE(value)));
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
  const CtypesTable* const ctypes = ctypes_table();
  const Ctype* ctype = ctypes != nullptr ? find_ctype(*ctypes, type) : nullptr;
  if (ctype == nullptr) {
    return raise_error(PyExc_TypeError, place_at(index), type, "unsupported type",
                       "a ctypes number class, c_void_p or None");
  }
  const void* memory = nullptr;
  if (Py_TYPE(value) == ctype->type && ctypes_memory(*ctypes, *ctype, value, &memory)) {
    put_number(slot(index), memory, ctype->size);
    return 0;
  }
  if (ctype->kind == CtypeKind::pointer) return pointer(index, value);
  return store_ctype(*ctypes, value, *ctype, slot(index), place_at(index));
}

// The parts of packing are one function: a call of each would cost as much as an argument.

// Handles, for which types may be nullptr, from `index` on: the index of the first value that is none. Most arguments
// are handles, and cost a few instructions each: nothing else is looked at in the loop.
[[gnu::always_inline]] inline Py_ssize_t Packer::pack_handles(PyObject* const* values, PyObject* const* types,
                                                              Py_ssize_t index, Py_ssize_t count) {
  PyObject* const none = Py_None;
  void** const addresses = addresses_;
  Slot* const slots = slots_;
  for (; index < count; ++index) {
    PyObject* const value = values[index];
    if (!owns_value(value) || (types != nullptr && types[index] != none)) break;
    slots[index] = handle_object(value)->own;
    addresses[index] = &slots[index];
  }
  return index;
}

int Packer::pack_values(PyObject* const* values, Py_ssize_t count) {
  for (Py_ssize_t index = 0; (index = pack_handles(values, nullptr, index, count)) < count; ++index) {
    if (self_describing(index, values[index]) < 0) return -1;
  }
  return 0;
}

// Ints of one digit whose types are the type of the first, which any of them fits: the index of the first other value.
[[gnu::always_inline]] inline Py_ssize_t Packer::pack_small(PyObject* const* values, PyObject* const* types,
                                                            Py_ssize_t index, Py_ssize_t count) {
  PyObject* const type = types[index];
  void** const addresses = addresses_;
  Slot* const slots = slots_;
  for (; index < count && types[index] == type; ++index) {
    std::uint32_t small = 0;
    if (!PyLong_CheckExact(values[index]) || !read_small_integer(values[index], &small)) break;
    slots[index] = small;
    addresses[index] = &slots[index];
  }
  return index;
}

// The usual numbers of ctypes' own classes, from `index` on: the index of the first value that is none.
[[gnu::always_inline]] inline Py_ssize_t Packer::pack_numbers(PyObject* const* values, PyObject* const* types,
                                                              Py_ssize_t index, Py_ssize_t count) {
  const CtypesTable* const ctypes = known_ctypes_table.load(std::memory_order_acquire);
  while (ctypes != nullptr && index < count && types[index] != Py_None) {
    const Ctype* const ctype = ctypes->exact.find(reinterpret_cast<PyTypeObject*>(types[index]));
    if (ctype == nullptr) break;
    const Py_ssize_t before = index;
    if (ctype->takes_small) index = pack_small(values, types, index, count);
    if (index != before) continue;
    if (!put_real(&slots_[index], values[index], *ctype)) break;
    addresses_[index] = &slots_[index];
    ++index;
  }
  return index;
}

[[gnu::always_inline]] inline int Packer::pack_pairs(PyObject* const* values, PyObject* const* types,
                                                     Py_ssize_t count) {
  Py_ssize_t index = 0;
  while (index < count) {
    const Py_ssize_t before = index;
    index = pack_handles(values, types, index, count);
    index = pack_numbers(values, types, index, count);
    if (index != before) continue;
    if (typed(index, values[index], types[index]) < 0) return -1;
    ++index;
  }
  return 0;
}

int Packer::pack(PyObject* const* values, PyObject* const* types, Py_ssize_t count) {
  const size_t size = static_cast<size_t>(count);
  addresses_ = static_cast<void**>(parameters_.memory.reserve_items(size, sizeof(void*) + sizeof(Slot)));
  if (addresses_ == nullptr) return -1;
  slots_ = reinterpret_cast<Slot*>(addresses_ + size);
  parameters_.data = addresses_;
  return types != nullptr ? pack_pairs(values, types, count) : pack_values(values, count);
}

int Packer::pack(PyObject* values, PyObject* types) {
  const Py_ssize_t count = PyTuple_GET_SIZE(values);
  if (count == 0) return 0;
  return pack(&PyTuple_GET_ITEM(values, 0), types != nullptr ? &PyTuple_GET_ITEM(types, 0) : nullptr, count);
}

bool is_sequence(PyObject* object) { return PyTuple_Check(object) || PyList_Check(object); }

int check_lengths(PyObject* values, PyObject* types, PyObject* object, const Place& place) {
  if (PyTuple_GET_SIZE(values) == PyTuple_GET_SIZE(types)) [[likely]]
    return 0;
  return raise_error(PyExc_TypeError, place, object, "tuples of different length", "as many types as values");
}

// (values, types), of which lists are taken as they are now, for reading their elements may change them: 1; 0 where the
// tuple is no such pair, -1.
[[gnu::noinline]] int snapshot_pair(PyObject* object, Reference& values, Reference& types, const Place& place) {
  if (PyTuple_GET_SIZE(object) != 2 || !is_sequence(PyTuple_GET_ITEM(object, 0)) ||
      !is_sequence(PyTuple_GET_ITEM(object, 1))) {
    return 0;
  }
  values = Reference(PySequence_Tuple(PyTuple_GET_ITEM(object, 0)));
  types = Reference(values ? PySequence_Tuple(PyTuple_GET_ITEM(object, 1)) : nullptr);
  return types && check_lengths(values.get(), types.get(), object, place) == 0 ? 1 : -1;
}

[[gnu::noinline]] int pack_snapshot(KernelParameters& parameters, PyObject* object, const Place& place) {
  Reference values;
  Reference types;
  const int pair = snapshot_pair(object, values, types, place);
  if (pair < 0) return -1;
  if (pair == 0) values = Reference::to(object);
  parameters.values = values.release();
  return Packer(parameters, place).pack(parameters.values, types.get());
}

// kernelParams as a tuple: the caller keeps it, and with it the tuples that it holds.
int pack_tuple(KernelParameters& parameters, PyObject* object, const Place& place) {
  if (PyTuple_GET_SIZE(object) != 2) return Packer(parameters, place).pack(object, nullptr);
  PyObject* const values = PyTuple_GET_ITEM(object, 0);
  PyObject* const types = PyTuple_GET_ITEM(object, 1);
  if (!PyTuple_CheckExact(values) || !PyTuple_CheckExact(types)) return pack_snapshot(parameters, object, place);
  if (check_lengths(values, types, object, place) < 0) return -1;
  return Packer(parameters, place).pack(values, types);
}

constexpr char capsule_name[] = "cuda_bindings.kernel_parameters";

void free_packed(PyObject* capsule) {
  delete static_cast<KernelParameters*>(PyCapsule_GetPointer(capsule, capsule_name));
}

}  // namespace

int kernel_argument_tuples(PyObject* object, Reference& values, Reference& types, Place place) {
  if (!PyTuple_Check(object)) return 0;
  const int pair = snapshot_pair(object, values, types, place);
  if (pair == 0) values = Reference::to(object);
  return pair < 0 ? -1 : 1;
}

int pack_kernel_argument(PackedArgument& packed, PyObject* value, PyObject* type, Py_ssize_t index, Place place) {
  KernelParameters parameters;
  if (Packer(parameters, place, index).pack(&value, type != nullptr ? &type : nullptr, 1) < 0) return -1;
  const void* const slot = parameters.data + 1;
  packed.address = parameters.data[0];
  if (packed.address == slot) {
    std::memcpy(&packed.slot, slot, sizeof packed.slot);
    packed.address = nullptr;
  }
  if (parameters.copies != nullptr) packed.copy = Reference::to(PyList_GET_ITEM(parameters.copies, 0));
  return 0;
}

int read_kernel_parameters(KernelParameters& parameters, PyObject* object, Place place) {
  if (object == Py_None) return 0;
  if (PyTuple_Check(object)) return pack_tuple(parameters, object, place);
  if (PyLong_Check(object) && !PyBool_Check(object)) {
    unsigned long long address = 0;
    if (!usual_address(object, &address) && unsigned_argument(object, UINTPTR_MAX, &address, place) < 0) return -1;
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
  if (parameters->values == nullptr && parameters->data != nullptr && PyTuple_Check(value)) {
    parameters->values = Py_NewRef(value);
  }
  // Nothing of ours behind None and plain addresses.
  if (parameters->view.obj == nullptr && parameters->values == nullptr) return Py_NewRef(Py_None);
  PyObject* capsule = PyCapsule_New(parameters.get(), capsule_name, free_packed);
  if (capsule != nullptr) parameters.release();
  return capsule;
}

}  // namespace cuda_bindings
