// SPDX-License-Identifier: Apache-2.0
// The floor's handle classes and the errors of its arguments.
#include "objects.hpp"

namespace benchmark_floor {

FreeList<Handle, 4096> free_handles;

void handle_dealloc(PyObject* self) {
  Handle* handle = reinterpret_cast<Handle*>(self);
  Py_XDECREF(handle->keep);
  if (free_handles.size < free_handles.most) {
    free_handles.objects[free_handles.size++] = handle;
  } else {
    PyObject_Free(handle);
  }
}

namespace {

PyObject* handle_create(PyTypeObject* cls, PyObject* arguments, PyObject*) {
  unsigned long long value = 0;
  if (!PyArg_ParseTuple(arguments, "|K", &value)) return nullptr;
  return handle_new(static_cast<HandleClass>(cls - handle_types), value);
}

PyObject* handle_int(PyObject* self) { return PyLong_FromUnsignedLongLong(handle_value(self)); }

Py_hash_t handle_hash(PyObject* self) {
  const std::uint64_t value = handle_value(self);
  const Py_hash_t hash = static_cast<Py_hash_t>((value >> 4) | (value << 60));
  return hash == -1 ? -2 : hash;
}

PyObject* handle_compare(PyObject* left, PyObject* right, int operation) {
  if (Py_TYPE(left) != Py_TYPE(right) || (operation != Py_EQ && operation != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((handle_value(left) == handle_value(right)) == (operation == Py_EQ));
}

PyNumberMethods handle_number = [] {
  PyNumberMethods methods{};
  methods.nb_int = handle_int;
  methods.nb_index = handle_int;
  return methods;
}();

PyTypeObject handle_class(const char* name) {
  PyTypeObject type{PyVarObject_HEAD_INIT(nullptr, 0)};
  type.tp_name = name;
  type.tp_basicsize = sizeof(Handle);
  type.tp_dealloc = handle_dealloc;
  type.tp_as_number = &handle_number;
  type.tp_hash = handle_hash;
  type.tp_richcompare = handle_compare;
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_new = handle_create;
  return type;
}

}  // namespace

PyTypeObject handle_types[handle_classes] = {
    handle_class("CUcontext"),    handle_class("CUdevice"),   handle_class("CUevent"),   handle_class("CUfunction"),
    handle_class("CUdeviceptr"),  handle_class("CUstream"),   handle_class("CUgraph"),   handle_class("CUgraphNode"),
    handle_class("CUmemoryPool"), handle_class("cuuint64_t"), handle_class("cuuint32_t")};

int refuse(PyObject* object, const char* function, const char* argument, const char* accepted) {
  PyErr_Format(PyExc_TypeError, "%s: %s is %R, not %s", function, argument, object, accepted);
  return -1;
}

}  // namespace benchmark_floor
