// SPDX-License-Identifier: Apache-2.0
// Finds rows by class and by name. Classes are made when their name is first touched.
#include "native/registry.hpp"

#include <atomic>
#include <deque>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "generated/ids.hpp"
#include "native/enumeration.hpp"
#include "native/handle.hpp"
#include "native/objects.hpp"
#include "native/record.hpp"

namespace cuda_bindings {
namespace {

// Written once per class, read by every thread without a lock: open addressing, at most half full.
constexpr std::size_t CLASS_SLOTS = 4096;
static_assert(std::size_t{HANDLE_COUNT} + std::size_t{RECORD_COUNT} + std::size_t{ENUM_COUNT} < CLASS_SLOTS / 2);

struct ClassSlot {
  std::atomic<PyTypeObject*> type;
  ClassEntry entry;
};

ClassSlot class_slots[CLASS_SLOTS];

std::mutex& class_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::size_t first_slot(const PyTypeObject* type) {
  return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(type) >> 4) * 0x9E3779B97F4A7C15u >> 52);
}
static_assert(CLASS_SLOTS == std::size_t{1} << (64 - 52));

void enter_class(PyTypeObject* type, ClassEntry entry) {
  const std::lock_guard<std::mutex> lock(class_mutex());
  std::size_t at = first_slot(type);
  while (class_slots[at].type.load(std::memory_order_relaxed) != nullptr) at = (at + 1) % CLASS_SLOTS;
  class_slots[at].entry = entry;
  class_slots[at].type.store(type, std::memory_order_release);
}

enum class NameKind : std::uint8_t { constant, handle, record, enumeration };

struct Name {
  NameKind kind;
  std::int16_t id;
};

using Names = std::unordered_map<std::string_view, Name>;

Names names_of(Library module) {
  Names names;
  names.reserve(1024);
  const auto enter = [&](const auto* rows, int count, NameKind kind) {
    for (int id = 0; id < count; ++id) {
      if (rows[id].module == module) names.emplace(rows[id].name, Name{kind, static_cast<std::int16_t>(id)});
    }
  };
  enter(handle_rows, HANDLE_COUNT, NameKind::handle);
  enter(record_rows, RECORD_COUNT, NameKind::record);
  enter(enumeration_rows, ENUM_COUNT, NameKind::enumeration);
  enter(constant_rows, CONSTANT_COUNT, NameKind::constant);
  return names;
}

const Names* module_table(int module) {
  static const Names driver = names_of(LIBRARY_DRIVER);
  static const Names runtime = names_of(LIBRARY_RUNTIME);
  static const Names nvrtc = names_of(LIBRARY_NVRTC);
  switch (module) {
    case LIBRARY_DRIVER: return &driver;
    case LIBRARY_RUNTIME: return &runtime;
    case LIBRARY_NVRTC: return &nvrtc;
    default: PyErr_Format(PyExc_SystemError, "there is no module %d", module); return nullptr;
  }
}

PyObject* new_reference(PyTypeObject* type) {
  Py_XINCREF(type);
  return reinterpret_cast<PyObject*>(type);
}

}  // namespace

ClassEntry find_class(PyTypeObject* type) {
  for (std::size_t at = first_slot(type);; at = (at + 1) % CLASS_SLOTS) {
    const PyTypeObject* found = class_slots[at].type.load(std::memory_order_acquire);
    if (found == type) return class_slots[at].entry;
    if (found == nullptr) return {};
  }
}

ClassEntry find_class_or_base(PyTypeObject* type) {
  for (; type != nullptr; type = type->tp_base) {
    const ClassEntry entry = find_class(type);
    if (entry.kind != ClassKind::none) return entry;
  }
  return {};
}

PyTypeObject* publish_class(PyTypeObject* type, ClassKind kind, std::int16_t id, PyTypeObject** classes) {
  enter_class(type, {kind, id});
  PyTypeObject* expected = nullptr;
  if (__atomic_compare_exchange_n(&classes[id], &expected, type, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return type;
  return expected;  // ours stays entered and is never used: a class cannot be taken back
}

const char* module_name(int module) {
  static constexpr const char* names[] = {"cuda_bindings.driver", "cuda_bindings.runtime", "cuda_bindings.nvrtc"};
  return names[module];
}

const char* qualified_name(Library module, const char* name) {
  static std::deque<std::string>& texts = *new std::deque<std::string>;  // Python 3.10 keeps the pointer in the class
  const std::lock_guard<std::mutex> lock(class_mutex());
  return texts.emplace_back(std::string(module_name(module)) + "." + name).c_str();
}

PyObject* module_attribute_of(int module, PyObject* name) {
  const Names* names = module_table(module);
  if (names == nullptr) return nullptr;
  Py_ssize_t length = 0;
  const char* text = PyUnicode_AsUTF8AndSize(name, &length);
  if (text == nullptr) {
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return nullptr;
    PyErr_Clear();  // a lone surrogate has no UTF-8, and no name of ours has one
  }
  const auto found = text == nullptr ? names->end() : names->find({text, static_cast<std::size_t>(length)});
  if (found == names->end()) {
    PyErr_Format(PyExc_AttributeError, "module '%s' has no attribute '%U'", module_name(module), name);
    return nullptr;
  }
  const int id = found->second.id;
  switch (found->second.kind) {
    case NameKind::constant: return PyLong_FromLongLong(constant_rows[id].value);
    case NameKind::handle: return new_reference(handle_type(id));
    case NameKind::record: return new_reference(record_type(id));
    case NameKind::enumeration: return new_reference(enumeration_type(id));
  }
  Py_UNREACHABLE();
}

PyObject* module_names_of(int module) {
  const Names* names = module_table(module);
  if (names == nullptr) return nullptr;
  PyObject* list = PyList_New(0);
  if (list == nullptr) return nullptr;
  for (const auto& [text, name] : *names) {
    PyObject* item = PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
    if (item == nullptr || PyList_Append(list, item) < 0) {
      Py_XDECREF(item);
      Py_DECREF(list);
      return nullptr;
    }
    Py_DECREF(item);
  }
  if (PyList_Sort(list) < 0) Py_CLEAR(list);
  return list;
}

PyObject* size_of_class(int /*module*/, PyObject* cls) {
  if (PyType_Check(cls)) {
    const ClassEntry entry = find_class(reinterpret_cast<PyTypeObject*>(cls));
    if (entry.kind == ClassKind::handle) return PyLong_FromSize_t(slot_size(handle_rows[entry.id].kind));
    if (entry.kind == ClassKind::record) return PyLong_FromUnsignedLong(record_rows[entry.id].size);
  }
  PyErr_Format(PyExc_TypeError, "Unknown type: %R; sizeof() takes a handle or struct class", cls);
  return nullptr;
}

}  // namespace cuda_bindings
