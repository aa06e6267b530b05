// SPDX-License-Identifier: Apache-2.0
// The interpreter calls a method without making it an object first, but only for classes with Python's own attribute
// access. Records have another (record_attributes.hpp), so that record.getPtr is made: from a free list, and called
// without arguments. Whatever else it is asked, the built-in method that it stands for answers.
#include "native/record_pointer_method.hpp"

#include <structmember.h>

#include "native/reference.hpp"
#include "native/spare.hpp"

namespace cuda_bindings {
namespace {

struct PointerMethod {
  PyObject_HEAD vectorcallfunc call;
  PyObject* record;
};

PyTypeObject* method_type = nullptr;
Spare<PointerMethod, 16> spare;

PointerMethod* method_object(PyObject* self) { return reinterpret_cast<PointerMethod*>(self); }

PyObject* call(PyObject* self, PyObject* const*, std::size_t flags, PyObject* names) {
  const Py_ssize_t given = PyVectorcall_NARGS(flags) + (names == nullptr ? 0 : PyTuple_GET_SIZE(names));
  if (given == 0) [[likely]]
    return record_address(method_object(self)->record);
  return PyErr_Format(PyExc_TypeError, "%s.getPtr() takes no arguments (%zd given)",
                      Py_TYPE(method_object(self)->record)->tp_name, given);
}

PyObject* get_method(PyObject* self, void*) {
  PointerMethod* method = spare.take(method_type);
  if (method == nullptr) return nullptr;
  method->call = call;
  method->record = Py_NewRef(self);
  PyObject_GC_Track(method);
  return reinterpret_cast<PyObject*>(method);
}

// As for every method: an AttributeError that says so.
int set_method(PyObject* self, PyObject* value, void*) {
  const Reference name{PyUnicode_InternFromString(record_get_pointer_method.ml_name)};
  return name ? PyObject_GenericSetAttr(self, name.get(), value) : -1;
}

void dealloc(PyObject* self) {
  PyTypeObject* cls = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_CLEAR(method_object(self)->record);
  if (!spare.give(method_object(self))) cls->tp_free(self);
  Py_DECREF(cls);
}

// No tp_clear, as for records: a cycle is broken in the memory.
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(method_object(self)->record);
  return 0;
}

PyObject* built_in(PyObject* self) {
  return PyCFunction_NewEx(&record_get_pointer_method, method_object(self)->record, nullptr);
}

PyObject* get_attribute(PyObject* self, PyObject* name) {
  const Reference method{built_in(self)};
  return method ? PyObject_GetAttr(method.get(), name) : nullptr;
}

PyObject* show(PyObject* self) {
  const Reference method{built_in(self)};
  return method ? PyObject_Repr(method.get()) : nullptr;
}

Py_hash_t hash(PyObject* self) {
  const Reference method{built_in(self)};
  return method ? PyObject_Hash(method.get()) : -1;
}

PyObject* compare(PyObject* left, PyObject* right, int operation) {
  const Reference method{built_in(left)};
  const Reference other{Py_TYPE(right) == method_type ? built_in(right) : Py_NewRef(right)};
  return method && other ? PyObject_RichCompare(method.get(), other.get(), operation) : nullptr;
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PointerMethod, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace

Member pointer_method_member() { return {nullptr, get_method, set_method, 0, NO_TYPE, NO_VIEW}; }

int init_pointer_method() {
  if (method_type != nullptr) return 0;
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
      {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
      {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
      {Py_tp_repr, reinterpret_cast<void*>(show)},
      {Py_tp_hash, reinterpret_cast<void*>(hash)},
      {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
      {Py_tp_members, members},
      {0, nullptr},
  };
  PyType_Spec spec = {"cuda_bindings._native.PointerMethod", sizeof(PointerMethod), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE |
                          Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  method_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return method_type == nullptr ? -1 : 0;
}

}  // namespace cuda_bindings
