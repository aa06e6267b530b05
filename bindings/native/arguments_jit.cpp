// SPDX-License-Identifier: Apache-2.0
// Options of the JIT compiler, linker and library loader: keys, and values that travel inside pointer slots.
#include "native/api.hpp"

#include "native/arguments_jit.hpp"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "native/arguments_address.hpp"
#include "native/arguments_ctypes.hpp"
#include "native/arguments_errors.hpp"
#include "native/arguments_lists.hpp"
#include "native/arguments_numbers.hpp"
#include "native/arguments_objects.hpp"
#include "native/arguments_text.hpp"
#include "native/attribute_rows.hpp"
#include "native/enumeration.hpp"

namespace cuda_bindings {

// What one option holds until the driver is done with it.
struct JitOption {
  const AttributeRow* row = nullptr;  // NULL: an option that these tables do not know, passed through as a number
  Address target;                     // where the driver's answer goes, in `format`; also a given record
  char format = 0;
  OutBuffer log;
  TextList texts;
  AddressList addresses;
};

struct JitStorage {
  EnumerationList keys;
  ListOwner values;
  std::vector<void*> slots;
  std::unique_ptr<JitOption[]> options;
  size_t count = 0;  // pairs
};

namespace {

constexpr char capsule_name[] = "cuda_bindings.jit_options";

bool is_number(const AttributeRow& row) {
  return row.kind == ValueKind::int32 || row.kind == ValueKind::uint32 || row.kind == ValueKind::float32 ||
         row.kind == ValueKind::enumeration || row.kind == ValueKind::none;
}

// One number in memory that can be written: a ctypes instance, an array of one element. 1 when held, 0, or -1.
int hold_target(JitOption& option, PyObject* object) {
  if (PyLong_Check(object) || PyFloat_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object)) return 0;
  if (PyObject_CheckBuffer(object) == 0) return 0;
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_ND | PyBUF_FORMAT | PyBUF_WRITABLE) < 0) {
    if (!ordinary_exception()) return -1;
    PyErr_Clear();
    return 0;
  }
  const char* format = view.format != nullptr ? view.format : "B";
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  const bool usable = view.len == view.itemsize && (view.len == 4 || view.len == 8) && *format != '\0' &&
                      format[1] == '\0' && std::strchr("iIlLqQfd", *format) != nullptr;
  if (!usable) {
    PyBuffer_Release(&view);
    return 0;
  }
  option.target.view = view;
  option.format = *format;
  return 1;
}

// The Python number in a held target: new reference or NULL.
PyObject* target_number(const JitOption& option) {
  const void* memory = option.target.view.buf;
  const bool wide = option.target.view.len == 8;
  switch (option.format) {
    case 'f': return number_list_from(NUMBER_FLOAT, memory, 1);
    case 'd': return number_list_from(NUMBER_DOUBLE, memory, 1);
    case 'i':
    case 'l':
    case 'q': return number_list_from(wide ? NUMBER_LONGLONG : NUMBER_INT, memory, 1);
    default: return number_list_from(wide ? NUMBER_ULONGLONG : NUMBER_UINT, memory, 1);
  }
}

int store_slot(void** slot, const AttributeRow& row, PyObject* object, Place place) {
  switch (row.kind) {
    case ValueKind::int32: {
      long long number = 0;
      if (signed_argument(object, INT_MIN, INT_MAX, &number, place) < 0) return -1;
      *slot = reinterpret_cast<void*>(static_cast<intptr_t>(number));
      return 0;
    }
    case ValueKind::float32: {
      double number = 0;
      if (real_argument(object, static_cast<double>(std::numeric_limits<float>::max()), &number, place) < 0) return -1;
      const float narrowed = static_cast<float>(number);
      std::memcpy(slot, &narrowed, sizeof narrowed);
      return 0;
    }
    case ValueKind::enumeration: {
      int number = 0;
      if (enumeration_read_value(object, row.type, where(place), &number) < 0) return -1;
      *slot = reinterpret_cast<void*>(static_cast<uintptr_t>(static_cast<unsigned>(number)));
      return 0;
    }
    default: {
      unsigned long long number = 0;
      if (unsigned_argument(object, UINT_MAX, &number, place) < 0) return -1;
      *slot = reinterpret_cast<void*>(static_cast<uintptr_t>(number));
      return 0;
    }
  }
}

int read_number_option(JitOption& option, void** slot, PyObject* object, Place place) {
  // An option without input (wall time, the context's target) needs no value.
  const bool optional = option.row->kind == ValueKind::float32 || option.row->kind == ValueKind::none;
  if (object == Py_None && optional) return 0;
  const int held = hold_target(option, object);
  if (held < 0) return -1;
  if (held == 0) return store_slot(slot, *option.row, object, place);
  PyObject* list = target_number(option);
  if (list == nullptr) return -1;
  const int stored = store_slot(slot, *option.row, PyList_GET_ITEM(list, 0), place);
  Py_DECREF(list);
  return stored;
}

// An option of a newer driver: its value goes as it is.
int read_unknown_option(void** slot, PyObject* object, Place place) {
  std::uint64_t number = 0;
  const int found = integer_address(object, &number);
  if (found < 0) return -1;
  if (found == 0) return raise_type(place, object, "an int: this option's type is not known here");
  *slot = reinterpret_cast<void*>(static_cast<uintptr_t>(number));
  return 0;
}

int read_log_buffer(JitOption& option, void** slot, PyObject* object, size_t needed, Place place) {
  if (object == Py_None) return 0;
  std::uint64_t address = 0;
  const int found = PyBytes_Check(object) || PyByteArray_Check(object) ? 0 : integer_address(object, &address);
  if (found < 0) return -1;
  if (found != 0) {
    *slot = reinterpret_cast<void*>(static_cast<uintptr_t>(address));
    return 0;
  }
  if (read_out_buffer(option.log, object, needed, place) < 0) return -1;
  *slot = option.log.data;
  return 0;
}

int read_record_pointer(JitOption& option, void** slot, PyObject* object, Place place) {
  if (object == Py_None) return 0;
  char* memory = record_instance(object, option.row->type);
  if (memory != nullptr) {
    *slot = memory;  // the snapshot of the values holds the object
    return 0;
  }
  PyObject* address = PyObject_CallMethod(object, "getPtr", nullptr);
  if (address == nullptr) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    address = Py_NewRef(object);
  }
  std::uint64_t number = 0;
  const int found = integer_address(address, &number);
  Py_DECREF(address);
  if (found < 0) return -1;
  if (found == 0) return raise_type(place, object, record_rows[option.row->type].name);
  *slot = reinterpret_cast<void*>(static_cast<uintptr_t>(number));
  return 0;
}

// What the option with the size, or the count, says; 0 where it is not given.
size_t partner_number(const JitStorage& storage, const AttributeRow& row) {
  size_t largest = 0;
  for (size_t index = 0; index < storage.count; ++index) {
    if (storage.keys.data[index] != row.partner) continue;
    std::uint32_t number = 0;
    std::memcpy(&number, &storage.slots[index], sizeof number);
    largest = std::max(largest, static_cast<size_t>(number));
  }
  return largest;
}

int read_pointer_option(JitStorage& storage, size_t index, PyObject* object, Place place) {
  JitOption& option = storage.options[index];
  void** slot = &storage.slots[index];
  const size_t partner = partner_number(storage, *option.row);
  const ListRules rules = {true, true, partner, 0};
  switch (option.row->kind) {
    case ValueKind::log_buffer: return read_log_buffer(option, slot, object, partner, place);
    case ValueKind::record_pointer: return read_record_pointer(option, slot, object, place);
    case ValueKind::text_list:
      if (read_text_list(option.texts, object, rules, place) < 0) return -1;
      *slot = option.texts.data;
      return 0;
    default:
      if (read_address_list(option.addresses, object, rules, place) < 0) return -1;
      *slot = option.addresses.data;
      return 0;
  }
}

int read_pairs(JitStorage& storage, int table, Place place) {
  // Numbers first: sizes decide how long the log buffers have to be.
  for (const bool numbers : {true, false}) {
    for (size_t index = 0; index < storage.count; ++index) {
      const Py_ssize_t position = static_cast<Py_ssize_t>(index);
      PyObject* object = PyTuple_GET_ITEM(storage.values.elements, position);
      JitOption& option = storage.options[index];
      option.row = find_attribute(table, storage.keys.data[index]);
      const bool number = option.row == nullptr || is_number(*option.row);
      if (number != numbers) continue;
      void** slot = &storage.slots[index];
      const int read = option.row == nullptr ? read_unknown_option(slot, object, place.at(position))
                       : numbers             ? read_number_option(option, slot, object, place.at(position))
                                             : read_pointer_option(storage, index, object, place.at(position));
      if (read < 0) return -1;
    }
  }
  return 0;
}

int fill(JitOptions& options, PyObject* keys, PyObject* values, size_t count, int table, Place keys_place,
         Place values_place) {
  JitStorage& storage = *options.storage;
  const ListRules rules = {true, true, count, 0};
  if (read_enumeration_list(storage.keys, keys, table, rules, keys_place) < 0) return -1;
  if (take_elements(storage.values, values, rules, ListSource::sequence, "a list or tuple of option values",
                    values_place) < 0) {
    return -1;
  }
  // Keys and values go in pairs; clients pass five keys and no values with a count of 0.
  storage.count = std::min(storage.keys.size, storage.values.size);
  if (storage.count == 0) return 0;
  storage.slots.resize(storage.count, nullptr);
  storage.options = std::make_unique<JitOption[]>(storage.count);
  if (read_pairs(storage, table, values_place) < 0) return -1;
  options.keys = storage.keys.data;
  options.values = storage.slots.data();
  return 0;
}

// Into the object that the program passed, in its own format.
void write_back(const JitOption& option, const void* slot) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, slot, sizeof bits);
  double real = 0;
  long long integer = 0;
  if (option.row->kind == ValueKind::float32) {
    float narrow = 0;
    std::memcpy(&narrow, &bits, sizeof narrow);
    real = static_cast<double>(narrow);
    integer = real >= 0 && real < 4294967296.0 ? static_cast<long long>(real) : 0;
  } else {
    integer = option.row->kind == ValueKind::int32 ? static_cast<long long>(static_cast<std::int32_t>(bits)) : bits;
    real = static_cast<double>(integer);
  }
  void* memory = option.target.view.buf;
  if (option.format == 'f') {
    const float narrow = static_cast<float>(real);
    std::memcpy(memory, &narrow, sizeof narrow);
  } else if (option.format == 'd') {
    std::memcpy(memory, &real, sizeof real);
  } else {
    std::memcpy(memory, &integer, static_cast<size_t>(option.target.view.len));
  }
}

void finish(const JitStorage& storage) {
  for (size_t index = 0; index < storage.count; ++index) {
    if (storage.options[index].format != 0) write_back(storage.options[index], &storage.slots[index]);
  }
}

void free_kept(PyObject* capsule) { delete static_cast<JitStorage*>(PyCapsule_GetPointer(capsule, capsule_name)); }

// handle_keep nests what it keeps in tuples.
void refresh(PyObject* kept) {
  if (kept == nullptr) return;
  if (PyCapsule_IsValid(kept, capsule_name) != 0) {
    finish(*static_cast<JitStorage*>(PyCapsule_GetPointer(kept, capsule_name)));
  } else if (PyTuple_CheckExact(kept)) {
    for (Py_ssize_t index = 0; index < PyTuple_GET_SIZE(kept); ++index) refresh(PyTuple_GET_ITEM(kept, index));
  }
}

}  // namespace

int read_jit_options(JitOptions& options, PyObject* keys, PyObject* values, size_t count, int table, Place keys_place,
                     Place values_place) {
  if (keys == Py_None && values == Py_None && count == 0) return 0;
  try {
    options.storage = new JitStorage;
    return fill(options, keys, values, count, table, keys_place, values_place);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
    return -1;
  }
}

int finish_jit_options(JitOptions& options) {
  finish(*options.storage);
  return 0;
}

int keep_jit_options(JitOptions& options, PyObject* handle) {
  PyObject* capsule = PyCapsule_New(options.storage, capsule_name, free_kept);
  if (capsule == nullptr) return -1;
  options.storage = nullptr;
  const int kept = handle_keep(handle, capsule);
  Py_DECREF(capsule);
  return kept;
}

int refresh_jit_options(PyObject* handle) {
  if (is_handle(handle)) refresh(handle_object(handle)->keep);
  return 0;
}

void release_jit_options(JitOptions& options) {
  delete options.storage;
  options.storage = nullptr;
}

}  // namespace cuda_bindings
