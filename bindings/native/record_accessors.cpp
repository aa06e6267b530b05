// SPDX-License-Identifier: Apache-2.0
// Members read and written by functions of their kind. Exact classes and ordinary values are dealt with here; whatever
// else a member takes goes the general way (member_get, member_set), which also says what is wrong.
#include "native/record_accessors.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "native/enumeration.hpp"
#include "native/handle.hpp"
#include "native/plain_numbers.hpp"
#include "native/record_views.hpp"
#include "native/sequence.hpp"

namespace cuda_bindings {
namespace {

const Member& member_in(void* closure) { return *static_cast<const Member*>(closure); }

char* data_of(PyObject* self, const Member& member) { return record_object(self)->data + member.offset; }

PyObject* get_any(PyObject* self, void* closure) { return member_get(record_object(self), *member_in(closure).field); }

int set_any(PyObject* self, PyObject* value, void* closure) {
  return member_set(record_object(self), *member_in(closure).field, value);
}

// Members need not be aligned in memory that the program named.
template <typename T>
T load(const char* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

template <typename T>
void store(char* data, T value) {
  std::memcpy(data, &value, sizeof value);
}

// ---- numbers -----------------------------------------------------------------------------------------------------

template <typename T>
PyObject* number_object(T value) {
  if constexpr (std::is_floating_point_v<T>) return PyFloat_FromDouble(static_cast<double>(value));
  // Of the two ways to an int this is the one that CPython has made quick.
  if constexpr (std::is_signed_v<T> || sizeof(T) < sizeof(long)) return PyLong_FromLong(static_cast<long>(value));
  if (value <= static_cast<T>(std::numeric_limits<long>::max())) [[likely]]
    return PyLong_FromLong(static_cast<long>(value));
  return PyLong_FromUnsignedLongLong(static_cast<unsigned long long>(value));
}

template <typename T>
PyObject* get_number(PyObject* self, void* closure) {
  return number_object(load<T>(data_of(self, member_in(closure))));
}

template <typename T>
int set_number(PyObject* self, PyObject* value, void* closure) {
  T number;
  if (value == nullptr || !read_plain_number(value, &number)) [[unlikely]]
    return set_any(self, value, closure);
  store(data_of(self, member_in(closure)), number);
  return 0;
}

// ---- addresses ---------------------------------------------------------------------------------------------------

PyObject* get_address(PyObject* self, void* closure) {
  return number_object(load<std::uint64_t>(data_of(self, member_in(closure))));
}

// A number into memory that keeps nothing: there is nothing to let go of.
int set_address(PyObject* self, PyObject* value, void* closure) {
  std::uint64_t address = 0;
  const bool usual = value != nullptr && memory_of(record_object(self)->memory)->keeps == nullptr &&
                     read_plain_number(value, &address);
  if (!usual) [[unlikely]]
    return set_any(self, value, closure);
  store(data_of(self, member_in(closure)), address);
  return 0;
}

// User data of a callable is read as the object that it is.
bool is_user_data(const RecordRow& row, const FieldRow& field) {
  return std::any_of(row.fields, row.fields + row.field_count, [&](const FieldRow& other) {
    return other.kind == FieldKind::callback && std::strcmp(other.count_field, field.name) == 0;
  });
}

// ---- arrays of numbers -------------------------------------------------------------------------------------------

template <typename T>
PyObject* get_numbers(PyObject* self, void* closure) {
  const Member& member = member_in(closure);
  const Py_ssize_t count = static_cast<Py_ssize_t>(member.field->count);
  PyObject* list = PyList_New(count);
  if (list == nullptr) return nullptr;
  const char* data = data_of(self, member);
  for (Py_ssize_t index = 0; index < count; ++index) {
    PyObject* number = number_object(load<T>(data + static_cast<std::size_t>(index) * sizeof(T)));
    if (number == nullptr) {
      Py_DECREF(list);
      return nullptr;
    }
    PyList_SET_ITEM(list, index, number);
  }
  return list;
}

// Extents of blocks and grids: their three numbers stay in registers.
template <typename T>
int set_three_numbers(PyObject* self, PyObject* const* items, PyObject* value, void* closure) {
  T numbers[3];
  if (!read_plain_number(items[0], &numbers[0]) || !read_plain_number(items[1], &numbers[1]) ||
      !read_plain_number(items[2], &numbers[2])) {
    return set_any(self, value, closure);
  }
  std::memcpy(data_of(self, member_in(closure)), numbers, sizeof numbers);
  return 0;
}

// A list or tuple of ordinary numbers, as many as the array has, is read in one pass: no Python code runs on the way,
// so that it cannot change meanwhile. Nothing is written unless all of it fits.
template <typename T>
int set_numbers(PyObject* self, PyObject* value, void* closure) {
  constexpr std::size_t most = 256;
  const std::size_t count = member_in(closure).field->count;
  const BorrowedItems items = value == nullptr ? BorrowedItems{} : borrowed_items(value);
  if (items.first == nullptr || items.size != count || count * sizeof(T) > most) return set_any(self, value, closure);
  if (count == 3) [[likely]]
    return set_three_numbers<T>(self, items.first, value, closure);
  T numbers[most / sizeof(T)];
  for (std::size_t index = 0; index < count; ++index) {
    if (!read_plain_number(items.first[index], &numbers[index])) return set_any(self, value, closure);
  }
  std::memcpy(data_of(self, member_in(closure)), numbers, count * sizeof(T));
  return 0;
}

// The same for bytes given as numbers. Bytes themselves take the general way, which is a copy.
int set_bytes(PyObject* self, PyObject* value, void* closure) {
  constexpr std::size_t most = 256;
  const Member& member = member_in(closure);
  const std::size_t count = member.field->count;
  const BorrowedItems items = value == nullptr ? BorrowedItems{} : borrowed_items(value);
  if (items.first == nullptr || items.size != count || count > most) return set_any(self, value, closure);
  std::uint8_t bytes[most];
  for (std::size_t index = 0; index < count; ++index) {
    if (!read_plain_number(items.first[index], &bytes[index])) return set_any(self, value, closure);
  }
  std::memcpy(data_of(self, member), bytes, count);
  return 0;
}

// ---- enumerations, handles and nested records --------------------------------------------------------------------

PyObject* get_enumeration(PyObject* self, void* closure) {
  const Member& member = member_in(closure);
  return enumeration_member_of(member.type, load<std::int32_t>(data_of(self, member)));
}

int set_enumeration(PyObject* self, PyObject* value, void* closure) {
  const Member& member = member_in(closure);
  std::uint32_t number = 0;
  const bool usual = value != nullptr && (Py_TYPE(value) == enumeration_types[member.type] || PyLong_CheckExact(value));
  if (!usual || !read_small_integer(value, &number)) [[unlikely]]
    return set_any(self, value, closure);
  store(data_of(self, member), number);
  return 0;
}

PyObject* get_view(PyObject* self, void* closure) { return record_member_view(self, member_in(closure)); }

template <typename T>
int set_handle(PyObject* self, PyObject* value, void* closure) {
  const Member& member = member_in(closure);
  if (value == nullptr || Py_TYPE(value) != handle_types[member.type]) [[unlikely]]
    return set_any(self, value, closure);
  store(data_of(self, member), load<T>(static_cast<const char*>(handle_object(value)->slot)));
  return 0;
}

// Where neither side keeps anything, the bytes are all that there is to copy.
int set_record(PyObject* self, PyObject* value, void* closure) {
  const Member& member = member_in(closure);
  const RecordObject* target = record_object(self);
  const bool usual = value != nullptr && Py_TYPE(value) == record_types[member.type] &&
                     memory_of(target->memory)->keeps == nullptr &&
                     memory_of(record_object(value)->memory)->keeps == nullptr;
  if (!usual) [[unlikely]]
    return set_any(self, value, closure);
  std::memmove(target->data + member.offset, record_object(value)->data, record_rows[member.type].size);
  return 0;
}

// ---- the choice --------------------------------------------------------------------------------------------------

struct Accessors {
  getter get = get_any;
  setter set = set_any;
};

template <typename T>
Accessors number_accessors(bool array) {
  if (array) return {get_numbers<T>, set_numbers<T>};
  return {get_number<T>, set_number<T>};
}

Accessors accessors_of(const RecordRow& row, const FieldRow& field) {
  const bool array = field.count > 0;
  switch (field.kind) {
    case FieldKind::i8: return number_accessors<std::int8_t>(array);
    case FieldKind::u8: return number_accessors<std::uint8_t>(array);
    case FieldKind::i16: return number_accessors<std::int16_t>(array);
    case FieldKind::u16: return number_accessors<std::uint16_t>(array);
    case FieldKind::i32: return number_accessors<std::int32_t>(array);
    case FieldKind::u32: return number_accessors<std::uint32_t>(array);
    case FieldKind::i64: return number_accessors<std::int64_t>(array);
    case FieldKind::u64: return number_accessors<std::uint64_t>(array);
    case FieldKind::f32: return number_accessors<float>(array);
    case FieldKind::f64: return number_accessors<double>(array);
    default: break;
  }
  if (is_text(field.kind)) return {get_any, set_bytes};
  if (array) return {};
  switch (field.kind) {
    case FieldKind::enumeration: return {get_enumeration, set_enumeration};
    case FieldKind::handle:
      return {get_view,
              slot_size(handle_rows[field.type].kind) == 4 ? set_handle<std::uint32_t> : set_handle<std::uint64_t>};
    case FieldKind::record: return {get_view, set_record};
    case FieldKind::kernel_parameters: return {get_address, set_any};
    case FieldKind::pointer: return {get_address, set_address};
    case FieldKind::address: return is_user_data(row, field) ? Accessors{} : Accessors{get_address, set_address};
    default: return {};
  }
}

}  // namespace

Member member_of(const RecordRow& row, const FieldRow& field, std::int16_t* views) {
  Accessors accessors = accessors_of(row, field);
  if (field.readonly) accessors.set = set_any;
  const bool has_view = field.count == 0 && (field.kind == FieldKind::handle || field.kind == FieldKind::record);
  const std::int16_t view = has_view ? (*views)++ : NO_VIEW;
  return {&field, accessors.get, accessors.set, field.offset, field.type, view};
}

}  // namespace cuda_bindings
