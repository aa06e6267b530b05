// SPDX-License-Identifier: Apache-2.0
// How handles and records lie in memory: one layout for all classes of each.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <cstring>

#include "native/spare.hpp"
#include "native/tables.hpp"

namespace cuda_bindings {

struct HandleObject {
  PyObject_HEAD void* slot;  // where the value lies: &own, a member of a record, or memory that `_ptr` named
  std::uint64_t own;         // little-endian: the first bytes serve the 32-bit kinds
  PyObject* keep;            // what the slot lies in, or what C reads as long as the handle lives
  std::int16_t type;         // HANDLE_*
  bool tracked;              // by the garbage collector, as all that keep something; of derived classes not known
};

struct RecordObject {
  PyObject_HEAD char* data;  // the C struct
  PyObject* memory;          // the Memory that it lies in; shared by all views into it
  PyObject** views;          // of its nested records and handles, as far as they were asked for; nullptr for none
  std::int16_t type;         // RECORD_*
};

using HandleSpares = Spare<HandleObject, 2048>;  // lists of a graph's nodes come and go too

inline HandleObject* handle_object(PyObject* object) { return reinterpret_cast<HandleObject*>(object); }
inline RecordObject* record_object(PyObject* object) { return reinterpret_cast<RecordObject*>(object); }

/// Sets all but the object's head; nullptr stays. It is not tracked by the garbage collector: only a handle that keeps
/// something can be part of a cycle.
inline HandleObject* fill_handle(HandleObject* handle, int type, std::uint64_t value) {
  if (handle == nullptr) return nullptr;
  handle->slot = &handle->own;
  handle->own = value;
  handle->keep = nullptr;
  handle->type = static_cast<std::int16_t>(type);
  handle->tracked = false;
  return handle;
}

// A handle's value as C reads it, sign-extended where the C type is signed. The slot need not be aligned.
inline std::uint64_t read_slot(HandleKind kind, const void* slot) {
  if (kind == HandleKind::signed32) {
    std::int32_t value;
    std::memcpy(&value, slot, sizeof value);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
  if (kind == HandleKind::unsigned32) {
    std::uint32_t value;
    std::memcpy(&value, slot, sizeof value);
    return value;
  }
  std::uint64_t value;
  std::memcpy(&value, slot, sizeof value);
  return value;
}

inline std::size_t slot_size(HandleKind kind) {
  return kind == HandleKind::signed32 || kind == HandleKind::unsigned32 ? 4 : 8;
}

inline void write_slot(HandleKind kind, void* slot, std::uint64_t value) { std::memcpy(slot, &value, slot_size(kind)); }

}  // namespace cuda_bindings
