// SPDX-License-Identifier: Apache-2.0
// Lists and tuples of ordinary elements as C arrays, in one pass and without a snapshot: no Python code runs on the way,
// so that nothing can change meanwhile. During the call itself nothing is held but what C reads or writes in place: a
// list of one handle or record. Elements that keep something alive go the general way, which holds them.
#include "native/api.hpp"

#include "native/arguments_plain_lists.hpp"

#include <algorithm>
#include <cstring>

#include "native/arguments_numbers.hpp"
#include "native/enumeration.hpp"
#include "native/handle.hpp"
#include "native/plain_numbers.hpp"
#include "native/record.hpp"
#include "native/sequence.hpp"

namespace cuda_bindings {

namespace {

// The elements of a list or tuple of a length that the rules allow; none for everything else.
BorrowedItems plain_items(PyObject* object, const ListRules& rules) {
  const BorrowedItems items = borrowed_items(object);
  const bool allowed = items.size != 0 && (rules.max_length == 0 || items.size <= rules.max_length) &&
                       (!rules.has_count || rules.count <= items.size);
  return allowed ? items : BorrowedItems{};
}

// Whether the handle's value is all that the callee needs: freeing the handle meanwhile would free nothing else.
bool is_value_alone(PyObject* handle) { return handle_object(handle)->keep == nullptr; }

bool keeps_nothing(PyObject* record) { return memory_of(record_object(record)->memory)->keeps == nullptr; }

template <class Check>
bool all_of(const BorrowedItems& items, Check check) {
  return std::all_of(items.first, items.first + items.size, check);
}

template <class T>
void copy_slots(const BorrowedItems& items, void* values) {
  for (size_t index = 0; index < items.size; ++index) {
    std::memcpy(static_cast<T*>(values) + index, handle_object(items.first[index])->slot, sizeof(T));
  }
}

// Numbers of Python's classes, and instances of `cls`: cuuint64_t and its like.
template <class T>
bool copy_numbers(const BorrowedItems& items, const PyTypeObject* cls, void* values) {
  for (size_t index = 0; index < items.size; ++index) {
    PyObject* item = items.first[index];
    T* target = static_cast<T*>(values) + index;
    if (read_plain_number(item, target)) continue;
    if (Py_TYPE(item) != cls) return false;
    std::memcpy(target, handle_object(item)->slot, sizeof(T));
  }
  return true;
}

struct NumberKind {
  size_t width;
  bool (*copy)(const BorrowedItems& items, const PyTypeObject* cls, void* values);
};

template <class T>
constexpr NumberKind kind_of = {sizeof(T), copy_numbers<T>};

// By NUMBER_*.
constexpr NumberKind number_kinds[] = {
    kind_of<int>,          kind_of<unsigned int>,  kind_of<short>,         kind_of<unsigned short>,
    kind_of<signed char>,  kind_of<unsigned char>, kind_of<std::uint64_t>, kind_of<std::int64_t>,
    kind_of<std::int64_t>, kind_of<std::uint64_t>, kind_of<float>,         kind_of<double>,
};
static_assert(sizeof number_kinds / sizeof number_kinds[0] == NUMBER_DOUBLE + 1);
static_assert(sizeof(long) == sizeof(std::int64_t) && sizeof(size_t) == sizeof(std::uint64_t));

}  // namespace

PlainList read_plain_handles(HandleList& list, PyObject* object, int type, const ListRules& rules) {
  const BorrowedItems items = plain_items(object, rules);
  const PyTypeObject* cls = handle_types[type];
  if (items.size == 0) return PlainList::other;
  if (items.size == 1) {
    if (Py_TYPE(items.first[0]) != cls) return PlainList::other;
    list.elements = Py_NewRef(items.first[0]);
    list.data = handle_object(list.elements)->slot;
    list.size = 1;
    return PlainList::read;
  }
  if (!all_of(items, [=](PyObject* item) { return Py_TYPE(item) == cls && is_value_alone(item); })) {
    return PlainList::other;
  }
  const size_t width = slot_size(handle_rows[type].kind);
  void* values = list.memory.reserve_items(items.size, width);
  if (values == nullptr) return PlainList::failed;
  if (width == 8) {
    copy_slots<std::uint64_t>(items, values);
  } else {
    copy_slots<std::uint32_t>(items, values);
  }
  list.data = values;
  list.size = items.size;
  return PlainList::read;
}

PlainList read_plain_records(RecordList& list, PyObject* object, int type, const ListRules& rules) {
  const BorrowedItems items = plain_items(object, rules);
  const PyTypeObject* cls = record_types[type];
  if (items.size == 0) return PlainList::other;
  if (!all_of(items, [=](PyObject* item) { return Py_TYPE(item) == cls && keeps_nothing(item); })) {
    return PlainList::other;
  }
  list.size = items.size;
  if (items.size == 1) {
    list.elements = Py_NewRef(items.first[0]);
    list.data = record_object(list.elements)->data;
    return PlainList::read;
  }
  const RecordRow& row = record_rows[type];
  char* records = static_cast<char*>(list.memory.reserve_items(items.size, row.size, row.align));
  if (records == nullptr) return PlainList::failed;
  for (size_t index = 0; index < items.size; ++index) {
    std::memcpy(records + index * row.size, record_object(items.first[index])->data, row.size);
  }
  list.data = records;
  return PlainList::read;
}

PlainList read_plain_enumerations(EnumerationList& list, PyObject* object, int type, const ListRules& rules) {
  const BorrowedItems items = plain_items(object, rules);
  const PyTypeObject* cls = enumeration_types[type];
  if (items.size == 0) return PlainList::other;
  int* values = static_cast<int*>(list.memory.reserve_items(items.size, sizeof(int)));
  if (values == nullptr) return PlainList::failed;
  for (size_t index = 0; index < items.size; ++index) {
    PyObject* item = items.first[index];
    std::uint32_t value = 0;
    const bool usual = Py_TYPE(item) == cls || PyLong_CheckExact(item);
    if (!usual || !read_small_integer(item, &value)) return PlainList::other;
    values[index] = static_cast<int>(value);
  }
  list.data = values;
  list.size = items.size;
  return PlainList::read;
}

PlainList read_plain_numbers(NumberList& list, PyObject* object, int number, int handle_type, const ListRules& rules) {
  const BorrowedItems items = plain_items(object, rules);
  if (items.size == 0 || static_cast<unsigned int>(number) > NUMBER_DOUBLE) return PlainList::other;
  const NumberKind& kind = number_kinds[number];
  const PyTypeObject* cls = nullptr;
  if (handle_type >= 0 && slot_size(HANDLE_KINDS[handle_type]) == kind.width) cls = handle_types[handle_type];
  const size_t room = std::max(items.size, rules.max_length);
  char* values = static_cast<char*>(list.memory.reserve_items(room, kind.width));
  if (values == nullptr) return PlainList::failed;
  if (!kind.copy(items, cls, values)) return PlainList::other;
  if (room > items.size) std::memset(values + items.size * kind.width, 0, (room - items.size) * kind.width);
  list.data = values;
  list.size = items.size;
  return PlainList::read;
}

PlainList read_plain_addresses(AddressList& list, PyObject* object, const ListRules& rules) {
  const BorrowedItems items = plain_items(object, rules);
  if (items.size == 0) return PlainList::other;
  void** addresses = static_cast<void**>(list.memory.reserve_items(items.size, sizeof(void*)));
  if (addresses == nullptr) return PlainList::failed;
  for (size_t index = 0; index < items.size; ++index) {
    PyObject* item = items.first[index];
    std::uint64_t value = 0;
    if (!read_plain_number(item, &value)) {
      if (!is_plain_handle(item) || !is_value_alone(item)) return PlainList::other;
      value = handle_read(item);
    }
    addresses[index] = reinterpret_cast<void*>(value);
  }
  list.data = addresses;
  list.size = items.size;
  return PlainList::read;
}

}  // namespace cuda_bindings
