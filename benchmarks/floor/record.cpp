// SPDX-License-Identifier: Apache-2.0
// A struct with one member of each kind, as getset descriptors written by hand.
#include "objects.hpp"

namespace benchmark_floor {
namespace {

struct Location {
  int type;
  int id;
};

struct Values {
  std::uint64_t number;
  int enumeration;
  Location nested;
  int array[3];
  std::uint64_t handle;
};

// A struct of its own, or a view into one that it keeps.
struct Record {
  PyObject_HEAD char* data;
  PyObject* keep;
  Values own;
};

struct View {
  PyObject_HEAD Location* data;
  PyObject* keep;
};

FreeList<Record, 64> free_records;
FreeList<View, 64> free_views;
PyObject* location_types[4];  // members of the enumeration, by value
PyTypeObject* location_class;

extern PyTypeObject record_class;
extern PyTypeObject view_class;

Values* values_of(PyObject* self) { return reinterpret_cast<Values*>(reinterpret_cast<Record*>(self)->data); }

PyObject* record_vectorcall(PyObject*, PyObject* const*, std::size_t flags, PyObject* names) {
  if (PyVectorcall_NARGS(flags) != 0 || names != nullptr) {
    PyErr_SetString(PyExc_TypeError, "Record() takes no arguments");
    return nullptr;
  }
  Record* record;
  if (free_records.size > 0) {
    record = free_records.objects[--free_records.size];
    Py_SET_REFCNT(reinterpret_cast<PyObject*>(record), 1);
  } else {
    record = PyObject_New(Record, &record_class);
    if (record == nullptr) return nullptr;
  }
  record->own = {};
  record->data = reinterpret_cast<char*>(&record->own);
  record->keep = nullptr;
  return reinterpret_cast<PyObject*>(record);
}

void record_dealloc(PyObject* self) {
  Record* record = reinterpret_cast<Record*>(self);
  Py_XDECREF(record->keep);
  if (free_records.size < free_records.most) {
    free_records.objects[free_records.size++] = record;
  } else {
    PyObject_Free(record);
  }
}

void view_dealloc(PyObject* self) {
  View* view = reinterpret_cast<View*>(self);
  Py_XDECREF(view->keep);
  if (free_views.size < free_views.most) {
    free_views.objects[free_views.size++] = view;
  } else {
    PyObject_Free(view);
  }
}

int no_delete(PyObject* value) {
  if (value != nullptr) return 0;
  PyErr_SetString(PyExc_TypeError, "a struct's member cannot be deleted");
  return -1;
}

PyObject* member_of(int value) {
  if (value >= 0 && value < 4) return Py_NewRef(location_types[value]);
  return PyLong_FromLong(value);
}

PyObject* get_number(PyObject* self, void*) { return PyLong_FromUnsignedLongLong(values_of(self)->number); }
int set_number(PyObject* self, PyObject* value, void*) {
  return no_delete(value) < 0 ? -1 : read_number(value, &values_of(self)->number, "Record", "number");
}

PyObject* get_enumeration(PyObject* self, void*) { return member_of(values_of(self)->enumeration); }
int set_enumeration(PyObject* self, PyObject* value, void*) {
  if (no_delete(value) < 0) return -1;
  return read_enumeration(value, location_class, &values_of(self)->enumeration, "Record", "enumeration");
}

// A view: what is written into the handle's memory stands in the struct.
PyObject* get_handle(PyObject* self, void*) {
  Handle* handle = handle_allocate(stream_class);
  if (handle == nullptr) return nullptr;
  handle->slot = &values_of(self)->handle;
  handle->keep = Py_NewRef(self);
  return reinterpret_cast<PyObject*>(handle);
}
int set_handle(PyObject* self, PyObject* value, void*) {
  return no_delete(value) < 0 ? -1 : read_handle(value, stream_class, &values_of(self)->handle, "Record", "handle");
}

PyObject* get_nested(PyObject* self, void*) {
  View* view;
  if (free_views.size > 0) {
    view = free_views.objects[--free_views.size];
    Py_SET_REFCNT(reinterpret_cast<PyObject*>(view), 1);
  } else {
    view = PyObject_New(View, &view_class);
    if (view == nullptr) return nullptr;
  }
  view->data = &values_of(self)->nested;
  view->keep = Py_NewRef(self);
  return reinterpret_cast<PyObject*>(view);
}
int set_nested(PyObject* self, PyObject* value, void*) {
  if (no_delete(value) < 0) return -1;
  if (Py_TYPE(value) != &view_class) return refuse(value, "Record", "nested", "Location");
  values_of(self)->nested = *reinterpret_cast<View*>(value)->data;
  return 0;
}

PyObject* get_array(PyObject* self, void*) {
  PyObject* list = PyList_New(3);
  for (Py_ssize_t index = 0; list != nullptr && index < 3; ++index) {
    PyObject* item = PyLong_FromLong(values_of(self)->array[index]);
    if (item == nullptr) {
      Py_DECREF(list);
      return nullptr;
    }
    PyList_SET_ITEM(list, index, item);
  }
  return list;
}
int set_array(PyObject* self, PyObject* value, void*) {
  if (no_delete(value) < 0) return -1;
  if (!PyList_CheckExact(value) || PyList_GET_SIZE(value) != 3) return refuse(value, "Record", "array", "3 numbers");
  int read[3];
  for (Py_ssize_t index = 0; index < 3; ++index) {
    if (read_number(PyList_GET_ITEM(value, index), &read[index], "Record", "array") < 0) return -1;
  }
  std::memcpy(values_of(self)->array, read, sizeof read);
  return 0;
}

PyObject* get_type(PyObject* self, void*) { return member_of(reinterpret_cast<View*>(self)->data->type); }
PyObject* get_id(PyObject* self, void*) { return PyLong_FromLong(reinterpret_cast<View*>(self)->data->id); }
int set_id(PyObject* self, PyObject* value, void*) {
  return no_delete(value) < 0 ? -1 : read_number(value, &reinterpret_cast<View*>(self)->data->id, "Location", "id");
}

PyGetSetDef record_members[] = {
    {"number", get_number, set_number, nullptr, nullptr},
    {"enumeration", get_enumeration, set_enumeration, nullptr, nullptr},
    {"handle", get_handle, set_handle, nullptr, nullptr},
    {"nested", get_nested, set_nested, nullptr, nullptr},
    {"array", get_array, set_array, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyGetSetDef view_members[] = {
    {"type", get_type, nullptr, nullptr, nullptr},
    {"id", get_id, set_id, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyTypeObject make_class(const char* name, Py_ssize_t size, destructor dealloc, PyGetSetDef* members,
                        vectorcallfunc construct) {
  PyTypeObject type{PyVarObject_HEAD_INIT(nullptr, 0)};
  type.tp_name = name;
  type.tp_basicsize = size;
  type.tp_dealloc = dealloc;
  type.tp_getset = members;
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_vectorcall = construct;
  return type;
}

PyTypeObject record_class = make_class("Record", sizeof(Record), record_dealloc, record_members, record_vectorcall);
PyTypeObject view_class = make_class("Location", sizeof(View), view_dealloc, view_members, nullptr);

}  // namespace

int add_record(PyObject* module) {
  constexpr const char* names[] = {"INVALID", "DEVICE", "HOST", "HOST_NUMA"};
  constexpr int numbers[] = {0, 1, 2, 3};
  PyObject* cls = make_enumeration("LocationType", names, numbers, 4);
  if (cls == nullptr) return -1;
  location_class = reinterpret_cast<PyTypeObject*>(cls);
  for (int index = 0; index < 4; ++index) {
    location_types[index] = PyObject_GetAttrString(cls, names[index]);
    if (location_types[index] == nullptr) return -1;
  }
  if (PyModule_AddObjectRef(module, "LocationType", cls) < 0) return -1;
  if (PyType_Ready(&record_class) < 0 || PyType_Ready(&view_class) < 0) return -1;
  return PyModule_AddObjectRef(module, "Record", reinterpret_cast<PyObject*>(&record_class));
}

}  // namespace benchmark_floor
