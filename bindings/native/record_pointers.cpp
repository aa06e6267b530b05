// SPDX-License-Identifier: Apache-2.0
// Members that point somewhere: what they point into stays alive as long as the record, its copies and its views.
#include <vector>

#include "native/api.hpp"

#include "native/arguments_address.hpp"
#include "native/arguments_kernel.hpp"
#include "native/handle.hpp"
#include "native/integer.hpp"
#include "native/record_members.hpp"
#include "native/reference.hpp"

namespace cuda_bindings {
namespace {

constexpr char accepted_address[] = "an address as an integer, None or an object with a contiguous buffer";

struct Target {
  const void* address = nullptr;
  Reference object;  // what to keep, if anything
};

// A memoryview keeps the object's memory where it is: a bytearray that is exported cannot be resized.
int hold_memory(PyObject* value, std::size_t least, bool writable, const char* accepted, const Where& where,
                Target* target) {
  Reference view{PyObject_CheckBuffer(value) ? PyMemoryView_FromObject(value) : nullptr};
  if (!view) {
    PyObject* exception = PyExc_TypeError;
    if (PyErr_Occurred() != nullptr) {
      for (PyObject* other : {PyExc_ValueError, PyExc_BufferError}) {
        if (PyErr_ExceptionMatches(other)) exception = other;
      }
      if (!PyErr_ExceptionMatches(exception)) return -1;
      PyErr_Clear();
    }
    refuse(exception, where, value, accepted);
    return -1;
  }
  const Py_buffer* buffer = PyMemoryView_GET_BUFFER(view.get());
  if (is_scalar_memory(*buffer, value)) {
    refuse(PyExc_TypeError, where, value, accepted);
    return -1;
  }
  if (!PyBuffer_IsContiguous(buffer, 'A') || static_cast<std::size_t>(buffer->len) < least) {
    refuse(PyExc_ValueError, where, value, accepted);
    return -1;
  }
  if (writable && buffer->readonly) {
    refuse(PyExc_TypeError, where, value, accepted);
    return -1;
  }
  target->address = buffer->buf;
  target->object = std::move(view);
  return 0;
}

int read_target(PyObject* value, const Where& where, Target* target) {
  if (value == Py_None) return 0;
  if (!PyBytes_CheckExact(value)) {
    std::uint64_t number = 0;
    const int found = integer_address(value, &number);
    if (found < 0) return -1;
    if (found > 0) {
      target->address = reinterpret_cast<const void*>(number);
      return 0;
    }
  }
  return hold_memory(value, 0, false, accepted_address, where, target);
}

int read_kernel_parameters(PyObject* value, const Where& where, Target* target) {
  void** address = nullptr;
  Reference packed{pack_kernel_parameters(value, where.owner, where.name, &address)};
  if (!packed) return -1;
  target->address = address;
  if (packed.get() != Py_None) target->object = std::move(packed);
  return 0;
}

int read_text(PyObject* value, const Where& where, Target* target) {
  if (value == Py_None) return 0;
  if (PyBytes_Check(value)) {
    if (std::strlen(PyBytes_AS_STRING(value)) != static_cast<std::size_t>(PyBytes_GET_SIZE(value))) {
      refuse(PyExc_ValueError, where, value, "bytes without a NUL inside");
      return -1;
    }
    target->address = PyBytes_AS_STRING(value);
    target->object = Reference::to(value);
    return 0;
  }
  std::uint64_t number = 0;
  if (read_raw_address(value, where, "bytes, None or an address as an integer", &number) < 0) return -1;
  target->address = reinterpret_cast<const void*>(number);
  return 0;
}

// Pointer to one integer-like: to the slot of an object, into a buffer, or a number.
int read_view(const FieldRow& field, PyObject* value, const Where& where, Target* target) {
  const HandleRow& row = handle_rows[field.type];
  const std::string accepted = std::string(row.name) + ", None, a writable buffer of " +
                               std::to_string(slot_size(row.kind)) + " bytes or an address as an integer";
  if (value == Py_None) return 0;
  if (is_handle(value)) {
    if (!handle_accepts(field.type, handle_object(value)->type)) {
      refuse(PyExc_TypeError, where, value, accepted);
      return -1;
    }
    target->address = handle_object(value)->slot;
    target->object = Reference::to(value);
    return 0;
  }
  if (PyIndex_Check(value) && !PyObject_CheckBuffer(value)) {
    std::uint64_t number = 0;
    if (read_raw_address(value, where, accepted.c_str(), &number) < 0) return -1;
    target->address = reinterpret_cast<const void*>(number);
    return 0;
  }
  return hold_memory(value, slot_size(row.kind), true, accepted.c_str(), where, target);
}

int read_number(PyObject* value, const Where& where, Target* target) {
  std::uint64_t number = 0;
  if (read_raw_address(value, where, "an address as an integer", &number) < 0) return -1;
  target->address = reinterpret_cast<const void*>(number);
  return 0;
}

int read_any(const FieldRow& field, PyObject* value, const Where& where, Target* target) {
  switch (field.kind) {
    case FieldKind::address: return read_target(value, where, target);
    case FieldKind::kernel_parameters: return read_kernel_parameters(value, where, target);
    case FieldKind::text_pointer: return read_text(value, where, target);
    case FieldKind::handle_view: return read_view(field, value, where, target);
    default: return read_number(value, where, target);
  }
}

PyObject* get_text(const RecordObject* record, const FieldRow& field) {
  const Keep* keep = memory_find(memory_of(record->memory), offset_of(record) + field.offset);
  if (keep != nullptr && PyBytes_Check(keep->object)) return Py_NewRef(keep->object);
  return text_or_none(static_cast<const char*>(read_pointer(record->data + field.offset)));
}

PyObject* get_view(const RecordObject* record, const FieldRow& field) {
  void* pointer = read_pointer(record->data + field.offset);
  if (pointer == nullptr) return handle_new_object(field.type, 0);
  const Keep* keep = memory_find(memory_of(record->memory), offset_of(record) + field.offset);
  if (keep == nullptr) return handle_view(field.type, pointer, record->memory);
  const Reference kept = Reference::to(keep->object);
  if (Py_TYPE(kept.get()) == handle_types[field.type]) return Py_NewRef(kept.get());
  return handle_view(field.type, pointer, kept.get());
}

int point_at(RecordObject* record, std::size_t offset, Target target) {
  return memory_point(
      memory_of(record),
      {.offset = offset_of(record) + offset, .address = target.address, .object = target.object.release()});
}

}  // namespace

PyObject* pointer_get(RecordObject* record, const FieldRow& field) {
  if (field.kind == FieldKind::text_pointer) return get_text(record, field);
  if (field.kind == FieldKind::handle_view) return get_view(record, field);
  PyObject* user_data = nullptr;
  if (field.kind == FieldKind::address && user_data_get(record, field, &user_data) != 0) return user_data;
  return PyLong_FromVoidPtr(read_pointer(record->data + field.offset));
}

int pointer_set(RecordObject* record, const FieldRow& field, PyObject* value, const Where& where) {
  if (field.kind == FieldKind::address) {
    const int done = user_data_set(record, field, value);
    if (done != 0) return done < 0 ? -1 : 0;
  }
  Target target;
  if (read_any(field, value, where, &target) < 0) return -1;
  return point_at(record, field.offset, std::move(target));
}

int pointers_set(RecordObject* record, const FieldRow& field, PyObject* values, const Where& where) {
  std::vector<Target> targets(field.count);
  for (std::size_t i = 0; i < field.count; ++i) {
    const Py_ssize_t at = static_cast<Py_ssize_t>(i);
    if (read_any(field, PyTuple_GET_ITEM(values, at), where.element(at), &targets[i]) < 0) return -1;
  }
  for (std::size_t i = 0; i < field.count; ++i) {
    if (point_at(record, field.offset + i * sizeof(void*), std::move(targets[i])) < 0) return -1;
  }
  return 0;
}

}  // namespace cuda_bindings
