// SPDX-License-Identifier: Apache-2.0
// The Python objects that records are: how they are made, kept, copied and compared.
#include <algorithm>
#include <memory>

#include "native/integer.hpp"
#include "native/record_attributes.hpp"
#include "native/record_pointer_method.hpp"
#include "native/record_views.hpp"
#include "native/reference.hpp"
#include "native/registry.hpp"
#include "native/spare.hpp"

namespace cuda_bindings {

PyTypeObject* record_types[RECORD_COUNT];

namespace {

Spare<RecordObject, 1024> spare;

// Takes the reference to the memory over, on failure too.
PyObject* make(PyTypeObject* cls, int type, char* data, MemoryObject* memory) {
  const bool ours = cls == record_types[type];  // or derived in Python, and tracked by tp_alloc
  RecordObject* record = ours ? spare.take(cls) : record_object(cls->tp_alloc(cls, 0));
  if (record == nullptr) {
    Py_DECREF(reinterpret_cast<PyObject*>(memory));
    return nullptr;
  }
  record->data = data;
  record->memory = reinterpret_cast<PyObject*>(memory);
  record->views = nullptr;
  record->type = static_cast<std::int16_t>(type);
  if (ours) PyObject_GC_Track(record);
  return reinterpret_cast<PyObject*>(record);
}

PyObject* make_owned(PyTypeObject* cls, int type, char** data) {
  const RecordRow& row = record_rows[type];
  MemoryObject* memory = memory_new(row.size, row.align, static_cast<std::int16_t>(type));
  if (memory == nullptr) return nullptr;
  *data = memory->data;
  return make(cls, type, memory->data, memory);
}

// dim3 starts at 1, 1, 1: its C++ constructor says so, and with it these structs' members (list (b) 21 of the API
// page).
bool has_initial_members(int tag) { return tag == RECORD_cudaKernelNodeParams || tag == RECORD_cudaLaunchConfig_st; }

void initialise(int type, char* data) {
  const int tag = record_tag(type);
  const RecordRow& row = record_rows[tag];
  for (std::uint16_t i = 0; i < row.field_count; ++i) {
    const FieldRow& field = row.fields[i];
    if (field.initial != 0) data[field.offset] = static_cast<char>(field.initial);  // the lowest byte
    if (field.kind == FieldKind::record && has_initial_members(tag)) initialise(field.type, data + field.offset);
  }
}

// Whether that changes anything in a record of the type.
bool has_initial_values(int type) {
  const int tag = record_tag(type);
  const RecordRow& row = record_rows[tag];
  return std::any_of(row.fields, row.fields + row.field_count, [&](const FieldRow& field) {
    const bool nested = field.kind == FieldKind::record && has_initial_members(tag);
    return field.initial != 0 || (nested && has_initial_values(field.type));
  });
}

bool starts_with_values[RECORD_COUNT];  // found out when the class is made

PyObject* make_fresh(PyTypeObject* cls, int type) {
  char* data = nullptr;
  PyObject* object = make_owned(cls, type, &data);
  if (object != nullptr && starts_with_values[type]) initialise(type, data);
  return object;
}

PyObject* construct(PyTypeObject* cls, PyObject* pointer) {
  const int type = find_class_or_base(cls).id;
  const RecordRow& row = record_rows[type];
  std::uint64_t address = 0;
  if (pointer != nullptr && read_raw_address(pointer, {row.name, "_ptr"}, "an address as an integer", &address) < 0) {
    return nullptr;
  }
  if (address == 0) return make_fresh(cls, type);
  MemoryObject* memory = memory_at(reinterpret_cast<void*>(address), row.size, static_cast<std::int16_t>(type));
  return memory == nullptr ? nullptr : make(cls, type, memory->data, memory);
}

PyObject* create(PyTypeObject* cls, PyObject* args, PyObject* kwargs) {
  static const char* const names[] = {"_ptr", nullptr};
  PyObject* pointer = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", const_cast<char**>(names), &pointer)) return nullptr;
  return construct(cls, pointer);
}

// The usual case, without a tuple for no arguments.
PyObject* create_fast(PyObject* cls, PyObject* const* args, std::size_t flags, PyObject* names) {
  const Py_ssize_t count = PyVectorcall_NARGS(flags);
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  const char* name = reinterpret_cast<PyTypeObject*>(cls)->tp_name;
  if (count + named > 1) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most 1 argument (%zd given)", name, count + named);
    return nullptr;
  }
  if (named == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "_ptr") != 0) {
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", name, PyTuple_GET_ITEM(names, 0));
    return nullptr;
  }
  return construct(reinterpret_cast<PyTypeObject*>(cls), count + named == 1 ? args[0] : nullptr);
}

void dealloc(PyObject* self) {
  PyTypeObject* cls = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  RecordObject* record = record_object(self);
  if (record->views != nullptr) record_drop_views(record);
  Py_CLEAR(record->memory);  // which sees to it that a chain of records does not exhaust the C stack
  const bool reused = cls == record_types[record->type] && spare.give(record);
  if (!reused) cls->tp_free(self);
  Py_DECREF(cls);
}

// No tp_clear: views must keep their memory to the end. A cycle is broken in the memory.
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(record_object(self)->memory);
  return record_visit_views(record_object(self), visit, arg);
}

PyObject* compare(PyObject* left, PyObject* right, int operation) {
  const bool comparable = (operation == Py_EQ || operation == Py_NE) && is_record(left) && is_record(right) &&
                          record_tag(record_object(left)->type) == record_tag(record_object(right)->type);
  if (!comparable) Py_RETURN_NOTIMPLEMENTED;
  const int equal = records_equal(record_object(left), record_object(right));
  return equal < 0 ? nullptr : PyBool_FromLong((equal > 0) == (operation == Py_EQ));
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  const RecordObject* record = record_object(self);
  return PyBuffer_FillInfo(view, self, record->data, static_cast<Py_ssize_t>(record_rows[record->type].size), 0, flags);
}

PyObject* copy(PyObject* self, PyObject*) {
  const RecordObject* record = record_object(self);
  return record_duplicate(Py_TYPE(self), record->type, record->data, memory_of(record->memory));
}

PyObject* deep_copy(PyObject* self, PyObject*) {
  Reference made{copy(self, nullptr)};
  if (!made || memory_unshare(memory_of(record_object(made.get())->memory)) < 0) return nullptr;
  return made.release();
}

PyObject* get_ptr(PyObject* self, PyObject*) { return record_address(self); }

}  // namespace

PyMethodDef record_get_pointer_method = {"getPtr", get_ptr, METH_NOARGS,
                                         "getPtr() -> int\n\nThe address of the struct."};

namespace {

PyObject* no_pickle(PyObject* self, PyObject*) {
  PyErr_Format(PyExc_TypeError, "cannot pickle '%s': its pointers mean nothing in another process",
               Py_TYPE(self)->tp_name);
  return nullptr;
}

PyMethodDef methods[] = {
    record_get_pointer_method,
    {"copy", copy, METH_NOARGS, "copy()\n\nA struct of its own with the same members, and what they keep alive."},
    {"to_dict", record_to_dict, METH_NOARGS,
     "to_dict() -> dict[str, object]\n\nThe members by name; nested structs as dictionaries."},
    {"__copy__", copy, METH_NOARGS, nullptr},
    {"__deepcopy__", deep_copy, METH_O, nullptr},
    {"__reduce_ex__", no_pickle, METH_O, nullptr},
    {"__reduce__", no_pickle, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

// ---- classes -----------------------------------------------------------------------------------------------------

std::string member_doc(const FieldRow& field) {
  const std::string array = field.count > 0 ? "[" + std::to_string(field.count) + "]" : "";
  return member_types[field.c_type] + array + " at byte " + std::to_string(field.offset);
}

// Descriptors point at both for as long as the class lives.
struct Members {
  std::unique_ptr<PyGetSetDef[]> descriptors;
  std::unique_ptr<std::string[]> docs;
};

Members members_of(const RecordRow& row, const MemberTable& table) {
  Members members{std::make_unique<PyGetSetDef[]>(row.field_count + 1u),
                  std::make_unique<std::string[]>(row.field_count)};
  for (std::uint16_t i = 0; i < row.field_count; ++i) {
    const FieldRow& field = row.fields[i];
    members.docs[i] = member_doc(field);
    members.descriptors[i] = {field.name, table[i].get, table[i].set, members.docs[i].c_str(),
                              const_cast<Member*>(&table[i])};
  }
  return members;
}

template <typename Function>
void* slot(Function function) {
  return reinterpret_cast<void*>(function);
}

PyTypeObject* build(int type) {
  const RecordRow& row = record_rows[type];
  PyTypeObject* base = nullptr;
  if (row.base != NO_TYPE && (base = record_type(row.base)) == nullptr) return nullptr;
  const std::string doc = std::string(row.name) + "(_ptr=0)\n--\n\nThe C " + (row.is_union ? "union " : "struct ") +
                          row.name + " of " + std::to_string(row.size) +
                          " bytes.\n\nA fresh one, or the one at address `_ptr`.";
  const MemberTable* table = make_members_table(type);
  if (table == nullptr) return nullptr;
  Members members = members_of(row, *table);
  starts_with_values[type] = has_initial_values(type);
  PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>(doc.c_str())},
      {Py_tp_new, slot(create)},
      {Py_tp_dealloc, slot(dealloc)},
      {Py_tp_traverse, slot(traverse)},
      {Py_tp_getattro, slot(record_get_attribute)},
      {Py_tp_setattro, slot(record_set_attribute)},
      {Py_tp_repr, slot(record_show)},
      {Py_tp_hash, slot(PyObject_HashNotImplemented)},
      {Py_tp_richcompare, slot(compare)},
      {Py_bf_getbuffer, slot(get_buffer)},
      {Py_tp_methods, methods},
      {Py_tp_getset, members.descriptors.get()},
      {0, nullptr},
  };
  PyType_Spec spec = {qualified_name(row.module, row.name), sizeof(RecordObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, slots};
  const Reference bases{base == nullptr ? nullptr : PyTuple_Pack(1, base)};
  if (base != nullptr && !bases) return nullptr;
  PyObject* made = PyType_FromSpecWithBases(&spec, bases.get());
  if (made == nullptr) return nullptr;
  (void)members.descriptors.release();
  (void)members.docs.release();
  PyTypeObject* cls = reinterpret_cast<PyTypeObject*>(made);
  cls->tp_vectorcall = create_fast;
  return publish_class(cls, ClassKind::record, static_cast<std::int16_t>(type), record_types);
}

}  // namespace

PyTypeObject* record_type(int type) {
  PyTypeObject* found = published(record_types, type);
  return found != nullptr ? found : build(type);
}

int record_tag(int type) {
  while (record_rows[type].base != NO_TYPE) type = record_rows[type].base;
  return type;
}

PyObject* record_new_object(int type) {
  PyTypeObject* cls = record_type(type);
  return cls == nullptr ? nullptr : make_fresh(cls, type);
}

PyObject* record_from(int type, const void* source) {
  PyTypeObject* cls = record_type(type);
  char* data = nullptr;
  PyObject* record = cls == nullptr ? nullptr : make_owned(cls, type, &data);
  if (record != nullptr && source != nullptr) std::memcpy(data, source, record_rows[type].size);
  return record;
}

PyObject* record_view(int type, char* data, MemoryObject* memory) {
  PyTypeObject* cls = record_type(type);
  if (cls == nullptr) return nullptr;
  Py_INCREF(reinterpret_cast<PyObject*>(memory));
  return make(cls, type, data, memory);
}

PyObject* record_duplicate(PyTypeObject* cls, int type, const char* data, const MemoryObject* memory) {
  char* copied = nullptr;
  Reference record{make_owned(cls, type, &copied)};
  if (!record) return nullptr;
  const int done =
      memory_copy(memory_of(record_object(record.get())), 0, memory, offset_in(memory, data), record_rows[type].size);
  return done < 0 ? nullptr : record.release();
}

namespace {

// Whether no member of the type's records keeps an object.
bool keeps_nothing(int type) {
  const RecordRow& row = members_row(type);
  return std::all_of(row.fields, row.fields + row.field_count, [](const FieldRow& field) {
    switch (field.kind) {
      case FieldKind::address:
      case FieldKind::kernel_parameters:
      case FieldKind::record_list:
      case FieldKind::handle_list:
      case FieldKind::text_pointer:
      case FieldKind::handle_view:
      case FieldKind::callback: return false;
      case FieldKind::record: return keeps_nothing(field.type);
      default: return true;
    }
  });
}

// The memory of a whole list: records that keep nothing may share it, for there is nothing to keep apart. New reference.
PyObject* shared_memory(int type, const void* values, std::size_t count) {
  const RecordRow& row = record_rows[type];
  if (count > PY_SSIZE_T_MAX / 4 / row.size) return PyErr_NoMemory();
  MemoryObject* memory = memory_new(count * row.size, row.align, NO_TYPE);
  if (memory != nullptr && values != nullptr) std::memcpy(memory->data, values, count * row.size);
  return reinterpret_cast<PyObject*>(memory);
}

}  // namespace

PyObject* record_list(int type, const void* values, std::size_t count) {
  PyTypeObject* cls = record_type(type);
  Reference list{cls == nullptr ? nullptr : PyList_New(static_cast<Py_ssize_t>(count))};
  if (!list || count == 0) return list.release();
  const std::size_t size = record_rows[type].size;
  const char* at = static_cast<const char*>(values);
  const bool shares = keeps_nothing(type);
  const Reference shared{shares ? shared_memory(type, values, count) : nullptr};
  if (shares && !shared) return nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* record = shares ? record_view(type, memory_of(shared.get())->data + i * size, memory_of(shared.get()))
                              : record_from(type, at == nullptr ? nullptr : at + i * size);
    if (record == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), record);
  }
  return list.release();
}

bool is_record(PyObject* object) { return find_class_or_base(Py_TYPE(object)).kind == ClassKind::record; }

char* record_instance(PyObject* object, int type) {
  PyTypeObject* cls = published(record_types, type);
  // As in C++, not in C: a tag's class does not stand for the typedef's that derives from it (list (b) 19 of the API
  // page).
  if (cls == nullptr || !PyObject_TypeCheck(object, cls)) return nullptr;
  return record_object(object)->data;
}

int record_read(PyObject* object, int type, bool nullable, const Where& where, void** data) {
  *data = record_instance(object, type);
  if (*data != nullptr) return record_check_lists(record_object(object), where);
  if (nullable && object == Py_None) return 0;
  refuse(PyExc_TypeError, where, object, std::string(record_rows[type].name) + (nullable ? " or None" : ""));
  return -1;
}

}  // namespace cuda_bindings
