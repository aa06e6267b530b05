// SPDX-License-Identifier: Apache-2.0
// Callables that CUDA may call. C is given a token as user data, never an address: one that is gone is not found, and
// nothing is called. Everything here wants the GIL unless it says otherwise.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>

#include "generated/ids.hpp"
#include "native/arguments_api.hpp"
#include "native/callback_rows.hpp"
#include "native/reference.hpp"

namespace cuda_bindings {

struct CallbackObject {
  PyObject_HEAD PyObject* callable;  // or the function of ctypes
  PyObject* user_data;               // what the callable receives; what a function of ctypes points into
  void* code;                        // of a function of ctypes; nullptr: the callable is called
  void* address;                     // what a function of ctypes receives as user data
  std::uint64_t token;
  std::int16_t type;  // CALLBACK_*
  bool once;          // let go after its first run
};

inline CallbackObject* callback_object(PyObject* object) { return reinterpret_cast<CallbackObject*>(object); }

// At the start of _native. 0 or -1.
int init_callbacks();

// A callable with what it is to be called with. New reference, nullptr with an exception.
PyObject* callback_new(int type, PyObject* callable, PyObject* user_data);
// A function of ctypes with the address that it is to receive; `keep` is what that points into, or nullptr.
PyObject* callback_of_function(int type, PyObject* function, void* address, PyObject* keep);

// What an object that stands for a callback is.
enum class CallbackSource { function_pointer, ctypes, callable };
CallbackSource callback_source(PyObject* object);
// The code of a function of ctypes whose prototype is the callback type's. 0, or -1 with a TypeError that names it.
int ctypes_code(PyObject* function, int type, Place place, void** code);

// Whether the code is what CUDA is given for callables.
bool stands_for_callables(const void* code);

// ---- who CUDA may call: each holder adds once and releases once ------------------------------------------------------

void callback_add(PyObject* callback);
void callback_release(std::uint64_t token);
// The callback if anybody holds it.
Reference callback_find(std::uint64_t token);

// ---- host nodes (record_callbacks.cpp) -------------------------------------------------------------------------------

// The callback that a record's members name, or nothing; `dead` says that they name one that is gone.
Reference callback_of_record(PyObject* record, bool* dead);
// The callable behind a handle that is such a member.
Reference callback_of_member(PyObject* handle);

// Registered callbacks of one type and its twin, by handle. `registry_take` gives 0 where there is none.
void registry_put(int type, std::uint64_t handle, std::uint64_t token);
std::uint64_t registry_take(int type, std::uint64_t handle);
bool registry_empty();

}  // namespace cuda_bindings
