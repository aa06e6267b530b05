// SPDX-License-Identifier: Apache-2.0
// Members that are callbacks. Of a callable the function that stands for it is written, and its token as user data;
// either may be assigned first, and reads as what was assigned.
#include "native/api.hpp"

#include <cstring>

#include "native/callbacks.hpp"
#include "native/handle.hpp"
#include "native/record_members.hpp"
#include "native/reference.hpp"

namespace cuda_bindings {
namespace {

// A member that is a callback, the one with its user data, and the memory that both lie in.
struct Pair {
  const FieldRow* function;
  const FieldRow* user_data;
  char* data;  // of the struct whose members they are
  MemoryObject* memory;

  void* code() const { return read_pointer(data + function->offset); }
  std::size_t function_offset() const { return offset_in(memory, data) + function->offset; }
  std::size_t user_data_offset() const { return offset_in(memory, data) + user_data->offset; }
};

int callback_type_of(int handle) {
  int type = 0;
  while (callback_rows[type].handle != handle) ++type;  // every member's class has a row
  return type;
}

Pair pair_of(const RecordRow& row, const FieldRow& function, char* data, MemoryObject* memory) {
  for (std::uint16_t index = 0; index < row.field_count; ++index) {
    if (std::strcmp(row.fields[index].name, function.count_field) == 0) {
      return {&function, &row.fields[index], data, memory};
    }
  }
  Py_UNREACHABLE();
}

Reference kept_callback(const MemoryObject* memory, std::size_t offset) {
  const Keep* const keep = memory_find(memory, offset);
  return keep != nullptr && keep->kind == KeepKind::callback ? Reference::to(keep->object) : Reference();
}

// The callable that a pair names: as it was assigned, or as the driver gave its parameters back.
Reference callable_of(const Pair& pair) {
  if (!stands_for_callables(pair.code())) return {};
  Reference kept = kept_callback(pair.memory, pair.user_data_offset());
  if (kept) return kept;
  return callback_find(reinterpret_cast<std::uint64_t>(read_pointer(pair.data + pair.user_data->offset)));
}

// Calls `use` for every pair of the struct and of those inside of it.
template <class Use>
void each_pair(int type, char* data, MemoryObject* memory, const Use& use) {
  const RecordRow& row = members_row(type);
  for (std::uint16_t index = 0; index < row.field_count; ++index) {
    const FieldRow& field = row.fields[index];
    if (field.kind == FieldKind::callback) use(pair_of(row, field, data, memory));
    if (field.kind == FieldKind::record && field.count == 0) each_pair(field.type, data + field.offset, memory, use);
  }
}

Pair pair_in(RecordObject* record, const FieldRow& function) {
  return pair_of(members_row(record->type), function, record->data, memory_of(record->memory));
}

int point_at_callback(const Pair& pair, std::size_t offset, const void* address, PyObject* callback) {
  return memory_point(pair.memory,
                      {.offset = offset, .address = address, .object = callback, .kind = KeepKind::callback});
}

// Writes a callable and what it is called with.
int put_callable(const Pair& pair, PyObject* callable, PyObject* user_data) {
  const int type = callback_type_of(pair.function->type);
  PyObject* const made = callback_new(type, callable, user_data);
  if (made == nullptr) return -1;
  const void* const token = reinterpret_cast<const void*>(callback_object(made)->token);
  if (point_at_callback(pair, pair.user_data_offset(), token, made) < 0) return -1;
  return memory_point(pair.memory, {.offset = pair.function_offset(), .address = callback_rows[type].code});
}

// Writes a function pointer. User data that only a callable could receive goes with the callable.
int put_function(const Pair& pair, const void* code, PyObject* callback) {
  if (callable_of(pair)) {
    if (memory_point(pair.memory, {.offset = pair.user_data_offset()}) < 0) {
      Py_XDECREF(callback);
      return -1;
    }
  }
  if (callback != nullptr) return point_at_callback(pair, pair.function_offset(), code, callback);
  return memory_point(pair.memory, {.offset = pair.function_offset(), .address = code});
}

PyObject* user_data_object(const Pair& pair, const Reference& callable) {
  if (callable) return Py_XNewRef(callback_object(callable.get())->user_data);
  const Keep* const keep = memory_find(pair.memory, pair.user_data_offset());
  if (keep != nullptr) return Py_NewRef(keep->object);
  void* const address = read_pointer(pair.data + pair.user_data->offset);
  if (address == nullptr) Py_RETURN_NONE;
  return PyLong_FromVoidPtr(address);
}

// The callback beside a member that holds user data.
const FieldRow* callback_beside(const RecordObject* record, const FieldRow& field) {
  const RecordRow& row = members_row(record->type);
  for (std::uint16_t index = 0; index < row.field_count; ++index) {
    const FieldRow& other = row.fields[index];
    if (other.kind == FieldKind::callback && std::strcmp(other.count_field, field.name) == 0) return &other;
  }
  return nullptr;
}

}  // namespace

PyObject* callback_get(RecordObject* record, const FieldRow& field) {
  return handle_view(field.type, record->data + field.offset, reinterpret_cast<PyObject*>(record));
}

int callback_set(RecordObject* record, const FieldRow& field, PyObject* value, const Where& where) {
  const Pair pair = pair_in(record, field);
  const Reference member = callback_of_member(value);
  const CallbackSource source = member ? CallbackSource::callable : callback_source(value);
  if (source == CallbackSource::callable) {
    const Reference user_data(user_data_object(pair, callable_of(pair)));
    if (!user_data) return -1;
    return put_callable(pair, member ? callback_object(member.get())->callable : value, user_data.get());
  }
  if (source == CallbackSource::ctypes) {
    void* code = nullptr;
    const Place place{where.owner, where.name, -1, true};
    if (ctypes_code(value, callback_type_of(field.type), place, &code) < 0) return -1;
    PyObject* const made = callback_of_function(callback_type_of(field.type), value, nullptr, nullptr);
    return made == nullptr ? -1 : put_function(pair, code, made);
  }
  std::uint64_t number = 0;
  if (handle_read_value(value, field.type, where, &number) < 0) return -1;
  return put_function(pair, reinterpret_cast<const void*>(number), nullptr);
}

int user_data_get(RecordObject* record, const FieldRow& field, PyObject** object) {
  const FieldRow* const function = callback_beside(record, field);
  if (function == nullptr) return 0;
  const Reference callable = callable_of(pair_in(record, *function));
  if (!callable) return 0;
  *object = Py_XNewRef(callback_object(callable.get())->user_data);
  return 1;
}

int user_data_set(RecordObject* record, const FieldRow& field, PyObject* value) {
  const FieldRow* const function = callback_beside(record, field);
  if (function == nullptr) return 0;
  const Pair pair = pair_in(record, *function);
  const Reference callable = callable_of(pair);
  if (!callable) return 0;
  return put_callable(pair, callback_object(callable.get())->callable, value) < 0 ? -1 : 1;
}

Reference callback_of_record(PyObject* object, bool* dead) {
  RecordObject* const record = record_object(object);
  Reference found;
  each_pair(record->type, record->data, memory_of(record->memory), [&](const Pair& pair) {
    if (found) return;
    found = callable_of(pair);
    if (!found) found = kept_callback(pair.memory, pair.function_offset());
    if (!found && stands_for_callables(pair.code())) *dead = true;
  });
  return found;
}

Reference callback_of_member(PyObject* object) {
  if (!is_handle(object)) return {};
  const HandleObject* const handle = handle_object(object);
  if (handle_rows[handle->type].kind != HandleKind::function || handle->keep == nullptr || !is_record(handle->keep)) {
    return {};
  }
  RecordObject* const record = record_object(handle->keep);
  Reference found;
  each_pair(record->type, record->data, memory_of(record->memory), [&](const Pair& pair) {
    if (pair.data + pair.function->offset == handle->slot) found = callable_of(pair);
  });
  return found;
}

}  // namespace cuda_bindings
