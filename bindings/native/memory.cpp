// SPDX-License-Identifier: Apache-2.0
// Owns records' memory. Order matters everywhere: releasing an object may run Python code, so it comes last.
#include "native/memory.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <new>
#include <unordered_map>

#include "native/reference.hpp"
#include "native/spare.hpp"

namespace cuda_bindings {
namespace {

PyTypeObject* memory_type = nullptr;

const void* pointer_at(const MemoryObject* memory, std::size_t offset) {
  const void* pointer;
  std::memcpy(&pointer, memory->data + offset, sizeof pointer);
  return pointer;
}

void set_pointer(MemoryObject* memory, std::size_t offset, const void* pointer) {
  std::memcpy(memory->data + offset, &pointer, sizeof pointer);
}

bool counts(const MemoryObject* memory, const Keep& keep) { return pointer_at(memory, keep.offset) == keep.address; }

void release_all(std::vector<Keep>& keeps) {
  for (Keep& keep : keeps) Py_CLEAR(keep.object);
}

// Takes everything kept for the bytes from..to-1 out of the memory.
std::vector<Keep> take(MemoryObject* memory, std::size_t from, std::size_t to) {
  std::vector<Keep> taken;
  if (memory->keeps == nullptr) return taken;
  const auto inside = [&](const Keep& keep) { return keep.offset >= from && keep.offset < to; };
  std::copy_if(memory->keeps->begin(), memory->keeps->end(), std::back_inserter(taken), inside);
  memory->keeps->erase(std::remove_if(memory->keeps->begin(), memory->keeps->end(), inside), memory->keeps->end());
  return taken;
}

void reserve(MemoryObject* memory, std::size_t more) {
  if (memory->keeps == nullptr) {
    memory->keeps = new std::vector<Keep>();
    PyObject_GC_Track(reinterpret_cast<PyObject*>(memory));  // from now on it can be part of a cycle
  }
  memory->keeps->reserve(memory->keeps->size() + more);
}

bool leads_to_list(const Keep& keep) {
  return keep.kind == KeepKind::record_list || keep.kind == KeepKind::handle_list;
}

// Pointers into objects that are going: cleared in memory of ours, and lists also in memory that somebody else owns
// (list (b) 17 of the API page: a wrapper takes its lists with it).
void forget_pointers(MemoryObject* memory, const std::vector<Keep>& keeps) {
  for (const Keep& keep : keeps) {
    const bool ours = !memory->external || leads_to_list(keep);
    if (ours && counts(memory, keep)) set_pointer(memory, keep.offset, nullptr);
  }
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (memory_of(self)->keeps == nullptr) return 0;
  for (const Keep& keep : *memory_of(self)->keeps) Py_VISIT(keep.object);
  return 0;
}

int clear(PyObject* self) {
  MemoryObject* memory = memory_of(self);
  if (memory->keeps == nullptr) return 0;
  std::vector<Keep> keeps;
  keeps.swap(*memory->keeps);
  forget_pointers(memory, keeps);
  release_all(keeps);
  return 0;
}

// Freed memories of a few rooms wait here: most structs are small, and made and dropped in numbers.
constexpr std::size_t LEAST_ROOM = 64;
Spare<MemoryObject> spares[5];  // of 64 bytes to 1 KB: cudaDeviceProp is the largest struct

// Which of them has enough room; past the last for what is larger than all.
std::size_t room_index(std::size_t room) { return std::bit_width((room - 1) / LEAST_ROOM); }

void release(PyObject* self) {
  PyTypeObject* cls = Py_TYPE(self);
  const std::size_t room = static_cast<std::size_t>(Py_SIZE(self));
  const std::size_t index = room_index(room);
  const bool waits = index < std::size(spares) && LEAST_ROOM << index == room &&
                     spares[index].give(memory_of(self), sizeof(MemoryObject) + room);
  if (!waits) cls->tp_free(self);
  Py_DECREF(cls);
}

void dealloc(PyObject* self) {
  if (memory_of(self)->keeps == nullptr) {  // never tracked, and leading nowhere
    release(self);
    return;
  }
  PyObject_GC_UnTrack(self);
  // A chain of records, each pointing at the next, must not exhaust the C stack.
  Py_TRASHCAN_BEGIN(self, dealloc) clear(self);
  delete memory_of(self)->keeps;
  release(self);
  Py_TRASHCAN_END
}

MemoryObject* allocate(std::size_t room) {
  if (room > static_cast<std::size_t>(PY_SSIZE_T_MAX) / 2) {
    PyErr_NoMemory();
    return nullptr;
  }
  MemoryObject* memory = nullptr;
  if (const std::size_t index = room_index(room); index < std::size(spares)) {
    room = LEAST_ROOM << index;
    memory = spares[index].reuse(memory_type, sizeof(MemoryObject) + room);
  }
  if (memory == nullptr) memory = PyObject_GC_NewVar(MemoryObject, memory_type, static_cast<Py_ssize_t>(room));
  if (memory != nullptr) memory->keeps = nullptr;
  return memory;
}

}  // namespace

int init_memory() {
  if (memory_type != nullptr) return 0;
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(clear)},
      {0, nullptr},
  };
  PyType_Spec spec = {"cuda_bindings._native.Memory", sizeof(MemoryObject), 1,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  memory_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return memory_type == nullptr ? -1 : 0;
}

MemoryObject* memory_new(std::size_t size, std::size_t align, std::int16_t type) {
  const std::uintptr_t unit = std::max<std::uintptr_t>(align, 16);  // a power of two
  // The bytes follow the head, which ends at a multiple of 8.
  MemoryObject* memory = allocate(size + unit - 8);
  if (memory == nullptr) return nullptr;
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(memory) + sizeof(MemoryObject);
  static_assert(sizeof(MemoryObject) % 8 == 0);
  memory->data = reinterpret_cast<char*>((start + unit - 1) & ~(unit - 1));
  memory->size = size;
  memory->external = false;
  memory->type = type;
  std::memset(memory->data, 0, size);
  return memory;
}

MemoryObject* memory_at(void* address, std::size_t size, std::int16_t type) {
  MemoryObject* memory = allocate(0);
  if (memory == nullptr) return nullptr;
  memory->data = static_cast<char*>(address);
  memory->size = size;
  memory->external = true;
  memory->type = type;
  return memory;
}

int memory_point(MemoryObject* memory, Keep keep) try {
  if (keep.object != nullptr) reserve(memory, 1);
  std::vector<Keep> before = take(memory, keep.offset, keep.offset + sizeof(void*));
  set_pointer(memory, keep.offset, keep.address);
  if (keep.object != nullptr) memory->keeps->push_back(keep);
  release_all(before);
  return 0;
} catch (const std::bad_alloc&) {
  Py_XDECREF(keep.object);
  PyErr_NoMemory();
  return -1;
}

const Keep* memory_find(const MemoryObject* memory, std::size_t offset) {
  if (memory->keeps == nullptr) return nullptr;
  for (const Keep& keep : *memory->keeps) {
    if (keep.offset == offset) return counts(memory, keep) ? &keep : nullptr;
  }
  return nullptr;
}

bool memory_read(const void* from, void* to, std::size_t size) {
  const iovec there = {const_cast<void*>(from), size};
  const iovec here = {to, size};
  const ssize_t done = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  if (done == static_cast<ssize_t>(size)) return true;
  if (done >= 0 || errno == EFAULT) return false;
  std::memcpy(to, from, size);  // a sandbox forbids to ask: the pointer is the driver's word
  return true;
}

int memory_copy(MemoryObject* to, std::size_t to_offset, const MemoryObject* from, std::size_t from_offset,
                std::size_t size) try {
  const bool same_bytes = to->data + to_offset == from->data + from_offset;
  if (same_bytes && to == from) return 0;
  std::vector<Keep> copied;
  if (from->keeps != nullptr) {
    for (const Keep& keep : *from->keeps) {
      const bool inside = keep.offset >= from_offset && keep.offset + sizeof(void*) <= from_offset + size;
      if (inside && counts(from, keep)) copied.push_back(keep);
    }
  }
  for (Keep& keep : copied) keep.offset = keep.offset - from_offset + to_offset;
  // An alias of the same bytes: nothing moves, and what both sides know is kept.
  if (same_bytes) std::erase_if(copied, [&](const Keep& keep) { return memory_find(to, keep.offset) != nullptr; });
  if (!copied.empty()) reserve(to, copied.size());
  std::vector<Keep> before;
  if (!same_bytes) before = take(to, to_offset, to_offset + size);
  for (const Keep& keep : copied) {
    for (const Keep& stale : take(to, keep.offset, keep.offset + sizeof(void*))) before.push_back(stale);
    Py_INCREF(keep.object);
    to->keeps->push_back(keep);
  }
  if (!same_bytes) std::memmove(to->data + to_offset, from->data + from_offset, size);
  release_all(before);
  return 0;
} catch (const std::bad_alloc&) {
  PyErr_NoMemory();
  return -1;
}

namespace {

// A list's memory with the same bytes, leading to the same. nullptr with an exception.
PyObject* duplicate(const MemoryObject* list) {
  MemoryObject* made = memory_new(list->size, 64, NO_TYPE);
  Reference owned{reinterpret_cast<PyObject*>(made)};
  if (made == nullptr || memory_copy(made, 0, list, 0, list->size) < 0) return nullptr;
  return owned.release();
}

}  // namespace

int memory_unshare(MemoryObject* memory) try {
  std::unordered_map<PyObject*, Reference> own;  // the new list for each that was shared
  std::vector<MemoryObject*> waiting = {memory};
  while (!waiting.empty()) {
    MemoryObject* current = waiting.back();
    waiting.pop_back();
    if (current->keeps == nullptr) continue;
    const std::vector<Keep> keeps = *current->keeps;  // each is replaced: the vector changes under way
    for (Keep keep : keeps) {
      if (!leads_to_list(keep) || !counts(current, keep)) continue;
      Reference& list = own[keep.object];
      if (!list) {
        list = Reference{duplicate(memory_of(keep.object))};
        if (!list) return -1;
        waiting.push_back(memory_of(list.get()));
      }
      keep.address = memory_of(list.get())->data;
      keep.object = Py_NewRef(list.get());
      if (memory_point(current, keep) < 0) return -1;
    }
  }
  return 0;
} catch (const std::bad_alloc&) {
  PyErr_NoMemory();
  return -1;
}

}  // namespace cuda_bindings
