// SPDX-License-Identifier: Apache-2.0
// Values whose type an attribute decides: the void* of attribute getters and setters.
#include "native/api.hpp"

#include "native/arguments_attributes.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "native/arguments_errors.hpp"
#include "native/arguments_lists.hpp"
#include "native/arguments_numbers.hpp"
#include "native/arguments_objects.hpp"
#include "native/arguments_text.hpp"
#include "native/reference.hpp"

namespace cuda_bindings {

namespace {

// Drivers write past what they are given: some values are wider than documented, and the coredump getters put a NUL behind
// the last byte of a text (seen with driver 580). Every slot has this much zeroed room behind the value.
constexpr size_t spare_bytes = 16;

size_t value_size(const AttributeRow& row) {
  switch (row.kind) {
    case ValueKind::boolean: return sizeof(bool);
    case ValueKind::int32:
    case ValueKind::uint32:
    case ValueKind::float32:
    case ValueKind::bool32: return 4;
    case ValueKind::number_object:
    case ValueKind::handle: return slot_size(handle_rows[row.type].kind);
    case ValueKind::record: return record_rows[row.type].size;
    case ValueKind::text: return row.size;
    case ValueKind::int32_list: return 0;
    default: return 8;
  }
}

std::string known_attributes(int table) {
  return std::string("an attribute of ") + enumeration_rows[table].name + " whose type is known";
}

int raise_unsupported(int table, int attribute, Place place) {
  complain(PyExc_TypeError, where(place), "got " + std::to_string(attribute) + "; accepts " + known_attributes(table));
  return -1;
}

template <class T>
T stored(const void* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

PyObject* int32_list(const void* data, size_t bytes) {
  return number_list_from(NUMBER_INT, data, bytes / sizeof(std::int32_t));
}

PyObject* result_of(const AttributeRow& row, const void* data, size_t size) {
  switch (row.kind) {
    case ValueKind::int32: return PyLong_FromLong(stored<std::int32_t>(data));
    case ValueKind::uint32: return PyLong_FromUnsignedLong(stored<std::uint32_t>(data));
    case ValueKind::float32: return PyFloat_FromDouble(static_cast<double>(stored<float>(data)));
    case ValueKind::boolean: return PyBool_FromLong(stored<std::uint8_t>(data));
    case ValueKind::bool32: return PyBool_FromLong(stored<std::uint32_t>(data) != 0);
    case ValueKind::number_object:
    case ValueKind::handle: return handle_new_object(row.type, read_slot(handle_rows[row.type].kind, data));
    case ValueKind::record: return record_from(row.type, data);
    case ValueKind::text: {
      const char* text = static_cast<const char*>(data);
      return PyBytes_FromStringAndSize(text, static_cast<Py_ssize_t>(strnlen(text, size)));
    }
    case ValueKind::int32_list: return int32_list(data, size);
    default: return PyLong_FromUnsignedLongLong(stored<std::uint64_t>(data));
  }
}

void* take_slot(AttributeValue& value, size_t bytes) {
  if (bytes > SIZE_MAX - spare_bytes) return PyErr_NoMemory();
  value.data = value.memory.reserve(bytes + spare_bytes);
  if (value.data != nullptr) std::memset(value.data, 0, bytes + spare_bytes);
  return value.data;
}

template <class T>
int put(AttributeValue& value, T number) {
  if (take_slot(value, sizeof number) == nullptr) return -1;
  std::memcpy(value.data, &number, sizeof number);
  value.size = sizeof number;
  return 0;
}

int set_text(AttributeValue& value, PyObject* object, const AttributeRow& row, Place place) {
  Text text;
  if (read_text(text, object, false, place) < 0) return -1;
  const size_t length = std::strlen(text.data);
  if (length >= row.size) {
    const std::string accepted = "at most " + std::to_string(row.size - 1) + " bytes";
    return raise_value(place, object, "too long", accepted.c_str());
  }
  if (take_slot(value, length) == nullptr) return -1;
  std::memcpy(value.data, text.data, length);
  value.size = length;  // the driver adds the NUL
  return 0;
}

int set_truth(AttributeValue& value, PyObject* object, const AttributeRow& row, Place place) {
  long long number = 0;
  if (signed_argument(object, LLONG_MIN, LLONG_MAX, &number, place) < 0) return -1;
  if (row.kind == ValueKind::boolean) return put(value, static_cast<std::uint8_t>(number != 0));
  return put(value, static_cast<std::uint32_t>(number != 0));
}

int set_handle(AttributeValue& value, PyObject* object, const AttributeRow& row, Place place) {
  std::uint64_t number = 0;
  if (handle_read_value(object, row.type, where(place), &number) < 0) return -1;
  if (put(value, number) < 0) return -1;
  value.size = slot_size(handle_rows[row.type].kind);
  return 0;
}

int set_record(AttributeValue& value, PyObject* object, const AttributeRow& row, Place place) {
  void* memory = nullptr;
  if (record_read(object, row.type, false, where(place), &memory) < 0) return -1;
  const size_t size = record_rows[row.type].size;
  if (take_slot(value, size) == nullptr) return -1;
  std::memcpy(value.data, memory, size);
  value.size = size;
  value.held = Py_NewRef(object);
  return 0;
}

int set_unsigned(AttributeValue& value, PyObject* object, const AttributeRow& row, Place place) {
  unsigned long long number = 0;
  const unsigned long long highest = row.kind == ValueKind::uint32 ? UINT32_MAX : UINT64_MAX;
  if (unsigned_argument(object, highest, &number, place) < 0) return -1;
  return row.kind == ValueKind::uint32 ? put(value, static_cast<std::uint32_t>(number)) : put(value, number);
}

}  // namespace

namespace {

// Where the rows of each enumeration begin: values are mostly as dense as the rows.
struct AttributeIndex {
  AttributeIndex() {
    for (std::size_t at = attribute_row_count; at-- > 0;) first[attribute_rows[at].enumeration] = attribute_rows + at;
  }
  const AttributeRow* first[ENUM_COUNT] = {};
};

}  // namespace

const AttributeRow* find_attribute(int enumeration, int value) {
  static const AttributeIndex index;
  const AttributeRow* begin = index.first[enumeration];
  if (begin == nullptr) return nullptr;
  const AttributeRow* last = attribute_rows + attribute_row_count;
  const std::int64_t distance = std::int64_t{value} - begin->value;
  if (distance >= 0 && distance < last - begin) {
    const AttributeRow* likely = begin + distance;
    if (likely->enumeration == enumeration && likely->value == value) return likely;
  }
  for (const AttributeRow* row = begin; row != last && row->enumeration == enumeration; ++row) {
    if (row->value == value) return row;
  }
  return nullptr;
}

int prepare_attribute_get(AttributeValue& value, int table, int attribute, size_t byte_size, Place place) {
  value.row = find_attribute(table, attribute);
  if (value.row == nullptr) return raise_unsupported(table, attribute, place);
  const size_t natural = value_size(*value.row);
  if (take_slot(value, std::max(natural, byte_size)) == nullptr) return -1;
  value.size = byte_size != 0 ? byte_size : natural;
  return 0;
}

int prepare_attribute_set(AttributeValue& value, PyObject* object, int table, int attribute, Place place) {
  const AttributeRow* row = find_attribute(table, attribute);
  if (row == nullptr) return raise_unsupported(table, attribute, place);
  value.row = row;
  switch (row->kind) {
    case ValueKind::int32: {
      long long number = 0;
      if (signed_argument(object, INT32_MIN, INT32_MAX, &number, place) < 0) return -1;
      return put(value, static_cast<std::int32_t>(number));
    }
    case ValueKind::boolean:
    case ValueKind::bool32: return set_truth(value, object, *row, place);
    case ValueKind::number_object:
    case ValueKind::handle: return set_handle(value, object, *row, place);
    case ValueKind::record: return set_record(value, object, *row, place);
    case ValueKind::text: return set_text(value, object, *row, place);
    case ValueKind::int32_list: return raise_type(place, object, "an attribute that can be set");
    default: return set_unsigned(value, object, *row, place);
  }
}

PyObject* attribute_result(AttributeValue& value) { return result_of(*value.row, value.data, value.size); }

// One object for the whole plural call.
struct AttributeStorage {
  EnumerationList attributes;
  NumberList sizes;
  std::vector<void*> data;
  std::unique_ptr<AttributeValue[]> values;
};

namespace {

int fill(AttributeValues& values, PyObject* attributes, PyObject* sizes, size_t count, int table,
         Place attributes_place, Place sizes_place) {
  AttributeStorage& storage = *values.storage;
  const ListRules rules = {false, true, count, 0};
  if (read_enumeration_list(storage.attributes, attributes, table, rules, attributes_place) < 0) return -1;
  const bool has_sizes = sizes_place.name != nullptr;
  if (has_sizes && read_number_list(storage.sizes, sizes, NUMBER_SIZE, -1, rules, sizes_place) < 0) return -1;
  const size_t length = storage.attributes.size;
  storage.data.resize(length);
  storage.values = std::make_unique<AttributeValue[]>(length);
  for (size_t index = 0; index < length; ++index) {
    const size_t size = index < storage.sizes.size ? static_cast<size_t*>(storage.sizes.data)[index] : 0;
    AttributeValue& value = storage.values[index];
    const Place place = attributes_place.at(static_cast<Py_ssize_t>(index));
    if (prepare_attribute_get(value, table, storage.attributes.data[index], size, place) < 0) return -1;
    storage.data[index] = value.data;
  }
  values.attributes = storage.attributes.data;
  values.data = storage.data.data();
  values.sizes = static_cast<size_t*>(storage.sizes.data);
  return 0;
}

}  // namespace

int prepare_attributes(AttributeValues& values, PyObject* attributes, PyObject* sizes, size_t count, int table,
                       Place attributes_place, Place sizes_place) {
  try {
    values.storage = new AttributeStorage;
    return fill(values, attributes, sizes, count, table, attributes_place, sizes_place);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
    return -1;
  }
}

PyObject* attributes_result(AttributeValues& values) {
  const size_t length = values.storage->attributes.size;
  Reference list(PyList_New(static_cast<Py_ssize_t>(length)));
  if (!list) return nullptr;
  for (size_t index = 0; index < length; ++index) {
    PyObject* result = attribute_result(values.storage->values[index]);
    if (result == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(index), result);
  }
  return list.release();
}

void release_attributes(AttributeValues& values) {
  delete values.storage;
  values.storage = nullptr;
}

}  // namespace cuda_bindings
