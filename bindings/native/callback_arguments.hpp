// SPDX-License-Identifier: Apache-2.0
// Arguments that are callbacks: owners that keep a callable through the call, and hand it over to CUDA's care after it.
// Included by native/api.hpp.
#pragma once

#include <Python.h>

#include <cstdint>

#include "native/arguments.hpp"

namespace cuda_bindings {

class Callback;
class NodeCallback;
class Registration;

// What runs in cuda_bindings._native. Functions that convert return 0, or -1 with an exception set; the others cannot
// fail: CUDA has the callback by then.
struct CallbacksApi {
  int (*read)(Callback& callback, PyObject* callable, PyObject* user_data, int type, Place place,
              const char* user_data_name);
  void (*enqueue)(Callback& callback, int library, void* stream);
  void (*enqueued)(Callback& callback);
  void (*once)(Callback& callback);
  void (*registered)(Callback& callback, std::uint64_t handle);
  void (*enter)(Callback& callback);
  int (*leave)(Callback& callback);
  void (*drop)(Callback& callback);
  int (*take_node)(NodeCallback& callback, PyObject* parameters, Place place);
  void (*added_node)(NodeCallback& callback, int library, void* graph);
  void (*drop_node)(NodeCallback& callback);
  void (*take_registration)(Registration& registration, int type, std::uint64_t handle, const void* address);
  void (*end_registration)(Registration& registration);
  void (*put_registration_back)(Registration& registration);
};

const CallbacksApi* callbacks_api();

// A callback that CUDA calls before the function returns: where an exception waits for that.
struct DirectCall {
  PyObject* callback = nullptr;  // owned by the argument
  PyObject* exception[3] = {};
  DirectCall* outer = nullptr;
};

class Callback {
 public:
  Callback() = default;
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;
  ~Callback() {
    if (callback != nullptr) api->callbacks->drop(*this);
  }
  int read(PyObject* callable, PyObject* data, int callback_type, const char* function, const char* parameter,
           const char* user_data_name) {
    type = callback_type;
    return api->callbacks->read(*this, callable, data, callback_type, {function, parameter}, user_data_name);
  }
  void enqueue(int in_library, void* in_stream) {
    if (callback != nullptr) api->callbacks->enqueue(*this, in_library, in_stream);
  }
  void enqueued() {
    if (callback != nullptr) api->callbacks->enqueued(*this);
  }
  void once() {
    if (callback != nullptr) api->callbacks->once(*this);
  }
  void handed_over() { is_handed_over = true; }
  void registered(std::uint64_t handle) { api->callbacks->registered(*this, handle); }
  void enter() {
    if (callback != nullptr) api->callbacks->enter(*this);
  }
  int leave() { return callback != nullptr ? api->callbacks->leave(*this) : 0; }

  void* code = nullptr;
  void* user_data = nullptr;
  int type = 0;
  PyObject* callback = nullptr;  // a CallbackObject; nullptr for a function pointer
  Address address;               // the user data of a function pointer
  // Of the stream that it is put into.
  int library = 0;
  void* stream = nullptr;
  bool is_capturing = false;
  void* graph = nullptr;
  bool is_handed_over = false;
  DirectCall direct;
};

class NodeCallback {
 public:
  NodeCallback() = default;
  NodeCallback(const NodeCallback&) = delete;
  NodeCallback& operator=(const NodeCallback&) = delete;
  ~NodeCallback() {
    if (token != 0) api->callbacks->drop_node(*this);
  }
  int take(PyObject* parameters, const char* function, const char* parameter) {
    if (parameters == Py_None) return 0;
    return api->callbacks->take_node(*this, parameters, {function, parameter});
  }
  void added(int library, void* graph) {
    if (token != 0) api->callbacks->added_node(*this, library, graph);
  }

  std::uint64_t token = 0;
};

class Registration {
 public:
  Registration() = default;
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  ~Registration() {
    if (token != 0) api->callbacks->put_registration_back(*this);
  }
  void take(int callback_type, std::uint64_t value) {
    api->callbacks->take_registration(*this, callback_type, value, nullptr);
  }
  // The handle at an address, which is read only if anything is registered.
  void take_at(int callback_type, const void* address) {
    if (address != nullptr) api->callbacks->take_registration(*this, callback_type, 0, address);
  }
  void ended() {
    if (token != 0) api->callbacks->end_registration(*this);
  }

  std::uint64_t token = 0;
  std::uint64_t handle = 0;
  int type = 0;
};

}  // namespace cuda_bindings
