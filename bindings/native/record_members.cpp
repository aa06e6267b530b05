// SPDX-License-Identifier: Apache-2.0
// One way in for all members: the row's kind decides who reads and writes it.
#include "native/record_members.hpp"

#include "native/handle.hpp"

namespace cuda_bindings {
namespace {

enum class Family { array, record, handle, list, pointer, callback, scalar };

Family family_of(const FieldRow& field) {
  if (field.count > 0) return Family::array;
  switch (field.kind) {
    case FieldKind::record: return Family::record;
    case FieldKind::handle: return Family::handle;
    case FieldKind::record_list:
    case FieldKind::handle_list: return Family::list;
    case FieldKind::address:
    case FieldKind::kernel_parameters:
    case FieldKind::pointer:
    case FieldKind::text_pointer:
    case FieldKind::handle_view: return Family::pointer;
    case FieldKind::callback: return Family::callback;
    default: return Family::scalar;
  }
}

int set_record(RecordObject* record, const FieldRow& field, PyObject* value, const Where& where) {
  if (record_instance(value, field.type) == nullptr) {
    refuse(PyExc_TypeError, where, value, record_rows[field.type].name);
    return -1;
  }
  RecordObject* source = record_object(value);
  return memory_copy(memory_of(record), offset_of(record) + field.offset, memory_of(source), offset_of(source),
                     record_rows[field.type].size);
}

int set_handle(RecordObject* record, const FieldRow& field, PyObject* value, const Where& where) {
  std::uint64_t number = 0;
  if (handle_read_value(value, field.type, where, &number) < 0) return -1;
  write_slot(handle_rows[field.type].kind, record->data + field.offset, number);
  return 0;
}

}  // namespace

const RecordRow& members_row(int type) { return record_rows[record_tag(type)]; }

PyObject* member_get(RecordObject* record, const FieldRow& field) {
  char* data = record->data + field.offset;
  switch (family_of(field)) {
    case Family::array: return array_get(record, field);
    case Family::record: return record_view(field.type, data, memory_of(record));
    case Family::handle: return handle_view(field.type, data, record->memory);
    case Family::list: return list_get(record, field);
    case Family::pointer: return pointer_get(record, field);
    case Family::callback: return callback_get(record, field);
    case Family::scalar: return scalar_get(field, data);
  }
  Py_UNREACHABLE();
}

int member_set(RecordObject* record, const FieldRow& field, PyObject* value) {
  const Where where{record_rows[record->type].name, field.name, Where::Kind::member};
  if (value == nullptr) {
    complain(PyExc_NotImplementedError, where, "a struct's member cannot be deleted");
    return -1;
  }
  if (field.readonly) {
    complain(PyExc_AttributeError, where, "is read-only");
    return -1;
  }
  switch (family_of(field)) {
    case Family::array: return array_set(record, field, value, where);
    case Family::record: return set_record(record, field, value, where);
    case Family::handle: return set_handle(record, field, value, where);
    case Family::list: return list_set(record, field, value, where);
    case Family::pointer: return pointer_set(record, field, value, where);
    case Family::callback: return callback_set(record, field, value, where);
    case Family::scalar: return scalar_set(field, record->data + field.offset, value, where);
  }
  Py_UNREACHABLE();
}

}  // namespace cuda_bindings
