// SPDX-License-Identifier: Apache-2.0
// Starts the interpreter of the C++ tests that need one.
#include "embedded_python.hpp"

#include <cstdlib>

extern "C" PyObject* PyInit__native();

namespace cuda_bindings::testing {

namespace {

PyObject* names = nullptr;

PyObject* class_named(PyObject*, PyObject* arguments) {
  int module = 0;
  PyObject* name = nullptr;
  if (PyArg_ParseTuple(arguments, "iO", &module, &name) == 0) return nullptr;
  return module_attribute(module, name);
}

PyMethodDef class_named_method = {"class_named", class_named, METH_VARARGS, nullptr};

constexpr char preparation[] = R"(
import ctypes, sys
class Module:
    def __init__(self, number):
        self.number = number
    def __getattr__(self, name):
        return class_named(self.number, name)
driver, runtime, nvrtc = Module(0), Module(1), Module(2)
try:
    import numpy as np
except ImportError:
    np = None
)";

class Interpreter : public ::testing::Environment {
 public:
  void SetUp() override {
    Py_InitializeEx(0);
    PyObject* module = PyInit__native();
    ASSERT_NE(module, nullptr) << taken_exception();
    PyObject* modules = PyImport_GetModuleDict();
    ASSERT_EQ(PyDict_SetItemString(modules, "cuda_bindings._native", module), 0);
    names = PyDict_New();
    PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins());
    PyDict_SetItemString(names, "native", module);
    PyDict_SetItemString(names, "class_named", PyCFunction_New(&class_named_method, nullptr));
    Py_DECREF(module);
    run("import sys; sys.path.insert(0, '" SOURCE_ROOT "')");
    run(preparation);
  }
};

[[maybe_unused]] const ::testing::Environment* interpreter = ::testing::AddGlobalTestEnvironment(new Interpreter);

}  // namespace

Reference eval(const std::string& expression) {
  PyObject* value = PyRun_String(expression.c_str(), Py_eval_input, names, names);
  if (value == nullptr) {
    ADD_FAILURE() << expression << ": " << taken_exception();
    value = Py_NewRef(Py_None);
  }
  return Reference(value);
}

void run(const std::string& statements) {
  const Reference done(PyRun_String(statements.c_str(), Py_file_input, names, names));
  if (!done) ADD_FAILURE() << statements << ": " << taken_exception();
}

::testing::AssertionResult holds(const std::string& expression) {
  const Reference value = eval(expression);
  if (PyObject_IsTrue(value.get()) == 1) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << expression << " is false";
}

::testing::AssertionResult is(const Reference& value, const std::string& expression) {
  if (!value) return ::testing::AssertionFailure() << taken_exception();
  PyDict_SetItemString(names, "it", value.get());
  return holds(expression);
}

std::uint64_t number_of(const std::string& expression) { return PyLong_AsUnsignedLongLongMask(eval(expression).get()); }

std::string taken_exception() {
  if (PyErr_Occurred() == nullptr) return "";
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const Reference text(PyObject_Str(value));
  const std::string result =
      std::string(reinterpret_cast<PyTypeObject*>(type)->tp_name) + ": " + (text ? PyUnicode_AsUTF8(text.get()) : "?");
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return result;
}

::testing::AssertionResult raised(const std::string& type, const std::string& part) {
  const std::string taken = taken_exception();
  if (taken.starts_with(type + ": ") && taken.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "expected " << type << " with '" << part << "', got '" << taken << "'";
}

}  // namespace cuda_bindings::testing
