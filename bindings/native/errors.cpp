// SPDX-License-Identifier: Apache-2.0
// Raises what cuda_bindings/errors.py words, and answers Python's questions about libraries and slots.
#include "native/errors.hpp"

#include <dlfcn.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/api.hpp"
#include "native/device.hpp"
#include "native/loader.hpp"
#include "native/reference.hpp"

namespace cuda_bindings {
namespace {

constexpr const char* module_names[] = {"driver", "runtime", "nvrtc"};
constexpr int status_types[] = {ENUM_CUresult, ENUM_cudaError_t, ENUM_nvrtcResult};

// ---- the GIL around resolving ------------------------------------------------------------------------------------------

// Null if this thread does not hold the GIL: a slot is called with and without it.
void* release_gil() {
#if PY_VERSION_HEX >= 0x030D0000
  const bool held = PyThreadState_GetUnchecked() != nullptr;
#elif PY_VERSION_HEX >= 0x030C0000
  const bool held = _PyThreadState_UncheckedGet() != nullptr;
#else
  // Before 3.12 the unchecked call answers with whichever thread runs, and PyGILState_Check() with yes once there has been
  // a second interpreter.
  PyThreadState* const running = _PyThreadState_UncheckedGet();
  const bool held = running != nullptr && running == PyGILState_GetThisThreadState();
#endif
  return held ? PyEval_SaveThread() : nullptr;
}

void restore_gil(void* thread) { PyEval_RestoreThread(static_cast<PyThreadState*>(thread)); }

// ---- exceptions ----------------------------------------------------------------------------------------------------------

// 12080 -> "12.8"; an empty text where the release is not known.
std::string release_text(int version) {
  if (version == 0) return {};
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

PyObject* attempts_tuple(Library library) {
  const std::vector<Attempt> made = attempts(library);
  Reference result(PyTuple_New(static_cast<Py_ssize_t>(made.size())));
  if (!result) return nullptr;
  for (std::size_t index = 0; index < made.size(); ++index) {
    PyObject* place = PyUnicode_DecodeFSDefault(made[index].place.c_str());
    PyObject* outcome = PyUnicode_DecodeFSDefault(made[index].outcome.c_str());
    PyObject* pair = place != nullptr && outcome != nullptr ? PyTuple_Pack(2, place, outcome) : nullptr;
    Py_XDECREF(place);
    Py_XDECREF(outcome);
    if (pair == nullptr) return nullptr;
    PyTuple_SET_ITEM(result.get(), static_cast<Py_ssize_t>(index), pair);
  }
  return result.release();
}

const char* extra_without_gil() {
  const char* extra = nullptr;
  Py_BEGIN_ALLOW_THREADS extra = fitting_extra();
  Py_END_ALLOW_THREADS return extra;
}

// The exception that errors.py makes of the facts.
PyObject* no_library(PyObject* errors, Library library, const SlotRow& row) {
  const char* const extra = library == LIBRARY_DRIVER ? "" : extra_without_gil();
  Reference tried(attempts_tuple(library));
  if (!tried) return nullptr;
  constexpr const char* devices[] = {"gpu", "emulated", "unknown"};
  return PyObject_CallMethod(errors, "library_not_found", "sssOs", row.name, library_name(library), extra, tried.get(),
                             devices[static_cast<int>(wanted_device())]);
}

PyObject* no_function(PyObject* errors, Library library, const SlotRow& row, SlotState state) {
  const LoadedLibrary* const loaded = opened_library(library);
  const char* const extra = library == LIBRARY_DRIVER ? "" : extra_without_gil();
  Reference path(PyUnicode_DecodeFSDefault(loaded == nullptr ? "" : loaded->path.c_str()));
  if (!path) return nullptr;
  const bool older = state == SLOT_OLDER_INTERFACE;
  const bool is_twin = row.ptds != nullptr && default_stream() == DefaultStream::per_thread;
  const char* const link = is_twin ? row.ptds : row.link;
  return PyObject_CallMethod(errors, "function_not_found", "sssOsssOs", row.name, link, library_name(library),
                             path.get(), release_text(loaded == nullptr ? 0 : loaded->version).c_str(),
                             release_text(row.since).c_str(), release_text(row.abi_since).c_str(),
                             older ? Py_True : Py_False, extra);
}

// 0 where the slot has a function or was never asked; otherwise 1, with the exception set.
int raise_if_missing(Library library, int slot) {
  const SlotState state = slot_state(library, slot);
  if (state == SLOT_RESOLVED || state == SLOT_UNRESOLVED) return 0;
  Reference errors(PyImport_ImportModule("cuda_bindings.errors"));
  if (!errors) return 1;
  const SlotRow& row = slot_table(library).rows[slot];
  PyObject* made = nullptr;
  if (state == SLOT_NO_LIBRARY) {
    made = no_library(errors.get(), library, row);
  } else if (state == SLOT_BAD_SETTING) {
    made = PyObject_CallMethod(errors.get(), "bad_default_stream", "s", default_stream_text().c_str());
  } else {
    made = no_function(errors.get(), library, row, state);
  }
  const Reference exception(made);
  if (exception) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())), exception.get());
  return 1;
}

PyObject* failed_call(int library, int slot, long long status, int outputs) {
  if (status == missing_codes[library] && raise_if_missing(static_cast<Library>(library), slot) != 0) return nullptr;
  Reference result(PyTuple_New(1 + outputs));
  if (!result) return nullptr;
  PyObject* const member = enumeration_member(status_types[library], status);
  if (member == nullptr) return nullptr;
  PyTuple_SET_ITEM(result.get(), 0, member);
  for (int index = 1; index <= outputs; ++index) {
    Py_INCREF(Py_None);
    PyTuple_SET_ITEM(result.get(), index, Py_None);
  }
  return result.release();
}

int require_function(int library, int slot) {
  if (slot_state(static_cast<Library>(library), slot) == SLOT_RESOLVED) return 0;
  resolve_slot(static_cast<Library>(library), slot);
  return raise_if_missing(static_cast<Library>(library), slot) != 0 ? -1 : 0;
}

int state_of_slot(int library, int slot) { return slot_state(static_cast<Library>(library), slot); }

int raise_missing_without_gil(int library, int slot) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  const int raised = raise_if_missing(static_cast<Library>(library), slot);
  PyGILState_Release(gil);
  return raised;
}

// ---- what Python can ask ---------------------------------------------------------------------------------------------------

int library_argument(PyObject* name, Library* library) {
  for (int index = 0; index < LIBRARY_COUNT; ++index) {
    if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, module_names[index]) == 0) {
      *library = static_cast<Library>(index);
      return 0;
    }
  }
  PyErr_Format(PyExc_ValueError, "library must be 'driver', 'runtime' or 'nvrtc', not %R", name);
  return -1;
}

const LoadedLibrary* open_without_gil(Library library) {
  const LoadedLibrary* loaded = nullptr;
  Py_BEGIN_ALLOW_THREADS loaded = open_library(library);
  Py_END_ALLOW_THREADS return loaded;
}

PyObject* loaded_library_path(PyObject*, PyObject* name) {
  Library library{};
  if (library_argument(name, &library) < 0) return nullptr;
  const LoadedLibrary* const loaded = opened_library(library);
  if (loaded == nullptr) Py_RETURN_NONE;
  return PyUnicode_DecodeFSDefault(loaded->path.c_str());
}

PyObject* library_version(PyObject*, PyObject* name) {
  Library library{};
  if (library_argument(name, &library) < 0) return nullptr;
  const LoadedLibrary* const loaded = open_without_gil(library);
  if (loaded == nullptr || loaded->version == 0) Py_RETURN_NONE;
  return PyLong_FromLong(loaded->version);
}

PyObject* library_report(PyObject*, PyObject* name) {
  Library library{};
  if (library_argument(name, &library) < 0) return nullptr;
  open_without_gil(library);
  return attempts_tuple(library);
}

PyObject* function_pointer(PyObject*, PyObject* arguments) {
  PyObject* name = nullptr;
  const char* function = nullptr;
  Library library{};
  if (!PyArg_ParseTuple(arguments, "Os:function_pointer", &name, &function) || library_argument(name, &library) < 0) {
    return nullptr;
  }
  const SlotTable& table = slot_table(library);
  for (int slot = 0; slot < table.size; ++slot) {
    if (std::strcmp(table.rows[slot].name, function) != 0 && std::strcmp(table.rows[slot].link, function) != 0)
      continue;
    if (require_function(library, slot) < 0) return nullptr;
    return PyLong_FromVoidPtr(resolve_slot(library, slot));
  }
  return PyErr_Format(PyExc_ValueError, "%R has no function %s", name, function);
}

PyObject* function_states(PyObject*, PyObject* name) {
  constexpr const char* texts[] = {"unresolved",  "resolved",        "no library",
                                   "no function", "older interface", "bad setting"};
  Library library{};
  if (library_argument(name, &library) < 0) return nullptr;
  Reference result(PyDict_New());
  const SlotTable& table = slot_table(library);
  for (int slot = 0; result && slot < table.size; ++slot) {
    const Reference text(PyUnicode_FromString(texts[slot_state(library, slot)]));
    if (!text || PyDict_SetItemString(result.get(), table.rows[slot].link, text.get()) < 0) return nullptr;
  }
  return result.release();
}

PyObject* select_emulated(PyObject*, PyObject*) {
  std::string refusal;
  Py_BEGIN_ALLOW_THREADS refusal = select_emulated_device();
  Py_END_ALLOW_THREADS if (refusal.empty()) Py_RETURN_NONE;
  return PyErr_Format(PyExc_RuntimeError, "the emulated device cannot be selected: %s", refusal.c_str());
}

PyObject* emulated_library(PyObject*, PyObject* name) {
  Library library{};
  if (library_argument(name, &library) < 0) return nullptr;
  return PyUnicode_DecodeFSDefault(emulator_file(library).c_str());
}

PyMethodDef functions[] = {
    {"select_emulated_device", select_emulated, METH_NOARGS,
     "select_emulated_device()\n--\n\nMakes later driver and runtime calls go to the emulated device; RuntimeError "
     "where another library is in use."},
    {"emulated_library", emulated_library, METH_O,
     "emulated_library(library)\n--\n\nThe file of the emulated device that stands for 'driver' or 'runtime'."},
    {"loaded_library_path", loaded_library_path, METH_O,
     "loaded_library_path(library)\n--\n\nThe file of 'driver', 'runtime' or 'nvrtc' that calls go to; None before the "
     "first."},
    {"library_version", library_version, METH_O,
     "library_version(library)\n--\n\nOpens the library if need be; 1000 * major + 10 * minor, None if there is none."},
    {"library_report", library_report, METH_O,
     "library_report(library)\n--\n\nOpens the library if need be; ((place, outcome), ...) in the order of the "
     "search."},
    {"function_pointer", function_pointer, METH_VARARGS,
     "function_pointer(library, name)\n--\n\nResolves a function, by its Python or link name, and gives its address."},
    {"function_states", function_states, METH_O,
     "function_states(library)\n--\n\n{link name: 'unresolved', 'resolved' or why there is no function}."},
    {nullptr, nullptr, 0, nullptr},
};

// ---- start -----------------------------------------------------------------------------------------------------------------

void add_folder(std::vector<std::string>& folders, const char* path) {
  const std::string_view text = path;
  // The standard library's own entries hold no packages.
  if (text.empty() || text.ends_with(".zip") || text.ends_with("/lib-dynload")) return;
  for (const std::string& known : folders) {
    if (known == path) return;
  }
  folders.emplace_back(path);
}

// The folder two levels above the extension module: .../site-packages/cuda_bindings/_native.so.
void add_package_parent(std::vector<std::string>& folders) {
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&slots_api), &self) == 0 || self.dli_fname == nullptr) return;
  std::string path = self.dli_fname;
  for (int level = 0; level < 2; ++level) path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  add_folder(folders, path.c_str());
}

int remember_package_folders() {
  std::vector<std::string> folders;
  add_package_parent(folders);
  PyObject* const paths = PySys_GetObject("path");
  for (Py_ssize_t index = 0; paths != nullptr && PyList_Check(paths) && index < PyList_GET_SIZE(paths); ++index) {
    PyObject* const item = PyList_GET_ITEM(paths, index);
    if (!PyUnicode_Check(item)) continue;
    const Reference bytes(PyUnicode_EncodeFSDefault(item));
    if (!bytes) return -1;
    add_folder(folders, PyBytes_AS_STRING(bytes.get()));
  }
  set_package_folders(std::move(folders));
  return 0;
}

constexpr SlotsApi slots_interface(const DriverTable* driver, const RuntimeTable* runtime, const NvrtcTable* nvrtc) {
  return {driver, runtime, nvrtc, failed_call, require_function, state_of_slot, raise_missing_without_gil};
}

}  // namespace

const SlotsApi* slots_api() {
  static const SlotsApi interface = slots_interface(static_cast<const DriverTable*>(driver_slot_table.slots),
                                                    static_cast<const RuntimeTable*>(runtime_slot_table.slots),
                                                    static_cast<const NvrtcTable*>(nvrtc_slot_table.slots));
  return &interface;
}

int init_slots(PyObject* module) {
  set_gil_hooks({release_gil, restore_gil});
  adopt_tables(*slots_api());
  if (remember_package_folders() < 0) return -1;
  return PyModule_AddFunctions(module, functions);
}

}  // namespace cuda_bindings
