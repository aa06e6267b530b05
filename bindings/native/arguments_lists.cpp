// SPDX-License-Identifier: Apache-2.0
// List arguments: a snapshot of the elements, each checked, as a C array.
#include "native/api.hpp"

#include "native/arguments_lists.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "native/arguments_errors.hpp"
#include "native/arguments_numbers.hpp"
#include "native/arguments_objects.hpp"
#include "native/arguments_plain_lists.hpp"
#include "native/enumeration.hpp"
#include "native/sequence.hpp"

namespace cuda_bindings {

namespace {

// A tuple of the elements as they are now; NULL with an exception set.
PyObject* snapshot(PyObject* object, ListSource source, const AcceptedList& accepted, Place place) {
  if (source == ListSource::sequence && !PyTuple_Check(object) && !PyList_Check(object)) {
    raise_type(place, object, accepted.text().c_str());
    return nullptr;
  }
  PyObject* elements = PyUnicode_Check(object) ? nullptr : elements_of(object);
  if (elements == nullptr && (PyErr_Occurred() == nullptr || PyErr_ExceptionMatches(PyExc_TypeError))) {
    raise_type(place, object, accepted.text().c_str());
  }
  return elements;
}

PyObject* element_at(const ListOwner& list, size_t index) {
  return PyTuple_GET_ITEM(list.elements, static_cast<Py_ssize_t>(index));
}

// "CUstream" as an element error says it.
struct Accepted {
  explicit Accepted(const char* name) { std::snprintf(text, sizeof text, "instances of %.80s", name); }
  char text[96];
};

AcceptedList list_of(const char* name, const ListRules& rules) {
  return {"a list or tuple of ", name, rules.nullable ? ", or None" : ""};
}

}  // namespace

int take_elements(ListOwner& list, PyObject* object, const ListRules& rules, ListSource source,
                  const AcceptedList& accepted, Place place) {
  if (object != Py_None || !rules.nullable) {
    list.elements = snapshot(object, source, accepted, place);
    if (list.elements == nullptr) return -1;
    list.size = static_cast<size_t>(PyTuple_GET_SIZE(list.elements));
  }
  if (rules.max_length != 0 && list.size > rules.max_length) {
    complain(PyExc_ValueError, where(place),
             "got " + std::to_string(list.size) + " elements; accepts at most " + std::to_string(rules.max_length));
    return -1;
  }
  // A callee that reads more than there is would read past the end.
  if (rules.has_count && rules.count > list.size) return raise_too_short(place, list.size, rules.count);
  return 0;
}

int read_handle_list(HandleList& list, PyObject* object, int type, const ListRules& rules, Place place) {
  const PlainList plain = read_plain_handles(list, object, type, rules);
  if (plain != PlainList::other) return plain == PlainList::read ? 0 : -1;
  const HandleRow& row = handle_rows[type];
  if (take_elements(list, object, rules, ListSource::sequence, list_of(row.name, rules), place) < 0) return -1;
  if (list.size == 0) return 0;
  for (size_t index = 0; index < list.size; ++index) {
    PyObject* element = element_at(list, index);
    if (!handle_matches(element, type)) {
      return raise_type(place.at(static_cast<Py_ssize_t>(index)), element, Accepted(row.name).text);
    }
  }
  if (list.size == 1) {
    list.data = handle_object(element_at(list, 0))->slot;
    return 0;
  }
  const size_t width = slot_size(row.kind);
  char* values = static_cast<char*>(list.memory.reserve_items(list.size, width));
  if (values == nullptr) return -1;
  for (size_t index = 0; index < list.size; ++index) {
    std::memcpy(values + index * width, handle_slot(element_at(list, index)), width);
  }
  list.data = values;
  return 0;
}

int read_handle_pointer(HandleList& list, PyObject* object, int type, size_t count, Place place) {
  if (PyList_Check(object) || PyTuple_Check(object)) {
    return read_handle_list(list, object, type, {false, true, count, 0}, place);
  }
  if (handle_read_address(object, type, false, where(place), &list.data) < 0) return -1;
  // Behind the slot of one object lies no second handle. Where `_ptr` named the slot, what follows is the caller's word.
  const bool is_named = is_handle(object) && handle_object(object)->slot != &handle_object(object)->own &&
                        handle_object(object)->keep == nullptr;
  if (count > 1 && is_handle(object) && !is_named) return raise_too_short(place, 1, count);
  return 0;
}

int read_record_list(RecordList& list, PyObject* object, int type, const ListRules& rules, Place place) {
  const PlainList plain = read_plain_records(list, object, type, rules);
  if (plain != PlainList::other) return plain == PlainList::read ? 0 : -1;
  const RecordRow& row = record_rows[type];
  if (take_elements(list, object, rules, ListSource::sequence, list_of(row.name, rules), place) < 0) return -1;
  if (list.size == 0) return 0;
  for (size_t index = 0; index < list.size; ++index) {
    PyObject* element = element_at(list, index);
    if (record_instance(element, type) == nullptr) {
      return raise_type(place.at(static_cast<Py_ssize_t>(index)), element, Accepted(row.name).text);
    }
    if (record_check_lists(record_object(element), where(place.at(static_cast<Py_ssize_t>(index)))) < 0) return -1;
  }
  if (list.size == 1) {
    list.data = record_object(element_at(list, 0))->data;
    return 0;
  }
  char* records = static_cast<char*>(list.memory.reserve_items(list.size, row.size, row.align));
  if (records == nullptr) return -1;
  for (size_t index = 0; index < list.size; ++index) {
    std::memcpy(records + index * row.size, record_object(element_at(list, index))->data, row.size);
  }
  list.data = records;
  return 0;
}

int read_enumeration_list(EnumerationList& list, PyObject* object, int type, const ListRules& rules, Place place) {
  const PlainList plain = read_plain_enumerations(list, object, type, rules);
  if (plain != PlainList::other) return plain == PlainList::read ? 0 : -1;
  if (take_elements(list, object, rules, ListSource::iterable, list_of(enumeration_rows[type].name, rules), place) < 0)
    return -1;
  if (list.size == 0) return 0;
  int* values = static_cast<int*>(list.memory.reserve_items(list.size, sizeof(int)));
  if (values == nullptr) return -1;
  for (size_t index = 0; index < list.size; ++index) {
    const Place at = place.at(static_cast<Py_ssize_t>(index));
    if (enumeration_read_value(element_at(list, index), type, where(at), &values[index]) < 0) return -1;
  }
  list.data = values;
  return 0;
}

int read_number_list(NumberList& list, PyObject* object, int number, int handle_type, const ListRules& rules,
                     Place place) {
  const PlainList plain = read_plain_numbers(list, object, number, handle_type, rules);
  if (plain != PlainList::other) return plain == PlainList::read ? 0 : -1;
  const char* accepted =
      rules.nullable ? "a list or other iterable of numbers, or None" : "a list or other iterable of numbers";
  if (take_elements(list, object, rules, ListSource::iterable, accepted, place) < 0) return -1;
  if (list.size == 0) return 0;
  const size_t width = number_size(number);
  // A callee that goes by a rank instead of the length finds zeros behind the last element, not what the stack held.
  const size_t room = std::max(list.size, rules.max_length);
  char* values = static_cast<char*>(list.memory.reserve_items(room, width));
  if (values == nullptr) return -1;
  std::memset(values + list.size * width, 0, (room - list.size) * width);
  for (size_t index = 0; index < list.size; ++index) {
    PyObject* element = element_at(list, index);
    char* target = values + index * width;
    // cuuint64_t and its like convert by __index__ too; asked by type they cost nothing.
    if (handle_type >= 0 && Py_TYPE(element) == handle_types[handle_type] &&
        slot_size(handle_rows[handle_type].kind) == width) {
      std::memcpy(target, handle_slot(element), width);
      continue;
    }
    if (store_number(element, number, target, place.at(static_cast<Py_ssize_t>(index))) < 0) return -1;
  }
  list.data = values;
  return 0;
}

int read_color(Color& color, PyObject* object, Place place) {
  constexpr size_t channels = 4;
  if (PyFloat_Check(object) || PyLong_Check(object)) {
    if (store_number(object, NUMBER_FLOAT, &color.values[0], place) < 0) return -1;
    for (size_t index = 1; index < channels; ++index) color.values[index] = color.values[0];
    return 0;
  }
  NumberList list;
  if (read_number_list(list, object, NUMBER_FLOAT, -1, {false, false, 0, 0}, place) < 0) return -1;
  if (list.size != channels) {
    return raise_value(place, object, "wrong length", "four numbers, or one number for all four");
  }
  std::memcpy(color.values, list.data, sizeof color.values);
  return 0;
}

}  // namespace cuda_bindings
