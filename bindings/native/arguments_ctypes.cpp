// SPDX-License-Identifier: Apache-2.0
// ctypes classes, recognised without importing ctypes.
#include "native/arguments_ctypes.hpp"

#include <climits>
#include <cstring>
#include <limits>
#include <memory>

#include "native/arguments_errors.hpp"
#include "native/arguments_numbers.hpp"
#include "native/imported.hpp"
#include "native/reference.hpp"

namespace cuda_bindings {

std::atomic<const CtypesTable*> known_ctypes_table{nullptr};

namespace {

struct CtypeName {
  const char* name;
  CtypeKind kind;
  std::uint8_t size;
};

// c_size_t and the fixed-width names are aliases of these.
constexpr CtypeName ctype_names[ctype_count] = {
    {"c_void_p", CtypeKind::pointer, sizeof(void*)},
    {"c_int", CtypeKind::signed_integer, sizeof(int)},
    {"c_float", CtypeKind::real, sizeof(float)},
    {"c_uint", CtypeKind::unsigned_integer, sizeof(unsigned int)},
    {"c_double", CtypeKind::real, sizeof(double)},
    {"c_long", CtypeKind::signed_integer, sizeof(long)},
    {"c_ulong", CtypeKind::unsigned_integer, sizeof(unsigned long)},
    {"c_short", CtypeKind::signed_integer, sizeof(short)},
    {"c_ushort", CtypeKind::unsigned_integer, sizeof(unsigned short)},
    {"c_byte", CtypeKind::signed_integer, 1},
    {"c_ubyte", CtypeKind::unsigned_integer, 1},
    {"c_bool", CtypeKind::boolean, sizeof(bool)},
    {"c_char", CtypeKind::character, 1},
};

// The names above leave out what has no row of its own: c_longlong where it is c_long, and c_wchar.
constexpr CtypeName wide_character = {"c_wchar", CtypeKind::wide_character, sizeof(wchar_t)};
static_assert(sizeof(long) == sizeof(long long), "c_longlong is c_long: Linux on 64 bits");

// What any value of read_small_integer() fits: integers and addresses of 4 bytes or more.
constexpr bool takes_small(const CtypeName& name) {
  return name.size >= 4 && (name.kind == CtypeKind::signed_integer || name.kind == CtypeKind::unsigned_integer ||
                            name.kind == CtypeKind::pointer);
}

// Whether an instance begins as CtypesInstance says: CPython promises no layout. The memory that it exports tells.
bool has_known_layout(const Ctype& ctype) {
#ifdef Py_GIL_DISABLED
  static_cast<void>(ctype);
  return false;  // another thread may write the memory: ctypes guards it, and is asked
#else
  const Reference instance(PyObject_CallNoArgs(reinterpret_cast<PyObject*>(ctype.type)));
  Py_buffer view;
  if (!instance || Py_TYPE(instance.get()) != ctype.type ||
      ctype.type->tp_basicsize < static_cast<Py_ssize_t>(sizeof(CtypesInstance)) ||
      PyObject_GetBuffer(instance.get(), &view, PyBUF_SIMPLE) < 0) {
    PyErr_Clear();
    return false;
  }
  const CtypesInstance* const head = reinterpret_cast<const CtypesInstance*>(instance.get());
  const bool known = head->memory == view.buf && head->size == view.len && view.len == ctype.size;
  PyBuffer_Release(&view);
  return known;
#endif
}

bool fill(CtypesTable& table, PyObject* ctypes, PyObject* core) {
  table.layout_known = true;
  for (size_t index = 0; index < ctype_count; ++index) {
    const CtypeName& name = ctype_names[index];
    table.numbers[index] = {class_of(ctypes, name.name), name.kind, name.size, takes_small(name)};
    if (table.numbers[index].type == nullptr) return false;
    table.layout_known = table.layout_known && has_known_layout(table.numbers[index]);
  }
  table.exact.fill(table.numbers, ctype_count);
  table.wide_character = {class_of(ctypes, wide_character.name), wide_character.kind, wide_character.size, false};
  table.simple = class_of(core, "_SimpleCData");
  table.pointer = class_of(core, "_Pointer");
  table.function = class_of(core, "CFuncPtr");
  table.structure = class_of(core, "Structure");
  table.union_ = class_of(core, "Union");
  table.py_object = class_of(ctypes, "py_object");
  return table.wide_character.type != nullptr && table.simple != nullptr && table.pointer != nullptr &&
         table.function != nullptr && table.structure != nullptr && table.union_ != nullptr &&
         table.py_object != nullptr;
}

template <class T>
void put(void* target, T value) {
  std::memcpy(target, &value, sizeof value);
}

int store_integer(PyObject* object, const Ctype& ctype, void* target, Place place) {
  const int bits = ctype.size * CHAR_BIT;
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    // In range where what is cut off is only copies of the sign.
    const long long above = ctype.kind == CtypeKind::signed_integer ? value >> (bits - 1)
                            : bits < 64                             ? value >> bits
                                                                    : value >> 63;
    if (overflow == 0 && (above == 0 || (above == -1 && ctype.kind == CtypeKind::signed_integer))) {
      std::memcpy(target, &value, ctype.size);
      return 0;
    }
  }
  if (ctype.kind == CtypeKind::signed_integer) {
    const long long highest = static_cast<long long>(ULLONG_MAX >> (65 - bits));
    long long value = 0;
    if (signed_argument(object, -highest - 1, highest, &value, place) < 0) return -1;
    std::memcpy(target, &value, ctype.size);
  } else {
    unsigned long long value = 0;
    if (unsigned_argument(object, ULLONG_MAX >> (64 - bits), &value, place) < 0) return -1;
    std::memcpy(target, &value, ctype.size);
  }
  return 0;
}

int store_real(PyObject* object, const Ctype& ctype, void* target, Place place) {
  double value = 0;
  if (ctype.size == sizeof(float)) {
    if (real_argument(object, static_cast<double>(std::numeric_limits<float>::max()), &value, place) < 0) return -1;
    put(target, static_cast<float>(value));
  } else {
    if (real_argument(object, std::numeric_limits<double>::max(), &value, place) < 0) return -1;
    put(target, value);
  }
  return 0;
}

int store_boolean(PyObject* object, void* target, Place place) {
  const PyNumberMethods* methods = Py_TYPE(object)->tp_as_number;
  if (methods == nullptr || methods->nb_bool == nullptr)
    return raise_type(place, object, "a bool or a number for c_bool");
  const int truth = PyObject_IsTrue(object);
  if (truth < 0) return -1;
  put(target, truth != 0);
  return 0;
}

int store_character(PyObject* object, void* target, Place place) {
  if (PyBytes_Check(object) && PyBytes_GET_SIZE(object) == 1) {
    put(target, *PyBytes_AS_STRING(object));
    return 0;
  }
  if (PyByteArray_Check(object) && PyByteArray_GET_SIZE(object) == 1) {
    put(target, *PyByteArray_AS_STRING(object));
    return 0;
  }
  if (!PyLong_Check(object)) return raise_type(place, object, "bytes of length 1, or an int from 0 to 255, for c_char");
  unsigned long long value = 0;
  if (unsigned_argument(object, UCHAR_MAX, &value, place) < 0) return -1;
  put(target, static_cast<unsigned char>(value));
  return 0;
}

int store_wide_character(PyObject* object, void* target, Place place) {
  if (!PyUnicode_Check(object) || PyUnicode_GetLength(object) != 1) {
    return raise_type(place, object, "a str of length 1 for c_wchar");
  }
  put(target, static_cast<wchar_t>(PyUnicode_ReadChar(object, 0)));
  return 0;
}

bool is_instance_of(PyObject* object, PyTypeObject* type) { return PyObject_TypeCheck(object, type) != 0; }

}  // namespace

const CtypesTable* find_ctypes_table() {
  const Reference ctypes(imported("ctypes"));
  const Reference core(imported("_ctypes"));
  if (!ctypes || !core) return nullptr;
  auto table = std::make_unique<CtypesTable>();
  // A table that is not complete (an import under way) is dropped; its few references stay with the classes.
  if (!fill(*table, ctypes.get(), core.get())) return nullptr;
  const CtypesTable* known = nullptr;
  if (known_ctypes_table.compare_exchange_strong(known, table.get(), std::memory_order_acq_rel)) return table.release();
  return known;
}

const Ctype* find_ctype(const CtypesTable& table, PyObject* type) {
  PyTypeObject* derived = reinterpret_cast<PyTypeObject*>(type);
  if (const Ctype* found = table.exact.find(derived)) return found;
  if (!PyType_Check(type) || PyType_IsSubtype(derived, table.simple) == 0) return nullptr;
  for (const Ctype& ctype : table.numbers) {
    if (PyType_IsSubtype(derived, ctype.type) != 0) return &ctype;
  }
  return PyType_IsSubtype(derived, table.wide_character.type) != 0 ? &table.wide_character : nullptr;
}

bool is_ctypes_value(const CtypesTable& table, PyObject* object) {
  if (is_instance_of(object, table.simple)) return !is_instance_of(object, table.py_object);
  return is_instance_of(object, table.structure) || is_instance_of(object, table.union_) ||
         is_instance_of(object, table.pointer) || is_instance_of(object, table.function);
}

int copy_memory(PyObject* object, void* target, size_t size, Place place) {
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) < 0) return -1;
  const bool fits = static_cast<size_t>(view.len) == size;
  if (fits) std::memcpy(target, view.buf, size);
  PyBuffer_Release(&view);
  return fits ? 0 : raise_type(place, object, "an instance whose memory has the size of its C type");
}

int store_ctype(const CtypesTable& table, PyObject* object, const Ctype& ctype, void* target, Place place) {
  if (PyFloat_CheckExact(object) && ctype.kind == CtypeKind::real && ctype.size == sizeof(double)) {
    put(target, PyFloat_AS_DOUBLE(object));
    return 0;
  }
  if (!PyLong_CheckExact(object) && is_instance_of(object, table.simple)) {
    if (is_instance_of(object, ctype.type)) return copy_memory(object, target, ctype.size, place);
    const Ctype* other = find_ctype(table, reinterpret_cast<PyObject*>(Py_TYPE(object)));
    if (other == nullptr || other->kind != CtypeKind::real || other->size != sizeof(float) ||
        ctype.kind != CtypeKind::real) {
      return raise_type(place, object, ctype.type->tp_name);
    }
    float value = 0;
    if (copy_memory(object, &value, sizeof value, place) < 0) return -1;
    put(target, static_cast<double>(value));
    return 0;
  }
  switch (ctype.kind) {
    case CtypeKind::boolean: return store_boolean(object, target, place);
    case CtypeKind::character: return store_character(object, target, place);
    case CtypeKind::wide_character: return store_wide_character(object, target, place);
    case CtypeKind::real: return store_real(object, ctype, target, place);
    default: return store_integer(object, ctype, target, place);
  }
}

}  // namespace cuda_bindings
