// SPDX-License-Identifier: Apache-2.0
// Members that are C arrays: bytes for characters, lists for everything else. Nothing is written unless all of it fits.
#include <vector>

#include "native/handle.hpp"
#include "native/integer.hpp"
#include "native/record_members.hpp"
#include "native/reference.hpp"
#include "native/sequence.hpp"

namespace cuda_bindings {
namespace {

// cuda_bindings.errors.ArrayLengthError: the ValueError that a wrong length is, and the IndexError that the incumbent raises.
void refuse_length(const FieldRow& field, std::size_t got, const Where& where) {
  const Reference errors{PyImport_ImportModule("cuda_bindings.errors")};
  const Reference exception{errors ? PyObject_GetAttrString(errors.get(), "ArrayLengthError") : nullptr};
  if (!exception) return;
  complain(exception.get(), where,
           "got " + std::to_string(got) + " elements; accepts exactly " + std::to_string(field.count));
}

void refuse_elements(const FieldRow& field, PyObject* value, const Where& where) {
  refuse(PyExc_TypeError, where, value, "a sequence of " + std::to_string(field.count) + " elements");
}

// The elements as they are now: converting one may run code that changes the list. nullptr with an exception.
PyObject* elements_of(PyObject* value, const FieldRow& field, const Where& where) {
  if (PyUnicode_Check(value)) {
    refuse_elements(field, value, where);
    return nullptr;
  }
  PyObject* elements = cuda_bindings::elements_of(value);
  if (elements == nullptr && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    refuse_elements(field, value, where);
  }
  if (elements != nullptr && static_cast<std::size_t>(PyTuple_GET_SIZE(elements)) != field.count) {
    refuse_length(field, static_cast<std::size_t>(PyTuple_GET_SIZE(elements)), where);
    Py_CLEAR(elements);
  }
  return elements;
}

// ---- char[N] -----------------------------------------------------------------------------------------------------

int copy_text(const FieldRow& field, char* data, const char* text, std::size_t length, const Where& where) {
  if (length != field.count) {
    refuse_length(field, length, where);
    return -1;
  }
  std::memcpy(data, text, length);
  return 0;
}

int set_characters(const FieldRow& field, char* data, PyObject* value, const Where& where) {
  if (PyBytes_Check(value)) {
    return copy_text(field, data, PyBytes_AS_STRING(value), static_cast<std::size_t>(PyBytes_GET_SIZE(value)), where);
  }
  if (PyByteArray_Check(value)) {
    return copy_text(field, data, PyByteArray_AS_STRING(value), static_cast<std::size_t>(PyByteArray_GET_SIZE(value)),
                     where);
  }
  Reference elements{elements_of(value, field, where)};
  if (!elements) return -1;
  std::vector<char> characters(field.count);
  for (std::size_t i = 0; i < field.count; ++i) {
    const Py_ssize_t at = static_cast<Py_ssize_t>(i);
    std::int64_t number = 0;
    // C's char may have a sign or not: both ranges mean the same bytes.
    if (read_signed(PyTuple_GET_ITEM(elements.get(), at), -128, 255, where.element(at), &number) < 0) return -1;
    characters[i] = static_cast<char>(number);
  }
  std::memcpy(data, characters.data(), field.count);
  return 0;
}

PyObject* get_characters(const FieldRow& field, const char* data) {
  const std::size_t length = field.kind == FieldKind::text ? strnlen(data, field.count) : field.count;
  return PyBytes_FromStringAndSize(data, static_cast<Py_ssize_t>(length));
}

// ---- everything else ---------------------------------------------------------------------------------------------

bool is_pointer(const FieldRow& field) { return field.kind == FieldKind::address || field.kind == FieldKind::pointer; }

PyObject* get_element(RecordObject* record, const FieldRow& field, const char* data) {
  switch (field.kind) {
    case FieldKind::address:
    case FieldKind::pointer: return PyLong_FromVoidPtr(read_pointer(data));
    case FieldKind::handle: return handle_new_object(field.type, read_slot(handle_rows[field.type].kind, data));
    case FieldKind::record: {
      PyTypeObject* cls = record_type(field.type);
      return cls == nullptr ? nullptr : record_duplicate(cls, field.type, data, memory_of(record));
    }
    default: return scalar_get(field, data);
  }
}

// All of them at once: an element may lie in the array itself.
int set_records(RecordObject* record, const FieldRow& field, PyObject* elements, const Where& where) {
  const std::size_t size = scalar_size(field);
  MemoryObject* staged = memory_new(field.count * size, record_rows[field.type].align, NO_TYPE);
  const Reference owned{reinterpret_cast<PyObject*>(staged)};
  if (!owned) return -1;
  for (std::size_t i = 0; i < field.count; ++i) {
    const Py_ssize_t at = static_cast<Py_ssize_t>(i);
    PyObject* element = PyTuple_GET_ITEM(elements, at);
    if (record_instance(element, field.type) == nullptr) {
      refuse(PyExc_TypeError, where.element(at), element, record_rows[field.type].name);
      return -1;
    }
    RecordObject* source = record_object(element);
    if (memory_copy(staged, i * size, memory_of(source), offset_of(source), size) < 0) return -1;
  }
  return memory_copy(memory_of(record), offset_of(record) + field.offset, staged, 0, field.count * size);
}

int set_numbers(char* data, const FieldRow& field, PyObject* elements, const Where& where) {
  const std::size_t size = scalar_size(field);
  std::vector<char> converted(field.count * size);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(elements); ++i) {
    PyObject* element = PyTuple_GET_ITEM(elements, i);
    char* at = converted.data() + static_cast<std::size_t>(i) * size;
    if (field.kind == FieldKind::handle) {
      std::uint64_t value = 0;
      if (handle_read_value(element, field.type, where.element(i), &value) < 0) return -1;
      write_slot(handle_rows[field.type].kind, at, value);
    } else if (scalar_set(field, at, element, where.element(i)) < 0) {
      return -1;
    }
  }
  std::memcpy(data, converted.data(), converted.size());
  return 0;
}

}  // namespace

PyObject* array_get(RecordObject* record, const FieldRow& field) {
  const char* data = record->data + field.offset;
  if (is_text(field.kind)) return get_characters(field, data);
  Reference list{PyList_New(static_cast<Py_ssize_t>(field.count))};
  if (!list) return nullptr;
  for (std::size_t i = 0; i < field.count; ++i) {
    PyObject* element = get_element(record, field, data + i * scalar_size(field));
    if (element == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), element);
  }
  return list.release();
}

int array_set(RecordObject* record, const FieldRow& field, PyObject* value, const Where& where) {
  char* data = record->data + field.offset;
  if (is_text(field.kind)) return set_characters(field, data, value, where);
  Reference elements{elements_of(value, field, where)};
  if (!elements) return -1;
  if (field.kind == FieldKind::record) return set_records(record, field, elements.get(), where);
  if (is_pointer(field)) return pointers_set(record, field, elements.get(), where);
  return set_numbers(data, field, elements.get(), where);
}

}  // namespace cuda_bindings
