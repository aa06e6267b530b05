// SPDX-License-Identifier: Apache-2.0
// Makes cydriver, cyruntime and cynvrtc: modules that hold nothing but __pyx_capi__, the dictionary from which Cython modules
// take C functions by name and signature text.
#pragma once

#include <cstddef>
#include <type_traits>

#include "cuda_bindings/cuda_types.h"
#include "native/api.hpp"

namespace cuda_bindings {

using AnyFunction = void (*)();

struct CapsuleRow {
  const char* name;
  const char* signature;  // also the capsule's name, which Cython compares letter by letter
  AnyFunction function;
};

// What a Cython declaration's except clause names, by library: CUDA_ERROR_NOT_FOUND, cudaErrorCallRequiresNewerDriver and
// NVRTC_ERROR_INVALID_INPUT. Only behind these values does the caller look for an exception.
inline constexpr int raised_codes[] = {500, 36, 3};

template <class Table>
const Table* table_of();
template <>
inline const DriverTable* table_of<DriverTable>() {
  return driver_table;
}
template <>
inline const RuntimeTable* table_of<RuntimeTable>() {
  return runtime_table;
}
template <>
inline const NvrtcTable* table_of<NvrtcTable>() {
  return nvrtc_table;
}

// True, with an exception set, if the slot has no function. The GIL is taken only then.
template <Library library, int slot>
bool raised() {
  const int state = api->slots->slot_state(library, slot);
  return state != SLOT_RESOLVED && state != SLOT_UNRESOLVED && api->slots->raise_missing(library, slot) != 0;
}

template <auto member, class Type = decltype(member)>
struct Exported;

// The function that a capsule holds: the slot's, with an exception where it has none.
template <auto member, class Table, Library library, int slot, class Result, class... Arguments>
struct Exported<member, Slot<library, slot, Result(Arguments...)> Table::*> {
  static Result call(Arguments... arguments) {
    const Result result = (table_of<Table>()->*member)(arguments...);
    if constexpr (std::is_enum_v<Result>) {
      if (static_cast<int>(result) == missing_codes[library] && raised<library, slot>()) {
        return static_cast<Result>(raised_codes[library]);
      }
    } else if constexpr (std::is_pointer_v<Result>) {
      if (result == nullptr) raised<library, slot>();
    } else {
      raised<library, slot>();
    }
    return result;
  }
};

template <auto member>
AnyFunction exported() {
  return reinterpret_cast<AnyFunction>(&Exported<member>::call);
}

template <class Result, class... Arguments>
AnyFunction exported(Result (*function)(Arguments...)) {
  return reinterpret_cast<AnyFunction>(function);
}

// The runtime's inline functions, which no library exports.
inline struct cudaPitchedPtr make_cudaPitchedPtr(void* d, std::size_t p, std::size_t xsz, std::size_t ysz) {
  return {d, p, xsz, ysz};
}
inline struct cudaPos make_cudaPos(std::size_t x, std::size_t y, std::size_t z) { return {x, y, z}; }
inline struct cudaExtent make_cudaExtent(std::size_t w, std::size_t h, std::size_t d) { return {w, h, d}; }

inline int export_capsules(PyObject* module, const CapsuleRow* rows, std::size_t count) {
  if (import_native() < 0) return -1;
  PyObject* const functions = PyDict_New();
  if (functions == nullptr) return -1;
  for (std::size_t index = 0; index < count; ++index) {
    void* const function = reinterpret_cast<void*>(rows[index].function);
    PyObject* const capsule = PyCapsule_New(function, rows[index].signature, nullptr);
    if (capsule == nullptr || PyDict_SetItemString(functions, rows[index].name, capsule) < 0) {
      Py_XDECREF(capsule);
      Py_DECREF(functions);
      return -1;
    }
    Py_DECREF(capsule);
  }
  const int status = PyObject_SetAttrString(module, "__pyx_capi__", functions);
  Py_DECREF(functions);
  return status;
}

}  // namespace cuda_bindings

#ifdef Py_mod_gil
#define CUDA_BINDINGS_NO_GIL {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#else
#define CUDA_BINDINGS_NO_GIL
#endif

// The module's definition, by the name `definition`.
#define CUDA_BINDINGS_CAPSULE_MODULE(module_name, rows)                                                     \
  int execute(PyObject* module) { return export_capsules(module, rows, sizeof(rows) / sizeof((rows)[0])); } \
  PyModuleDef_Slot module_slots[] = {{Py_mod_exec, reinterpret_cast<void*>(&execute)},                      \
                                     CUDA_BINDINGS_NO_GIL{0, nullptr}};                                     \
  PyModuleDef definition = {PyModuleDef_HEAD_INIT,                                                          \
                            "cuda_bindings." #module_name,                                                  \
                            "C functions for Cython modules.",                                              \
                            0,                                                                              \
                            nullptr,                                                                        \
                            module_slots,                                                                   \
                            nullptr,                                                                        \
                            nullptr,                                                                        \
                            nullptr};
