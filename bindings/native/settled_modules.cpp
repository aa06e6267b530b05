// SPDX-License-Identifier: Apache-2.0
// Makes the names that a module has left to be made, one at a time, and then takes its `__getattr__` away.
#include "native/settled_modules.hpp"

#include "native/reference.hpp"
#include "native/registry.hpp"

namespace cuda_bindings {
namespace {

enum class Step { made, nothing_left, failed };

// Where the work stands. Only the main thread goes on with it, between two instructions of its Python code.
struct Progress {
  int module = LIBRARY_DRIVER;
  PyObject* names = nullptr;  // of the module: list
  Py_ssize_t next = 0;
};

std::atomic<bool> is_finished{false};
std::atomic<bool> is_asked{false};  // the interpreter's queue is short, and others need it too

// Whether a module's `__getattr__` is the one that it came with: what a program puts there is not touched.
bool is_ours(PyObject* function, int module) {
  if (function == nullptr || !PyCFunction_Check(function)) return false;
  const PyObject* of = reinterpret_cast<PyCFunctionObject*>(function)->m_module;
  return of != nullptr && PyUnicode_Check(of) &&
         PyUnicode_CompareWithASCIIString(const_cast<PyObject*>(of), module_name(module)) == 0;
}

// The namespace of an imported module that still has its `__getattr__`, borrowed: modules stay as long as the process.
PyObject* unsettled_namespace(int module) {
  const Reference name{PyUnicode_FromString(module_name(module))};
  const Reference found{name ? PyImport_GetModule(name.get()) : nullptr};
  if (!found || !PyModule_CheckExact(found.get())) return nullptr;
  PyObject* names = PyModule_GetDict(found.get());
  return is_ours(PyDict_GetItemString(names, "__getattr__"), module) ? names : nullptr;
}

Step make_next(Progress& progress, PyObject* space) {
  if (progress.names == nullptr && (progress.names = module_names_of(progress.module)) == nullptr) return Step::failed;
  while (progress.next < PyList_GET_SIZE(progress.names)) {
    PyObject* name = PyList_GET_ITEM(progress.names, progress.next);
    const int is_there = PyDict_Contains(space, name);
    if (is_there < 0) return Step::failed;
    if (is_there == 0) {
      const Reference value{module_attribute_of(progress.module, name)};
      if (!value || PyDict_SetDefault(space, name, value.get()) == nullptr) return Step::failed;
    }
    ++progress.next;
    if (is_there == 0) return Step::made;
  }
  return PyDict_DelItemString(space, "__getattr__") < 0 ? Step::failed : Step::nothing_left;
}

// An error here is nobody's: the modules work either way. What is no ordinary error (Ctrl-C, an exit) came in between.
int failed() {
  static int attempts_left = 16;  // the stack may have been full just then
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) return -1;
  PyErr_Clear();
  if (--attempts_left == 0) is_finished.store(true, std::memory_order_relaxed);
  return 0;
}

// To be called by the interpreter, in the main thread.
int settle(void* /*nothing*/) {
  static Progress progress;
  is_asked.store(false, std::memory_order_relaxed);
  for (; progress.module <= LIBRARY_NVRTC; ++progress.module) {
    PyObject* space = unsettled_namespace(progress.module);
    const Step step = space != nullptr ? make_next(progress, space) : Step::nothing_left;
    if (step == Step::made) return 0;
    if (step == Step::failed || PyErr_Occurred() != nullptr) return failed();
    Py_CLEAR(progress.names);
    progress.next = 0;
  }
  is_finished.store(true, std::memory_order_relaxed);
  return 0;
}

}  // namespace

void settle_next_name() {
  if (is_finished.load(std::memory_order_relaxed)) return;
  if (is_asked.exchange(true, std::memory_order_relaxed)) return;
  // A full queue loses nothing: the next calls ask again.
  if (Py_AddPendingCall(settle, nullptr) < 0) is_asked.store(false, std::memory_order_relaxed);
}

}  // namespace cuda_bindings
