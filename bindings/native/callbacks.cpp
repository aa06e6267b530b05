// SPDX-License-Identifier: Apache-2.0
// Owns callables, and knows which of them CUDA may still call.
#include "native/callbacks.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "native/handle.hpp"

namespace cuda_bindings {
namespace {

PyTypeObject* callback_type = nullptr;

struct Held {
  PyObject* callback;  // owned
  int holders;
};

// The lock is for interpreters without a GIL; nothing of Python runs under it.
struct Live {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, Held> held;
  std::map<std::pair<int, std::uint64_t>, std::uint64_t> registered;
  // No address: in the hole between the halves of the address space.
  std::uint64_t next_token = 0xCA11'0000'0000'0001;
};

Live& live() {
  static Live& all = *new Live;  // threads of CUDA's may come at any time
  return all;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(callback_object(self)->callable);
  Py_VISIT(callback_object(self)->user_data);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(callback_object(self)->callable);
  Py_CLEAR(callback_object(self)->user_data);
  return 0;
}

void dealloc(PyObject* self) {
  PyTypeObject* cls = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  cls->tp_free(self);
  Py_DECREF(cls);
}

std::uint64_t new_token() {
  const std::lock_guard<std::mutex> lock(live().mutex);
  return live().next_token++;
}

// One list for a type and its twin: what one API registered, the other may unregister.
int family(int type) {
  const int handle = callback_rows[type].handle;
  if (handle == NO_TYPE) return -1 - type;
  int first = handle;
  for (const std::int16_t* other = handle_rows[handle].accepts; *other != NO_TYPE; ++other) {
    first = std::min(first, int{*other});
  }
  return first;
}

}  // namespace

int init_callbacks() {
  if (callback_type != nullptr) return 0;
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(clear)},
      {0, nullptr},
  };
  PyType_Spec spec = {"cuda_bindings._native.Callback", sizeof(CallbackObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  callback_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return callback_type == nullptr ? -1 : 0;
}

PyObject* callback_new(int type, PyObject* callable, PyObject* user_data) {
  CallbackObject* made = PyObject_GC_New(CallbackObject, callback_type);
  if (made == nullptr) return nullptr;
  made->callable = Py_NewRef(callable);
  made->user_data = Py_XNewRef(user_data);
  made->code = nullptr;
  made->address = nullptr;
  made->token = new_token();
  made->type = static_cast<std::int16_t>(type);
  made->once = false;
  PyObject_GC_Track(made);
  return reinterpret_cast<PyObject*>(made);
}

PyObject* callback_of_function(int type, PyObject* function, void* address, PyObject* keep) {
  void* code = nullptr;
  if (ctypes_code(function, type, {"", ""}, &code) < 0) return nullptr;
  PyObject* made = callback_new(type, function, keep);
  if (made == nullptr) return nullptr;
  callback_object(made)->code = code;
  callback_object(made)->address = address;
  return made;
}

bool stands_for_callables(const void* code) {
  for (int type = 0; type < CALLBACK_COUNT; ++type) {
    if (callback_rows[type].code == code) return true;
  }
  return false;
}

void callback_add(PyObject* callback) {
  const std::lock_guard<std::mutex> lock(live().mutex);
  const auto [place, is_new] = live().held.try_emplace(callback_object(callback)->token, Held{callback, 0});
  if (is_new) Py_INCREF(callback);
  ++place->second.holders;
}

void callback_release(std::uint64_t token) {
  Reference last;  // released after the lock: it may run Python code
  const std::lock_guard<std::mutex> lock(live().mutex);
  const auto found = live().held.find(token);
  if (found == live().held.end() || --found->second.holders > 0) return;
  last = Reference(found->second.callback);
  live().held.erase(found);
}

Reference callback_find(std::uint64_t token) {
  const std::lock_guard<std::mutex> lock(live().mutex);
  const auto found = live().held.find(token);
  return found == live().held.end() ? Reference() : Reference::to(found->second.callback);
}

void registry_put(int type, std::uint64_t handle, std::uint64_t token) {
  std::uint64_t before = 0;
  {
    const std::lock_guard<std::mutex> lock(live().mutex);
    before = std::exchange(live().registered[{family(type), handle}], token);
  }
  callback_release(before);
}

std::uint64_t registry_take(int type, std::uint64_t handle) {
  const std::lock_guard<std::mutex> lock(live().mutex);
  const auto found = live().registered.find({family(type), handle});
  if (found == live().registered.end()) return 0;
  const std::uint64_t token = found->second;
  live().registered.erase(found);
  return token;
}

bool registry_empty() {
  const std::lock_guard<std::mutex> lock(live().mutex);
  return live().registered.empty();
}

}  // namespace cuda_bindings
