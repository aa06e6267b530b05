// SPDX-License-Identifier: Apache-2.0
// The Python objects that handles are: how they are made, kept, compared and shown.
#include <charconv>
#include <iterator>
#include <string>

#include "native/handle.hpp"
#include "native/integer.hpp"
#include "native/registry.hpp"

namespace cuda_bindings {

PyTypeObject* handle_types[HANDLE_COUNT];
HandleSpares spare_handles;

namespace {

HandleObject* allocate(PyTypeObject* cls, int type) {
  if (cls != handle_types[type]) return handle_object(cls->tp_alloc(cls, 0));  // a class derived in Python
  return spare_handles.take(cls);
}

HandleObject* make(PyTypeObject* cls, int type, std::uint64_t value) {
  return fill_handle(allocate(cls, type), type, value);
}

PyObject* as_object(HandleObject* handle) { return reinterpret_cast<PyObject*>(handle); }

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(handle_object(self)->keep);
  return 0;
}

// A view goes on keeping what its slot lies in: memory at an address of somebody's may be gone by now, so that its value
// cannot be taken along. Cycles through views are broken in the memory, or in what points back.
int clear(PyObject* self) {
  HandleObject* handle = handle_object(self);
  if (handle->slot == &handle->own) Py_CLEAR(handle->keep);
  return 0;
}

bool is_number_like(HandleKind kind) { return kind != HandleKind::pointer && kind != HandleKind::function; }

PyObject* construct(PyTypeObject* cls, PyObject* init_value, PyObject* pointer) {
  const int type = find_class_or_base(cls).id;
  const HandleRow& row = handle_rows[type];
  std::uint64_t value = 0;
  std::uint64_t address = 0;
  if (init_value != nullptr) {
    const bool flag = PyBool_Check(init_value) && is_number_like(row.kind);  // CUdevice(False) is what it says
    if (flag) value = init_value == Py_True;
    const Reading reading = flag ? Reading::good : handle_read_number(init_value, type, &value);
    if (reading != Reading::good) {
      refuse_reading(reading, init_value, {row.name, "init_value"}, "an integer of the C type's range");
      return nullptr;
    }
  }
  if (pointer != nullptr && read_raw_address(pointer, {row.name, "_ptr"}, "an address as an integer", &address) < 0) {
    return nullptr;
  }
  HandleObject* handle = make(cls, type, value);
  if (handle == nullptr) return nullptr;
  if (address != 0) {
    handle->slot = reinterpret_cast<void*>(address);
    if (value != 0 && is_number_like(row.kind)) write_slot(row.kind, handle->slot, value);
  }
  return as_object(handle);
}

PyObject* create(PyTypeObject* cls, PyObject* args, PyObject* kwargs) {
  static const char* const names[] = {"init_value", "_ptr", nullptr};
  PyObject* init_value = nullptr;
  PyObject* pointer = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO", const_cast<char**>(names), &init_value, &pointer))
    return nullptr;
  return construct(cls, init_value, pointer);
}

// The same without a tuple and a dictionary for the arguments.
PyObject* create_fast(PyObject* cls, PyObject* const* args, std::size_t flags, PyObject* names) {
  const Py_ssize_t count = PyVectorcall_NARGS(flags);
  if (count > 2) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most 2 positional arguments (%zd given)",
                 reinterpret_cast<PyTypeObject*>(cls)->tp_name, count);
    return nullptr;
  }
  PyObject* values[2] = {count > 0 ? args[0] : nullptr, count > 1 ? args[1] : nullptr};
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    const int at = PyUnicode_CompareWithASCIIString(name, "_ptr") == 0         ? 1
                   : PyUnicode_CompareWithASCIIString(name, "init_value") == 0 ? 0
                                                                               : -1;
    if (at < 0 || values[at] != nullptr) {
      PyErr_Format(PyExc_TypeError, "%s() got %s argument '%U'", reinterpret_cast<PyTypeObject*>(cls)->tp_name,
                   at < 0 ? "an unexpected keyword" : "multiple values for", name);
      return nullptr;
    }
    values[at] = args[count + i];
  }
  return construct(reinterpret_cast<PyTypeObject*>(cls), values[0], values[1]);
}

PyObject* show(PyObject* self) {
  const HandleRow& row = handle_rows[handle_object(self)->type];
  const std::uint64_t value = handle_read(self);
  const bool is_signed = row.kind == HandleKind::signed32;
  const bool is_address = !is_number_like(row.kind);
  char digits[24];
  const std::to_chars_result end = is_signed ? std::to_chars(digits, std::end(digits), static_cast<std::int64_t>(value))
                                             : std::to_chars(digits, std::end(digits), value, is_address ? 16 : 10);
  std::string text = "<";
  text.append(row.name).append(is_address ? " 0x" : " ").append(digits, end.ptr) += '>';
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

PyObject* to_int(PyObject* self) {
  const std::uint64_t value = handle_read(self);
  if (handle_rows[handle_object(self)->type].kind == HandleKind::signed32) {
    return PyLong_FromLongLong(static_cast<long long>(value));
  }
  return PyLong_FromUnsignedLongLong(value);
}

int truth(PyObject* self) { return handle_read(self) != 0; }

Py_hash_t hash(PyObject* self) {
  const std::uint64_t value = handle_read(self);
  // As for pointers in CPython: the low bits of an address say little.
  const Py_hash_t result = static_cast<Py_hash_t>((value >> 4) | (value << 60));
  return result == -1 ? -2 : result;
}

// A runtime twin derives from the driver's class: both are of the driver's type.
int family(int type) {
  while (handle_rows[type].base != NO_TYPE) type = handle_rows[type].base;
  return type;
}

bool is_device_pointer(int type) { return type == HANDLE_CUdeviceptr || type == HANDLE_CUdeviceptr_v2; }

// `left` is a handle: Python asks an object's own class, or that of the other with both exchanged.
PyObject* compare(PyObject* left, PyObject* right, int operation) {
  if (Py_TYPE(left) == Py_TYPE(right) && (operation == Py_EQ || operation == Py_NE)) [[likely]] {
    const bool equal = handle_read(left) == handle_read(right);
    return Py_NewRef(equal == (operation == Py_EQ) ? Py_True : Py_False);
  }
  if (Py_TYPE(left) != Py_TYPE(right) && !is_handle(right)) Py_RETURN_NOTIMPLEMENTED;
  const int type = family(handle_object(left)->type);
  const bool related = type == family(handle_object(right)->type);
  const bool ordering = operation != Py_EQ && operation != Py_NE;
  if (ordering && !(related && is_device_pointer(type))) Py_RETURN_NOTIMPLEMENTED;
  if (!related) return PyBool_FromLong(operation == Py_NE);
  const std::uint64_t a = handle_read(left);
  const std::uint64_t b = handle_read(right);
  Py_RETURN_RICHCOMPARE(a, b, operation);
}

// ---- arithmetic of device pointers -------------------------------------------------------------------------------

bool is_device_pointer(PyObject* object) { return is_handle(object) && is_device_pointer(handle_object(object)->type); }

PyObject* moved(PyObject* pointer, PyObject* distance, bool backwards) {
  if (is_handle(distance) || !PyIndex_Check(distance)) Py_RETURN_NOTIMPLEMENTED;
  Integer number;
  const Where where{"CUdeviceptr", backwards ? "difference" : "sum"};
  const Reading reading = read_integer(distance, Floats::refused, &number);
  if (reading != Reading::good) {
    refuse_reading(reading, distance, where, "an integer");
    return nullptr;
  }
  const std::uint64_t start = handle_read(pointer);
  const bool down = number.negative != backwards && number.bits != 0;
  const std::uint64_t length = number.negative ? 0 - number.bits : number.bits;
  if (down ? length > start : length > UINT64_MAX - start) {
    PyErr_Format(PyExc_OverflowError, "%R %s %R is no 64-bit address", pointer, backwards ? "-" : "+", distance);
    return nullptr;
  }
  return handle_new_object(handle_object(pointer)->type, down ? start - length : start + length);
}

PyObject* add(PyObject* left, PyObject* right) {
  if (is_device_pointer(left)) return moved(left, right, false);
  return moved(right, left, false);
}

PyObject* subtract(PyObject* left, PyObject* right) {
  if (!is_device_pointer(left)) Py_RETURN_NOTIMPLEMENTED;  // a number less a pointer means nothing
  if (!is_device_pointer(right)) return moved(left, right, true);
  if (handle_object(left)->type != handle_object(right)->type) Py_RETURN_NOTIMPLEMENTED;
  const std::uint64_t a = handle_read(left);
  const std::uint64_t b = handle_read(right);
  PyObject* distance = PyLong_FromUnsignedLongLong(a >= b ? a - b : b - a);
  if (distance == nullptr || a >= b) return distance;
  PyObject* negative = PyNumber_Negative(distance);
  Py_DECREF(distance);
  return negative;
}

// ---- methods -----------------------------------------------------------------------------------------------------

PyObject* get_ptr(PyObject* self, PyObject*) { return PyLong_FromVoidPtr(handle_object(self)->slot); }

PyObject* no_pickle(PyObject* self, PyObject*) {
  PyErr_Format(PyExc_TypeError, "cannot pickle or copy '%s': its value means nothing in another process",
               Py_TYPE(self)->tp_name);
  return nullptr;
}

PyObject* cuda_stream(PyObject* self, PyObject*) { return Py_BuildValue("(iN)", 0, to_int(self)); }

PyMethodDef methods[] = {
    {"getPtr", get_ptr, METH_NOARGS,
     "getPtr() -> int\n\nThe address of the handle itself, where C code finds its value."},
    {"__reduce_ex__", no_pickle, METH_O, nullptr},
    {"__reduce__", no_pickle, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMethodDef stream_methods[] = {
    methods[0],
    methods[1],
    methods[2],
    {"__cuda_stream__", cuda_stream, METH_NOARGS,
     "__cuda_stream__() -> tuple[int, int]\n\nThe stream protocol: its version and the handle."},
    {nullptr, nullptr, 0, nullptr},
};

template <typename Function>
void* slot(Function function) {
  return reinterpret_cast<void*>(function);
}

PyTypeObject* build(int type) {
  const HandleRow& row = handle_rows[type];
  PyTypeObject* base = nullptr;
  if (row.base != NO_TYPE && (base = handle_type(row.base)) == nullptr) return nullptr;
  const std::string doc = std::string(row.name) + "(init_value=0, _ptr=0)\n--\n\n" + "The C type " + row.name +
                          " holding `init_value`, or the one stored at address `_ptr`.";
  PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>(doc.c_str())},
      {Py_tp_new, slot(create)},
      {Py_tp_dealloc, slot(handle_dealloc)},
      {Py_tp_traverse, slot(traverse)},
      {Py_tp_clear, slot(clear)},
      {Py_tp_repr, slot(show)},
      {Py_tp_hash, slot(hash)},
      {Py_tp_richcompare, slot(compare)},
      {Py_tp_methods, type == HANDLE_CUstream ? stream_methods : methods},
      {Py_nb_int, slot(to_int)},
      {Py_nb_index, slot(to_int)},
      {Py_nb_bool, slot(truth)},
      {is_device_pointer(type) ? Py_nb_add : 0, slot(add)},
      {is_device_pointer(type) ? Py_nb_subtract : 0, slot(subtract)},
      {0, nullptr},
  };
  PyType_Spec spec = {qualified_name(row.module, row.name), sizeof(HandleObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, slots};
  PyObject* bases = base == nullptr ? nullptr : PyTuple_Pack(1, base);
  if (base != nullptr && bases == nullptr) return nullptr;
  PyObject* made = PyType_FromSpecWithBases(&spec, bases);
  Py_XDECREF(bases);
  if (made == nullptr) return nullptr;
  PyTypeObject* cls = reinterpret_cast<PyTypeObject*>(made);
  cls->tp_vectorcall = create_fast;
  return publish_class(cls, ClassKind::handle, static_cast<std::int16_t>(type), handle_types);
}

void track(PyObject* self) {
  handle_object(self)->tracked = true;
  PyObject_GC_Track(self);
}

}  // namespace

void handle_dealloc(PyObject* self) {
  PyTypeObject* cls = Py_TYPE(self);
  HandleObject* handle = handle_object(self);
  const bool derived = cls != handle_types[handle->type];  // Python tracks those itself
  if (handle->tracked || derived) {
    PyObject_GC_UnTrack(self);
    Py_CLEAR(handle->keep);
  }
  if (derived || !spare_handles.give(handle)) cls->tp_free(self);
  Py_DECREF(cls);
}

PyTypeObject* handle_type(int type) {
  PyTypeObject* found = published(handle_types, type);
  return found != nullptr ? found : build(type);
}

PyObject* handle_new_object(int type, std::uint64_t value) {
  PyTypeObject* cls = handle_type(type);
  return cls == nullptr ? nullptr : as_object(make(cls, type, value));
}

PyObject* handle_view(int type, void* slot, PyObject* keep) {
  PyObject* object = handle_new_object(type, 0);
  if (object == nullptr) return nullptr;
  HandleObject* handle = handle_object(object);
  handle->slot = slot;
  handle->keep = Py_NewRef(keep);
  track(object);
  return object;
}

PyObject* handle_list(int type, const void* values, std::size_t count) {
  PyTypeObject* cls = handle_type(type);
  PyObject* list = cls == nullptr ? nullptr : PyList_New(static_cast<Py_ssize_t>(count));
  if (list == nullptr) return nullptr;
  const HandleKind kind = handle_rows[type].kind;
  const std::size_t width = slot_size(kind);
  const char* at = static_cast<const char*>(values);
  for (std::size_t i = 0; i < count; ++i) {
    HandleObject* item =
        fill_handle(spare_handles.take(cls), type, at == nullptr ? 0 : read_slot(kind, at + i * width));
    if (item == nullptr) {
      Py_DECREF(list);
      return nullptr;
    }
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), as_object(item));
  }
  return list;
}

int handle_keep(PyObject* handle, PyObject* object) {
  HandleObject* self = handle_object(handle);
  PyObject* both = self->keep == nullptr ? Py_NewRef(object) : PyTuple_Pack(2, self->keep, object);
  if (both == nullptr) return -1;
  PyObject* before = self->keep;
  self->keep = both;
  Py_XDECREF(before);
  if (!PyObject_GC_IsTracked(handle)) track(handle);
  return 0;
}

}  // namespace cuda_bindings
