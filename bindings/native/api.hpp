// SPDX-License-Identifier: Apache-2.0
// What the function modules call of the native layer: inline where the common case is one comparison, through the
// capsule of cuda_bindings._native otherwise. The same text serves _native itself, where `api` is set at its start.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <cstdint>

#include "generated/ids.hpp"
#include "native/library_api.hpp"
#include "native/memory.hpp"
#include "native/objects.hpp"
#include "native/small_integer.hpp"
#include "native/tables.hpp"

namespace cuda_bindings {

struct ArgumentsApi;        // arguments.hpp
struct FunctionDefinition;  // functions_api.hpp
struct CallbacksApi;        // callback_arguments.hpp

// What _native exports: the classes by id (nullptr until first touched) and the functions that are not worth inlining.
struct Api {
  std::size_t byte_size;  // of this struct: modules of different builds must not be mixed
  const HandleRow* handle_rows;
  const RecordRow* record_rows;
  const EnumerationRow* enumeration_rows;
  PyTypeObject** handle_types;
  PyTypeObject** record_types;
  PyTypeObject** enumeration_types;
  HandleSpares* spare_handles;
  const ArgumentsApi* arguments;
  const CallbacksApi* callbacks;
  const SlotsApi* slots;

  int (*handle_value)(PyObject* object, int type, const char* function, const char* parameter, std::uint64_t* value);
  int (*handle_address)(PyObject* object, int type, bool in_place, const char* function, const char* parameter,
                        void** address);
  int (*record_memory)(PyObject* object, int type, bool nullable, const char* function, const char* parameter,
                       void** data);
  int (*enumeration_value)(PyObject* object, int type, const char* function, const char* parameter, int* value);

  PyObject* (*handle_new)(int type, std::uint64_t value);
  PyObject* (*handle_list_new)(int type, const void* values, std::size_t count);
  PyObject* (*record_new)(int type);
  PyObject* (*record_copy)(int type, const void* source);
  PyObject* (*record_list_new)(int type, const void* values, std::size_t count);
  PyObject* (*enumeration_member)(int type, long long value);
  PyObject* (*enumeration_class)(int type);

  // PyEval_RestoreThread, but for threads that come back from CUDA when the interpreter has ended.
  void (*restore_thread)(PyThreadState* state);

  int (*order_arguments)(FunctionDefinition& definition, PyObject* const* arguments, Py_ssize_t count, PyObject* names,
                         PyObject** ordered, std::size_t length);
  int (*enter_function)(PyObject* names, FunctionDefinition& definition);

  PyObject* (*module_attribute)(int module, PyObject* name);
  PyObject* (*module_names)(int module);
  PyObject* (*size_of)(int module, PyObject* cls);
};

// One per extension module: hidden, or the dynamic linker would merge them.
[[gnu::visibility("hidden")]] inline const Api* api = nullptr;

inline constexpr char CAPSULE_NAME[] = "cuda_bindings._native.api";

// At the start of a function module: fetches the capsule. Sets an exception and returns -1 on failure.
inline int import_native() {
  if (api != nullptr) return 0;
  PyObject* module = PyImport_ImportModule("cuda_bindings._native");
  if (module == nullptr) return -1;
  PyObject* capsule = PyObject_GetAttrString(module, "api");
  Py_DECREF(module);
  if (capsule == nullptr) return -1;
  const Api* found = static_cast<const Api*>(PyCapsule_GetPointer(capsule, CAPSULE_NAME));
  Py_DECREF(capsule);  // _native is never unloaded: its tables outlive every module
  if (found == nullptr) return -1;
  if (found->byte_size != sizeof(Api)) {
    PyErr_SetString(PyExc_ImportError, "cuda_bindings._native and its function modules come from different builds");
    return -1;
  }
  api = found;
  adopt_tables(*api->slots);
  return 0;
}

// ---- arguments ---------------------------------------------------------------------------------------------------

// The error values below are ordinary values too: the caller asks PyErr_Occurred() when it meets one.
inline constexpr std::uint64_t HANDLE_ERROR = 0xFFFFFFFFFFFFFF01;

inline std::uint64_t as_handle(PyObject* object, int type, const char* function, const char* parameter) {
  if (Py_TYPE(object) == api->handle_types[type]) return read_slot(HANDLE_KINDS[type], handle_object(object)->slot);
  std::uint64_t value = 0;
  return api->handle_value(object, type, function, parameter, &value) < 0 ? HANDLE_ERROR : value;
}

inline void* as_record(PyObject* object, int type, bool nullable, const char* function, const char* parameter) {
  // A record that keeps something may hold a list: that is looked at.
  if (Py_TYPE(object) == api->record_types[type] && memory_of(record_object(object)->memory)->keeps == nullptr)
      [[likely]] {
    return record_object(object)->data;
  }
  void* data = nullptr;
  return api->record_memory(object, type, nullable, function, parameter, &data) < 0 ? nullptr : data;
}

inline int as_enumeration(PyObject* object, int type, const char* function, const char* parameter) {
  std::uint32_t small;
  if ((Py_TYPE(object) == api->enumeration_types[type] || PyLong_CheckExact(object)) &&
      read_small_integer(object, &small)) [[likely]] {
    return static_cast<int>(small);
  }
  int value = 0;
  return api->enumeration_value(object, type, function, parameter, &value) < 0 ? -1 : value;
}

// Pointer to a handle: None is NULL, an object its slot, an int an address.
inline void* as_handle_pointer(PyObject* object, int type, const char* function, const char* parameter) {
  void* address = nullptr;
  return api->handle_address(object, type, false, function, parameter, &address) < 0 ? nullptr : address;
}

// A handle that C reads and changes in place: None is NULL, an object its slot, nothing else.
inline void* as_handle_slot(PyObject* object, int type, const char* function, const char* parameter) {
  void* address = nullptr;
  return api->handle_address(object, type, true, function, parameter, &address) < 0 ? nullptr : address;
}

// ---- results -----------------------------------------------------------------------------------------------------

inline PyObject* handle_new(int type, std::uint64_t value) {
  PyTypeObject* cls = __atomic_load_n(&api->handle_types[type], __ATOMIC_ACQUIRE);
  HandleObject* handle = cls != nullptr ? fill_handle(api->spare_handles->reuse(cls), type, value) : nullptr;
  return handle != nullptr ? reinterpret_cast<PyObject*>(handle) : api->handle_new(type, value);
}
inline PyObject* handle_list_new(int type, const void* values, std::size_t count) {
  return api->handle_list_new(type, values, count);
}
inline PyObject* record_new(int type) { return api->record_new(type); }
inline void* record_data(PyObject* record) { return record_object(record)->data; }
inline PyObject* record_copy(int type, const void* source) { return api->record_copy(type, source); }
inline PyObject* record_list_new(int type, const void* values, std::size_t count) {
  return api->record_list_new(type, values, count);
}
inline PyObject* enumeration_member(int type, long long value) { return api->enumeration_member(type, value); }
inline PyObject* enumeration_class(int type) { return api->enumeration_class(type); }

inline PyObject* text_or_none(const char* text) {
  if (text == nullptr) Py_RETURN_NONE;
  return PyBytes_FromString(text);
}

inline PyObject* failed(int library, int slot, long long status, int outputs) {
  return api->slots->failed(library, slot, status, outputs);
}
inline int require(int library, int slot) { return api->slots->require(library, slot); }

// ---- a module's names (PEP 562) ----------------------------------------------------------------------------------

inline PyObject* module_attribute(int module, PyObject* name) { return api->module_attribute(module, name); }
inline PyObject* module_names(int module) { return api->module_names(module); }
inline PyObject* size_of(int module, PyObject* cls) { return api->size_of(module, cls); }

}  // namespace cuda_bindings

// Defines its part of the interface (struct ArgumentsApi) and the inline functions over it.
#if __has_include("native/arguments.hpp")
#include "native/arguments.hpp"
#include "native/callback_arguments.hpp"
#include "native/functions.hpp"
#endif

// What Py_END_ALLOW_THREADS and Cython's `with nogil` end in.
#define PyEval_RestoreThread ::cuda_bindings::api->restore_thread
