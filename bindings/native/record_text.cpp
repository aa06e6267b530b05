// SPDX-License-Identifier: Apache-2.0
// Records as text and as dictionaries: one line per member, nested records indented.
#include <cstdio>

#include "native/handle.hpp"
#include "native/record_members.hpp"
#include "native/reference.hpp"

namespace cuda_bindings {
namespace {

bool is_nested(const FieldRow& field) { return field.kind == FieldKind::record && field.count == 0; }

// Whether the member points at a number that the host cannot read: one in device memory, most likely.
bool is_out_of_reach(const RecordObject* record, const FieldRow& field) {
  if (field.kind != FieldKind::handle_view) return false;
  const void* pointer = read_pointer(record->data + field.offset);
  std::uint64_t value = 0;
  return pointer != nullptr && !memory_read(pointer, &value, slot_size(handle_rows[field.type].kind));
}

// A list may lead to itself: then dots stand for it, as in a list of Python's.
PyObject* list_text(RecordObject* record, const FieldRow& field, PyObject* list) {
  const Keep* keep = memory_find(memory_of(record), offset_of(record) + field.offset);
  if (keep == nullptr) return PyObject_Repr(list);
  const Reference array = Reference::to(keep->object);
  const int entered = Py_ReprEnter(array.get());
  if (entered != 0) return entered < 0 ? nullptr : PyUnicode_FromString("[...]");
  PyObject* text = PyObject_Repr(list);
  Py_ReprLeave(array.get());
  return text;
}

// The text of one member's value; nullptr with an exception.
PyObject* value_text(RecordObject* record, const FieldRow& field) {
  if ((field.kind == FieldKind::address && field.count == 0) || is_out_of_reach(record, field)) {
    char address[32];
    std::snprintf(address, sizeof address, "0x%zx",
                  reinterpret_cast<std::size_t>(read_pointer(record->data + field.offset)));
    return PyUnicode_FromString(address);
  }
  const Reference value{member_get(record, field)};
  if (value) return is_list(field.kind) ? list_text(record, field, value.get()) : PyObject_Repr(value.get());
  if (!PyErr_ExceptionMatches(PyExc_ValueError)) return nullptr;
  PyErr_Clear();
  return PyUnicode_FromString("<ValueError>");
}

int append_lines(RecordObject* record, const std::string& indent, std::string* text);

int append_member(RecordObject* record, const FieldRow& field, const std::string& indent, std::string* text) {
  if (!text->empty()) *text += "\n";
  *text += indent + field.name + " :";
  if (is_nested(field)) {
    const Reference nested{member_get(record, field)};
    return nested ? append_lines(record_object(nested.get()), indent + "    ", text) : -1;
  }
  const Reference value{value_text(record, field)};
  if (!value) return -1;
  Py_ssize_t length = 0;
  const char* characters = PyUnicode_AsUTF8AndSize(value.get(), &length);
  if (characters == nullptr) return -1;
  *text += " ";
  text->append(characters, static_cast<std::size_t>(length));
  return 0;
}

int append_lines(RecordObject* record, const std::string& indent, std::string* text) {
  const RecordRow& row = members_row(record->type);
  for (std::uint16_t i = 0; i < row.field_count; ++i) {
    if (row.fields[i].hidden) continue;
    if (append_member(record, row.fields[i], indent, text) < 0) return -1;
  }
  return 0;
}

// Records inside a member's value become dictionaries too; handles no longer follow the record's memory.
PyObject* as_plain(PyObject* value) {
  if (is_record(value)) return record_to_dict(value, nullptr);
  if (is_handle(value)) return handle_new_object(handle_object(value)->type, handle_read(value));
  if (!PyList_CheckExact(value)) return Py_NewRef(value);
  Reference list{PyList_New(0)};
  for (Py_ssize_t i = 0; list && i < PyList_GET_SIZE(value); ++i) {
    const Reference item{as_plain(PyList_GET_ITEM(value, i))};
    if (!item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
  }
  return list.release();
}

}  // namespace

PyObject* record_show(PyObject* self) {
  std::string text;
  if (append_lines(record_object(self), "", &text) < 0) return nullptr;
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

namespace {

PyObject* dictionary_of(PyObject* self) {
  RecordObject* record = record_object(self);
  const RecordRow& row = members_row(record->type);
  Reference dictionary{PyDict_New()};
  for (std::uint16_t i = 0; dictionary && i < row.field_count; ++i) {
    const Reference value{member_get(record, row.fields[i])};
    const bool unread = value && is_out_of_reach(record, row.fields[i]);
    const Reference plain{unread ? Py_NewRef(value.get()) : value ? as_plain(value.get()) : nullptr};
    if (!plain || PyDict_SetItemString(dictionary.get(), row.fields[i].name, plain.get()) < 0) return nullptr;
  }
  return dictionary.release();
}

}  // namespace

PyObject* record_to_dict(PyObject* self, PyObject*) {
  if (Py_EnterRecursiveCall(" while making a dictionary of a record") != 0)
    return nullptr;  // lists may lead to themselves
  PyObject* dictionary = dictionary_of(self);
  Py_LeaveRecursiveCall();
  return dictionary;
}

}  // namespace cuda_bindings
