// SPDX-License-Identifier: Apache-2.0
// Equality of records: member by member, so that padding does not count; unions by their bytes.
#include "native/record_members.hpp"

namespace cuda_bindings {
namespace {

// One struct in some memory: views need not become Python objects to be compared.
struct Place {
  const MemoryObject* memory;
  const char* data;
};

// All: 1 equal, 0 different, -1 with an exception.
int equal_structs(int type, const Place& left, const Place& right);

int equal_arrays(int type, std::size_t count, const Place& left, const Place& right) {
  const std::size_t size = record_rows[type].size;
  int equal = 1;
  for (std::size_t i = 0; equal > 0 && i < count; ++i) {
    equal = equal_structs(type, {left.memory, left.data + i * size}, {right.memory, right.data + i * size});
  }
  return equal;
}

// The elements of two lists. A list may lead to itself, as far as Python lets one go.
int equal_elements(const Keep& left, const Keep& right) {
  const MemoryObject* first = memory_of(left.object);
  const MemoryObject* second = memory_of(right.object);
  if (left.kind == KeepKind::handle_list) return std::memcmp(first->data, second->data, first->size) == 0;
  if (Py_EnterRecursiveCall(" while comparing lists of records") != 0) return -1;
  const int equal = equal_arrays(left.type, left.count, {first, first->data}, {second, second->data});
  Py_LeaveRecursiveCall();
  return equal;
}

const Keep* list_at(const FieldRow& field, const Place& place) {
  if (!is_list(field.kind)) return nullptr;
  const Keep* keep = memory_find(place.memory, offset_in(place.memory, place.data) + field.offset);
  return keep != nullptr && keep->kind != KeepKind::object ? keep : nullptr;
}

// Lists that were assigned are equal if their elements are; any other pointer if it is the same.
int equal_pointers(const FieldRow& field, const Place& left, const Place& right) {
  if (read_pointer(left.data + field.offset) == read_pointer(right.data + field.offset)) return 1;
  const Keep* a = list_at(field, left);
  const Keep* b = list_at(field, right);
  if (a == nullptr || b == nullptr || a->kind != b->kind || a->type != b->type || a->count != b->count) return 0;
  return equal_elements(*a, *b);
}

int equal_members(const FieldRow& field, const Place& left, const Place& right) {
  const std::size_t count = field.count == 0 ? 1 : field.count;
  const char* a = left.data + field.offset;
  const char* b = right.data + field.offset;
  if (field.kind == FieldKind::record) return equal_arrays(field.type, count, {left.memory, a}, {right.memory, b});
  if (is_list(field.kind)) return equal_pointers(field, left, right);
  return std::memcmp(a, b, count * scalar_size(field)) == 0;
}

int equal_structs(int type, const Place& left, const Place& right) {
  const RecordRow& row = members_row(type);
  if (row.is_union) return std::memcmp(left.data, right.data, row.size) == 0;
  int equal = 1;
  for (std::uint16_t i = 0; equal > 0 && i < row.field_count; ++i) equal = equal_members(row.fields[i], left, right);
  return equal;
}

}  // namespace

int records_equal(const RecordObject* left, const RecordObject* right) {
  return equal_structs(left->type, {memory_of(left->memory), left->data}, {memory_of(right->memory), right->data});
}

}  // namespace cuda_bindings
