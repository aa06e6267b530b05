// SPDX-License-Identifier: Apache-2.0
// cuda_bindings._native: the one owner of tables and classes, and the capsule through which the other modules reach it.
#include "native/api.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include "native/callback_calls.hpp"
#include "native/callbacks.hpp"
#include "native/complaint.hpp"
#include "native/enumeration.hpp"
#include "native/errors.hpp"
#include "native/functions_api.hpp"
#include "native/handle.hpp"
#include "native/prepared_launch.hpp"
#include "native/record.hpp"
#include "native/record_pointer_method.hpp"
#include "native/reference.hpp"
#include "native/registry.hpp"
#include "native/settled_modules.hpp"

namespace cuda_bindings {
namespace {

int handle_value(PyObject* object, int type, const char* function, const char* parameter, std::uint64_t* value) {
  return handle_read_value(object, type, {function, parameter}, value);
}

int handle_address(PyObject* object, int type, bool in_place, const char* function, const char* parameter,
                   void** address) {
  return handle_read_address(object, type, in_place, {function, parameter}, address);
}

int record_memory(PyObject* object, int type, bool nullable, const char* function, const char* parameter, void** data) {
  return record_read(object, type, nullable, {function, parameter}, data);
}

int enumeration_value(PyObject* object, int type, const char* function, const char* parameter, int* value) {
  return enumeration_read_value(object, type, {function, parameter}, value);
}

PyObject* class_of_enumeration(int type) { return Py_XNewRef(reinterpret_cast<PyObject*>(enumeration_type(type))); }

#undef PyEval_RestoreThread

// A thread that comes back from CUDA when the interpreter has ended is made to exit by interpreters before 3.14, at the
// place where it wants the GIL: what the call's arguments own would be released without it. Later ones stop the thread.
// It stands here because the function modules are compiled without exceptions.
void restore_thread(PyThreadState* state) try {
  PyEval_RestoreThread(state);
  count_call();
} catch (abi::__forced_unwind&) {
  for (;;) pause();
}

Api make_api() {
  Api made = {};
  made.byte_size = sizeof(Api);
  made.handle_rows = handle_rows;
  made.record_rows = record_rows;
  made.enumeration_rows = enumeration_rows;
  made.handle_types = handle_types;
  made.record_types = record_types;
  made.enumeration_types = enumeration_types;
  made.spare_handles = &spare_handles;
  made.arguments = arguments_api();
  made.callbacks = callbacks_api();
  made.slots = slots_api();
  made.handle_value = handle_value;
  made.handle_address = handle_address;
  made.record_memory = record_memory;
  made.enumeration_value = enumeration_value;
  made.handle_new = handle_new_object;
  made.handle_list_new = handle_list;
  made.record_new = record_new_object;
  made.record_copy = record_from;
  made.record_list_new = record_list;
  made.enumeration_member = enumeration_member_of;
  made.enumeration_class = class_of_enumeration;
  made.restore_thread = restore_thread;
  made.order_arguments = order_arguments;
  made.enter_function = enter_function;
  made.module_attribute = module_attribute_of;
  made.module_names = module_names_of;
  made.size_of = size_of_class;
  return made;
}

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "_native",
                          "Types, tables and loader of cuda_bindings.",
                          -1,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

int fill(PyObject* module) {
  static const Api made = make_api();
  api = &made;
  if (init_memory() < 0 || init_pointer_method() < 0 || init_callbacks() < 0 || init_callback_calls(module) < 0)
    return -1;
  PyObject* capsule = PyCapsule_New(const_cast<Api*>(&made), CAPSULE_NAME, nullptr);
  if (PyModule_AddObjectRef(module, "api", capsule) < 0) {
    Py_XDECREF(capsule);
    return -1;
  }
  Py_DECREF(capsule);
  return init_arguments(module) < 0 || init_slots(module) < 0 || init_prepared_launch(module) < 0 ? -1 : 0;
}

}  // namespace
}  // namespace cuda_bindings

extern "C" [[gnu::visibility("default")]] PyObject* PyInit__native() {
  // Threads of CUDA's come in through the main interpreter, and classes exist once per process.
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError, "cuda_bindings can be used in the main interpreter only");
    return nullptr;
  }
  cuda_bindings::Reference module{PyModule_Create(&cuda_bindings::definition)};
  if (!module) return nullptr;
#ifdef Py_GIL_DISABLED
  if (PyUnstable_Module_SetGIL(module.get(), Py_MOD_GIL_NOT_USED) < 0) return nullptr;
#endif
  return cuda_bindings::fill(module.get()) < 0 ? nullptr : module.release();
}
