// SPDX-License-Identifier: Apache-2.0
// Tells callgrind, from Python, what to count; and functions by which parts of a call are told apart.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <chrono>

#ifdef WITH_CALLGRIND
#include <valgrind/callgrind.h>
#else  // nothing to tell: running() is False
#define RUNNING_ON_VALGRIND 0
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name) static_cast<void>(name)
#endif

namespace {

PyObject* running(PyObject*, PyObject*) { return PyBool_FromLong(RUNNING_ON_VALGRIND); }

PyObject* start(PyObject*, PyObject*) {
  CALLGRIND_START_INSTRUMENTATION;
  Py_RETURN_NONE;
}

PyObject* stop(PyObject*, PyObject*) {
  CALLGRIND_STOP_INSTRUMENTATION;
  Py_RETURN_NONE;
}

PyObject* zero(PyObject*, PyObject*) {
  CALLGRIND_ZERO_STATS;
  Py_RETURN_NONE;
}

PyObject* dump(PyObject*, PyObject* name) {
  const char* text = PyUnicode_AsUTF8(name);
  if (text == nullptr) return nullptr;
  CALLGRIND_DUMP_STATS_AT(text);
  Py_RETURN_NONE;
}

// As METH_FASTCALL: interpreters call these directly.
PyObject* empty(PyObject*, PyObject* const*, Py_ssize_t) { Py_RETURN_NONE; }

PyObject* released(PyObject*, PyObject* const*, Py_ssize_t) {
  PyThreadState* thread = PyEval_SaveThread();
  PyEval_RestoreThread(thread);
  Py_RETURN_NONE;
}

PyObject* call(PyObject*, PyObject* arguments) {
  unsigned long long address = 0;
  long count = 0;
  if (!PyArg_ParseTuple(arguments, "Kl", &address, &count)) return nullptr;
  int (*const volatile function)(void*) = reinterpret_cast<int (*)(void*)>(address);
  const auto begun = std::chrono::steady_clock::now();
  for (long index = 0; index < count; ++index) function(nullptr);
  const auto taken = std::chrono::steady_clock::now() - begun;
  return PyLong_FromLongLong(std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count());
}

PyMethodDef methods[] = {
    {"running", running, METH_NOARGS, "Whether this process runs under valgrind."},
    {"start", start, METH_NOARGS, "Begins to count."},
    {"stop", stop, METH_NOARGS, "Stops counting."},
    {"zero", zero, METH_NOARGS, "Sets all counts to 0."},
    {"dump", dump, METH_O, "Writes the counts since zero() under a name."},
    {"empty", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(empty)), METH_FASTCALL, "Does nothing."},
    {"released", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(released)), METH_FASTCALL,
     "Gives the GIL up and takes it again."},
    {"call", call, METH_VARARGS, "Nanoseconds of so many calls of the C function at an address."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "benchmark_counter", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_benchmark_counter() { return PyModule_Create(&definition); }
