// SPDX-License-Identifier: Apache-2.0
// Members that point at arrays: lists in Python. The array belongs to the record; its elements stay alive with whoever
// holds one, so a list may be replaced while its elements are in use.
#include <vector>

#include "native/handle.hpp"
#include "native/record_members.hpp"
#include "native/reference.hpp"
#include "native/sequence.hpp"

namespace cuda_bindings {
namespace {

constexpr std::uint64_t MOST_GRAPHS = 1 << 16;

KeepKind keep_kind(const FieldRow& field) {
  return field.kind == FieldKind::record_list ? KeepKind::record_list : KeepKind::handle_list;
}

// What the elements' class is worth as a C type.
std::int16_t element_type(const FieldRow& field) {
  return field.kind == FieldKind::record_list ? static_cast<std::int16_t>(record_tag(field.type)) : field.type;
}

std::size_t element_size(const FieldRow& field) {
  if (field.kind == FieldKind::record_list) return record_rows[field.type].size;
  return slot_size(handle_rows[field.type].kind);
}

PyObject* element_view(const FieldRow& field, char* data, PyObject* array) {
  if (field.kind == FieldKind::record_list) return record_view(field.type, data, memory_of(array));
  return handle_view(field.type, data, array);
}

// The array as it was assigned through this member; nullptr if the pointer leads anywhere else.
const Keep* assigned(RecordObject* record, const FieldRow& field) {
  const Keep* keep = memory_find(memory_of(record), offset_of(record) + field.offset);
  if (keep == nullptr || keep->kind != keep_kind(field) || keep->type != element_type(field)) return nullptr;
  return keep;
}

const FieldRow* sibling(const RecordObject* record, const char* name) {
  const RecordRow& row = members_row(record->type);
  for (std::uint16_t i = 0; i < row.field_count; ++i) {
    if (std::strcmp(row.fields[i].name, name) == 0) return &row.fields[i];
  }
  return nullptr;
}

// Whether a conditional node's parameters are what their memory holds: in the union of all nodes' parameters its `type`
// says so, and anything else there is no pointer.
bool holds_conditional(const RecordObject* record) {
  constexpr std::int32_t CONDITIONAL = 13;  // CU_GRAPH_NODE_TYPE_CONDITIONAL, cudaGraphNodeTypeConditional
  const MemoryObject* memory = memory_of(record->memory);
  const int tag = memory->type == NO_TYPE ? NO_TYPE : record_tag(memory->type);
  if (tag != RECORD_CUgraphNodeParams_st && tag != RECORD_cudaGraphNodeParams) return true;
  std::int32_t type = 0;
  std::memcpy(&type, memory->data, sizeof type);
  return type == CONDITIONAL;
}

// phGraph_out: as many graphs as `size` says, NULL ones before the driver has made them.
PyObject* driver_handles(RecordObject* record, const FieldRow& field) {
  const FieldRow* count_field = field.count_field == nullptr ? nullptr : sibling(record, field.count_field);
  if (count_field == nullptr || !holds_conditional(record)) return PyList_New(0);
  std::uint64_t count = 0;
  std::memcpy(&count, record->data + count_field->offset, scalar_size(*count_field));
  const Where where{record_rows[record->type].name, field.name, Where::Kind::member};
  if (count > MOST_GRAPHS) {
    complain(PyExc_ValueError, where,
             std::string(field.count_field) + " is " + std::to_string(count) + ", more than any list of handles");
    return nullptr;
  }
  std::vector<std::uint64_t> values(static_cast<std::size_t>(count));
  const void* array = read_pointer(record->data + field.offset);
  if (array != nullptr && !memory_read(array, values.data(), values.size() * sizeof(std::uint64_t))) {
    complain(PyExc_ValueError, where, "points to no memory");
    return nullptr;
  }
  return handle_list(field.type, values.data(), values.size());
}

int fill_records(MemoryObject* array, const FieldRow& field, PyObject* elements, const Where& where) {
  const std::size_t size = element_size(field);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(elements); ++i) {
    PyObject* element = PyTuple_GET_ITEM(elements, i);
    if (record_instance(element, field.type) == nullptr) {
      refuse(PyExc_TypeError, where.element(i), element, record_rows[field.type].name);
      return -1;
    }
    RecordObject* source = record_object(element);
    const std::size_t offset = static_cast<std::size_t>(i) * size;
    if (memory_copy(array, offset, memory_of(source), offset_of(source), size) < 0) return -1;
  }
  return 0;
}

int fill_handles(MemoryObject* array, const FieldRow& field, PyObject* elements, const Where& where) {
  const HandleKind kind = handle_rows[field.type].kind;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(elements); ++i) {
    std::uint64_t value = 0;
    if (handle_read_value(PyTuple_GET_ITEM(elements, i), field.type, where.element(i), &value) < 0) return -1;
    write_slot(kind, array->data + static_cast<std::size_t>(i) * slot_size(kind), value);
  }
  return 0;
}

// The elements as they are now. An empty tuple for None.
PyObject* elements_of(PyObject* value, const FieldRow& field, const Where& where) {
  if (value == Py_None) return PyTuple_New(0);
  if (PyList_Check(value) || PyTuple_Check(value)) return cuda_bindings::elements_of(value);
  const char* name = field.kind == FieldKind::record_list ? record_rows[field.type].name : handle_rows[field.type].name;
  refuse(PyExc_TypeError, where, value, std::string("a list or tuple of ") + name + ", or None");
  return nullptr;
}

// Where the member that counts a list lies.
void set_counter(Keep& keep, const RecordObject* record, const FieldRow& field) {
  const FieldRow* counter = field.count_field == nullptr ? nullptr : sibling(record, field.count_field);
  if (counter == nullptr) return;
  keep.field = &field;
  keep.count_distance = static_cast<std::ptrdiff_t>(counter->offset) - static_cast<std::ptrdiff_t>(field.offset);
  keep.count_width = static_cast<std::uint8_t>(scalar_size(*counter));
}

// What that member says.
std::uint64_t counted(const MemoryObject* memory, const Keep& keep) {
  std::uint64_t count = 0;
  const char* at = memory->data + static_cast<std::ptrdiff_t>(keep.offset) + keep.count_distance;
  std::memcpy(&count, at, keep.count_width);
  return count;
}

}  // namespace

int record_check_lists(const RecordObject* record, const Where& where) {
  const MemoryObject* memory = memory_of(record->memory);
  if (memory->keeps == nullptr) return 0;
  const std::size_t begin = offset_of(record);
  const std::size_t end = begin + record_rows[record->type].size;
  for (const Keep& keep : *memory->keeps) {
    if (keep.count_width == 0 || keep.offset < begin || keep.offset >= end) continue;
    if (memory_find(memory, keep.offset) != &keep) continue;  // not what the pointer leads to any more
    const std::uint64_t count = counted(memory, keep);
    if (count <= keep.count) continue;
    const Reference errors{PyImport_ImportModule("cuda_bindings.errors")};
    const Reference exception{errors ? PyObject_GetAttrString(errors.get(), "ListTooShortError") : nullptr};
    if (!exception) return -1;
    complain(exception.get(), where,
             "got " + std::to_string(keep.count) + (keep.count == 1 ? " element" : " elements") + " in its " +
                 keep.field->name + "; accepts a list of at least " + std::to_string(count) + ", which is its " +
                 keep.field->count_field);
    return -1;
  }
  return 0;
}

PyObject* list_get(RecordObject* record, const FieldRow& field) {
  if (field.readonly) return driver_handles(record, field);
  const Keep* keep = assigned(record, field);
  if (keep == nullptr) return PyList_New(0);  // NULL, or filled by the driver: nobody knows how many
  const Reference array = Reference::to(keep->object);
  const std::size_t count = keep->count;
  Reference list{PyList_New(static_cast<Py_ssize_t>(count))};
  if (!list) return nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* element = element_view(field, memory_of(array.get())->data + i * element_size(field), array.get());
    if (element == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), element);
  }
  return list.release();
}

int list_set(RecordObject* record, const FieldRow& field, PyObject* value, const Where& where) {
  const Reference elements{elements_of(value, field, where)};
  if (!elements) return -1;
  const std::size_t count = static_cast<std::size_t>(PyTuple_GET_SIZE(elements.get()));
  const std::size_t offset = offset_of(record) + field.offset;
  if (count == 0) return memory_point(memory_of(record), {.offset = offset});
  const std::size_t align = field.kind == FieldKind::record_list ? record_rows[field.type].align : 8;
  if (count > PY_SSIZE_T_MAX / 4 / element_size(field)) {
    PyErr_NoMemory();
    return -1;
  }
  MemoryObject* array = memory_new(count * element_size(field), align, NO_TYPE);
  if (array == nullptr) return -1;
  Reference owned{reinterpret_cast<PyObject*>(array)};
  const int filled = field.kind == FieldKind::record_list ? fill_records(array, field, elements.get(), where)
                                                          : fill_handles(array, field, elements.get(), where);
  if (filled < 0) return -1;
  Keep keep{.offset = offset,
            .address = array->data,
            .object = owned.release(),
            .kind = keep_kind(field),
            .type = element_type(field),
            .count = count};
  set_counter(keep, record, field);
  return memory_point(memory_of(record), keep);
}

}  // namespace cuda_bindings
