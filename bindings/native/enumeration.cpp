// SPDX-License-Identifier: Apache-2.0
// Builds the enumeration classes and finds members by value without Python code on the way.
#include "native/enumeration.hpp"

#include <atomic>
#include <memory>
#include <vector>

#include "native/handle.hpp"
#include "native/integer.hpp"
#include "native/reference.hpp"
#include "native/registry.hpp"

namespace cuda_bindings {

PyTypeObject* enumeration_types[ENUM_COUNT];

namespace {

// Members by value: open addressing, at most half full. Never changed once it is published, never freed.
class Members {
 public:
  explicit Members(std::size_t count) {
    while (slots_.size() < 2 * count + 2) slots_.resize(slots_.empty() ? 4 : 2 * slots_.size());
  }
  PyObject* find(std::int64_t value) const {
    for (std::size_t at = start(value);; ++at) {
      const Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.member == nullptr || slot.value == value) return slot.member;
    }
  }
  void enter(std::int64_t value, PyObject* member) {
    std::size_t at = start(value);
    while (slots_[at & (slots_.size() - 1)].member != nullptr) ++at;
    slots_[at & (slots_.size() - 1)] = {value, member};
  }

 private:
  struct Slot {
    std::int64_t value = 0;
    PyObject* member = nullptr;
  };
  // Values are mostly dense from 0, or single bits.
  std::size_t start(std::int64_t value) const {
    const std::uint64_t bits = static_cast<std::uint64_t>(value);
    return static_cast<std::size_t>(bits ^ (bits >> 7) ^ (bits >> 16));
  }
  std::vector<Slot> slots_;
};

// Set before the class is published in enumeration_types.
std::atomic<const Members*> members_of[ENUM_COUNT];

// ---- the classes' own class --------------------------------------------------------------------------------------

PyObject* int_enum = nullptr;      // enum.IntEnum
PyObject* generic_call = nullptr;  // EnumMeta.__call__, for everything but a look-up by value
PyTypeObject* enumeration_class_type = nullptr;

// E(value): EnumMeta's own way takes ten times as long.
PyObject* call(PyObject* cls, PyObject* args, PyObject* kwargs) {
  if (kwargs == nullptr && PyTuple_GET_SIZE(args) == 1) {
    PyObject* value = PyTuple_GET_ITEM(args, 0);
    if (reinterpret_cast<PyObject*>(Py_TYPE(value)) == cls) return Py_NewRef(value);
    if (PyLong_CheckExact(value)) {
      const ClassEntry entry = find_class(reinterpret_cast<PyTypeObject*>(cls));
      const Members* members = entry.kind == ClassKind::enumeration ? members_of[entry.id].load() : nullptr;
      int overflow = 0;
      const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
      PyObject* member = members != nullptr && overflow == 0 ? members->find(number) : nullptr;
      if (member != nullptr) return Py_NewRef(member);
    }
  }
  Reference all{PyTuple_New(PyTuple_GET_SIZE(args) + 1)};
  if (!all) return nullptr;
  PyTuple_SET_ITEM(all.get(), 0, Py_NewRef(cls));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyTuple_SET_ITEM(all.get(), i + 1, Py_NewRef(PyTuple_GET_ITEM(args, i)));
  }
  return PyObject_Call(generic_call, all.get(), kwargs);
}

int build_class_type() {
  if (enumeration_class_type != nullptr) return 0;
  Reference module{PyImport_ImportModule("enum")};
  if (!module) return -1;
  Reference base{PyObject_GetAttrString(module.get(), "EnumMeta")};
  Reference plain{PyObject_GetAttrString(module.get(), "IntEnum")};
  if (!base || !plain) return -1;
  Reference base_call{PyObject_GetAttrString(base.get(), "__call__")};
  if (!base_call) return -1;
  PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(call)}, {0, nullptr}};
  PyType_Spec spec = {"cuda_bindings._native.EnumerationType", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  Reference bases{PyTuple_Pack(1, base.get())};
  if (!bases) return -1;
  Reference made{PyType_FromSpecWithBases(&spec, bases.get())};
  if (!made) return -1;
  if (enumeration_class_type == nullptr) {  // importing enum may have let another thread do the same
    int_enum = plain.release();
    generic_call = base_call.release();
    enumeration_class_type = reinterpret_cast<PyTypeObject*>(made.release());
  }
  return 0;
}

// ---- members -----------------------------------------------------------------------------------------------------

std::string unknown_name(const EnumerationRow& row, long long value) {
  return std::string(row.name) + "(" + std::to_string(value) + ")";
}

// <CUresult.CUDA_SUCCESS: 0> as enum prints it; <CUresult(12345)> for a code that the class does not know.
PyObject* show(PyObject* self, PyObject*) {
  const ClassEntry entry = find_class(Py_TYPE(self));
  static PyObject* const key = PyUnicode_InternFromString("_name_");
  Reference name{key == nullptr ? nullptr : PyObject_GetAttr(self, key)};
  if (!name) return nullptr;
  const long long value = PyLong_AsLongLong(self);
  if (value == -1 && PyErr_Occurred()) return nullptr;
  const Members* members = entry.kind == ClassKind::enumeration ? members_of[entry.id].load() : nullptr;
  if (members != nullptr && members->find(value) == nullptr) return PyUnicode_FromFormat("<%S>", name.get());
  Py_ssize_t length = 0;
  const char* characters = PyUnicode_Check(name.get()) ? PyUnicode_AsUTF8AndSize(name.get(), &length) : nullptr;
  if (characters == nullptr) {  // a name that somebody has set
    PyErr_Clear();
    return PyUnicode_FromFormat("<%s.%S: %lld>", Py_TYPE(self)->tp_name, name.get(), value);
  }
  std::string text = "<";
  text.append(Py_TYPE(self)->tp_name).append(".").append(characters, static_cast<std::size_t>(length));
  text.append(": ").append(std::to_string(value)) += '>';
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

// By value; a code that the class does not know goes as a plain int, since nobody could make it a member again.
PyObject* reduce(PyObject* self, PyObject*) {
  const ClassEntry entry = find_class(Py_TYPE(self));
  const Members* members = entry.kind == ClassKind::enumeration ? members_of[entry.id].load() : nullptr;
  const long long value = PyLong_AsLongLong(self);
  if (value == -1 && PyErr_Occurred()) return nullptr;
  const bool known = members == nullptr || members->find(value) != nullptr;
  return Py_BuildValue("(O(L))", known ? Py_TYPE(self) : &PyLong_Type, value);
}

PyMethodDef member_methods[] = {
    {"__repr__", show, METH_NOARGS, nullptr},
    {"__reduce_ex__", reduce, METH_O, nullptr},
};

int set_text(PyObject* names, const char* key, const char* text) {
  Reference value{PyUnicode_FromString(text)};
  Reference name{PyUnicode_FromString(key)};
  return value && name ? PyObject_SetItem(names, name.get(), value.get()) : -1;
}

const char* name_of(const EnumerationValue& value) { return enumerator_names + value.name; }

// The body of `class NAME(IntEnum)`.
int fill_body(PyObject* names, const EnumerationRow& row) {
  if (set_text(names, "__module__", module_name(row.module)) < 0) return -1;
  if (set_text(names, "__qualname__", row.name) < 0) return -1;
  if (set_text(names, "__doc__", (std::string("The C enumeration ") + row.name + ".").c_str()) < 0) return -1;
  for (PyMethodDef& method : member_methods) {
    Reference bound{PyDescr_NewMethod(&PyLong_Type, &method)};  // bound like a function, which a plain builtin is not
    Reference name{PyUnicode_FromString(method.ml_name)};
    if (!bound || !name || PyObject_SetItem(names, name.get(), bound.get()) < 0) return -1;
  }
  for (std::uint16_t i = 0; i < row.value_count; ++i) {
    Reference name{PyUnicode_InternFromString(name_of(row.values[i]))};
    Reference value{PyLong_FromLongLong(row.values[i].value)};
    if (!name || !value || PyObject_SetItem(names, name.get(), value.get()) < 0) return -1;
  }
  return 0;
}

PyObject* make_class(const EnumerationRow& row) {
  if (build_class_type() < 0) return nullptr;
  PyObject* meta = reinterpret_cast<PyObject*>(enumeration_class_type);
  Reference name{PyUnicode_FromString(row.name)};
  Reference bases{PyTuple_Pack(1, int_enum)};
  if (!name || !bases) return nullptr;
  Reference names{PyObject_CallMethod(meta, "__prepare__", "OO", name.get(), bases.get())};
  if (!names || fill_body(names.get(), row) < 0) return nullptr;
  return PyObject_CallFunctionObjArgs(meta, name.get(), bases.get(), names.get(), nullptr);
}

int enter_members(PyObject* cls, const EnumerationRow& row, Members* members) {
  for (std::uint16_t i = 0; i < row.value_count; ++i) {
    if (members->find(row.values[i].value) != nullptr) continue;  // an alias: the first name is the member's
    PyObject* member = PyObject_GetAttrString(cls, name_of(row.values[i]));
    if (member == nullptr) return -1;
    members->enter(row.values[i].value, member);  // owned for ever
  }
  return 0;
}

PyTypeObject* build(int type) {
  const EnumerationRow& row = enumeration_rows[type];
  Reference made{make_class(row)};
  if (!made) return nullptr;
  auto members = std::make_unique<Members>(row.value_count);
  if (enter_members(made.get(), row, members.get()) < 0) return nullptr;
  const Members* expected = nullptr;
  if (members_of[type].compare_exchange_strong(expected, members.get())) {
    (void)members.release();
    PyTypeObject* cls = reinterpret_cast<PyTypeObject*>(made.release());
    return publish_class(cls, ClassKind::enumeration, static_cast<std::int16_t>(type), enumeration_types);
  }
  // Another thread was quicker. It may not have published its class yet, but its members know it.
  return Py_TYPE(expected->find(row.values[0].value));
}

PyObject* make_unknown(PyTypeObject* cls, const EnumerationRow& row, long long value) {
  Reference args{Py_BuildValue("(L)", value)};
  if (!args) return nullptr;
  Reference member{PyLong_Type.tp_new(cls, args.get(), nullptr)};
  if (!member) return nullptr;
  Reference number{PyLong_FromLongLong(value)};
  Reference name{PyUnicode_FromString(unknown_name(row, value).c_str())};
  if (!number || !name) return nullptr;
  if (PyObject_SetAttrString(member.get(), "_name_", name.get()) < 0) return nullptr;
  if (PyObject_SetAttrString(member.get(), "_value_", number.get()) < 0) return nullptr;
  return member.release();
}

}  // namespace

PyTypeObject* enumeration_type(int type) {
  PyTypeObject* found = published(enumeration_types, type);
  return found != nullptr ? found : build(type);
}

PyObject* enumeration_member_of(int type, long long value) {
  PyTypeObject* cls = enumeration_type(type);
  if (cls == nullptr) return nullptr;
  const EnumerationRow& row = enumeration_rows[type];
  // A C enumeration has 32 bits; callers may have widened it either way.
  value = row.is_signed ? static_cast<long long>(static_cast<std::int32_t>(value))
                        : static_cast<long long>(static_cast<std::uint32_t>(value));
  PyObject* member = members_of[type].load(std::memory_order_acquire)->find(value);
  return member != nullptr ? Py_NewRef(member) : make_unknown(cls, row, value);
}

int enumeration_read_value(PyObject* object, int type, const Where& where, int* value) {
  const EnumerationRow& row = enumeration_rows[type];
  Integer number;
  Reading reading = Reading::not_a_number;
  bool foreign = object == Py_None;
  if (PyLong_Check(object) && !PyLong_CheckExact(object)) {
    const ClassEntry entry = find_class(Py_TYPE(object));
    foreign = entry.kind == ClassKind::enumeration && enumeration_rows[entry.id].group != row.group;
  } else if (!PyLong_Check(object)) {
    foreign = foreign || is_handle(object);
  }
  if (!foreign) reading = read_integer(object, Floats::whole, &number);
  const bool fits = row.is_signed ? number.fits_signed(INT32_MIN, INT32_MAX) : number.fits_unsigned(UINT32_MAX);
  if (reading == Reading::good && !fits) reading = Reading::too_large;
  if (reading == Reading::good) {
    *value = static_cast<int>(static_cast<std::uint32_t>(number.bits));
    return 0;
  }
  const char* range = row.is_signed ? "-2147483648..2147483647" : "0..4294967295";
  refuse_reading(reading, object, where, std::string(row.name) + " or an integer in " + range);
  return -1;
}

}  // namespace cuda_bindings
