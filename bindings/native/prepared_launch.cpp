// SPDX-License-Identifier: Apache-2.0
// PreparedLaunch: converts and packs once what cuLaunchKernel converts and packs at every call.
#include "native/prepared_launch.hpp"

#include <structmember.h>

#include <atomic>
#include <utility>

#include "generated/table_driver.hpp"
#include "native/api.hpp"
#include "native/object_lock.hpp"
#include "native/parameter_block.hpp"
#include "native/reference.hpp"

namespace cuda_bindings {
namespace {

constexpr char class_name[] = "PreparedLaunch";
constexpr Place parameters_place = {class_name, "kernelParams"};

// Of the members only `block` changes once the object is made, and then under its lock.
struct PreparedLaunch {
  PyObject ob_base;
  vectorcallfunc vectorcall;
  CUfunction function;
  unsigned int sizes[7];  // of the grid, of a block; bytes of shared memory
  CUstream stream;
  ParameterBlock* block;  // nullptr while the object is made, and once the garbage collector has cleared it
  PyObject* types;        // tuple, where kernelParams had one
  PyObject* handles;      // (f, hStream)
};

PreparedLaunch& launch_of(PyObject* object) { return *reinterpret_cast<PreparedLaunch*>(object); }

// What every successful launch returns, made with the first object. nullptr with an exception.
PyObject* success() {
  static std::atomic<PyObject*> made = nullptr;
  PyObject* known = made.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  const Reference status(enumeration_member(ENUM_CUresult, CUDA_SUCCESS));
  Reference tuple(status ? PyTuple_Pack(1, status.get()) : nullptr);
  if (tuple && made.compare_exchange_strong(known, tuple.get())) return tuple.release();
  return known;  // another thread's, if there is one
}

PyObject* raise_unusable() { return PyErr_Format(PyExc_RuntimeError, "%s is not made yet, or cleared", class_name); }

// ---- calls -------------------------------------------------------------------------------------------------------

PyObject* launch(PyObject* object, CUstream stream) {
  const PreparedLaunch& self = launch_of(object);
  ParameterBlock* block = nullptr;
  {
    const ObjectLock lock(object);
    block = self.block;
    if (block != nullptr) block->hold();
  }
  if (block == nullptr) return raise_unusable();
  const unsigned int* const sizes = self.sizes;
  PyThreadState* const state = PyEval_SaveThread();
  const CUresult status = driver_table->cuLaunchKernel(self.function, sizes[0], sizes[1], sizes[2], sizes[3], sizes[4],
                                                       sizes[5], sizes[6], stream, block->data(), nullptr);
  PyEval_RestoreThread(state);
  bool last = false;
  {
    const ObjectLock lock(object);
    last = block->let_go();
  }
  if (last) [[unlikely]]
    block->destroy();
  if (status != CUDA_SUCCESS) [[unlikely]]
    return failed(LIBRARY_DRIVER, SLOT_cuLaunchKernel, status, 0);
  return Py_NewRef(success());
}

PyObject* call(PyObject* object, PyObject* const* arguments, std::size_t flags, PyObject* names) {
  const Py_ssize_t count = PyVectorcall_NARGS(flags) + (names == nullptr ? 0 : PyTuple_GET_SIZE(names));
  if (count == 0) [[likely]]
    return launch(object, launch_of(object).stream);
  if (count > 1)
    return PyErr_Format(PyExc_TypeError, "%s() takes at most 1 argument, hStream (%zd given)", class_name, count);
  if (names != nullptr && PyTuple_GET_SIZE(names) == 1 &&
      PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "hStream") != 0) {
    return PyErr_Format(PyExc_TypeError, "%s() has no argument %R, only hStream", class_name,
                        PyTuple_GET_ITEM(names, 0));
  }
  const std::uint64_t stream = as_handle(arguments[0], HANDLE_CUstream, class_name, "hStream");
  if (stream == HANDLE_ERROR && PyErr_Occurred() != nullptr) return nullptr;
  return launch(object, reinterpret_cast<CUstream>(stream));
}

// ---- construction ------------------------------------------------------------------------------------------------

int read_sizes(PreparedLaunch& self, PyObject* const* numbers) {
  constexpr const char* names[] = {"gridDimX",  "gridDimY",  "gridDimZ",      "blockDimX",
                                   "blockDimY", "blockDimZ", "sharedMemBytes"};
  for (int i = 0; i < 7; ++i) {
    self.sizes[i] = as_uint(numbers[i], class_name, names[i]);
    if (self.sizes[i] == static_cast<unsigned int>(-1) && PyErr_Occurred() != nullptr) return -1;
  }
  return 0;
}

int read_handles(PreparedLaunch& self, PyObject* function, PyObject* stream) {
  self.function = reinterpret_cast<CUfunction>(as_handle(function, HANDLE_CUfunction, class_name, "f"));
  if (PyErr_Occurred() != nullptr) return -1;
  self.stream = reinterpret_cast<CUstream>(as_handle(stream, HANDLE_CUstream, class_name, "hStream"));
  if (PyErr_Occurred() != nullptr) return -1;
  self.handles = PyTuple_Pack(2, function, stream);
  return self.handles == nullptr ? -1 : 0;
}

PyObject* type_at(PyObject* types, Py_ssize_t index) {
  return types != nullptr ? PyTuple_GET_ITEM(types, index) : nullptr;
}

// The arguments of kernelParams' tuples, or nullptr with an exception.
ParameterBlock* pack_tuples(PyObject* values, PyObject* types) {
  const Py_ssize_t count = PyTuple_GET_SIZE(values);
  ParameterBlock* const block = ParameterBlock::make(count);
  for (Py_ssize_t index = 0; block != nullptr && index < count; ++index) {
    PackedArgument packed;
    Reference value = Reference::to(PyTuple_GET_ITEM(values, index));
    if (pack_kernel_argument(packed, value.get(), type_at(types, index), index, parameters_place) < 0) {
      block->destroy();
      return nullptr;
    }
    block->exchange(index, value, packed);
  }
  return block;
}

int read_parameters(PreparedLaunch& self, PyObject* object) {
  Reference values;
  Reference types;
  const int tuples = kernel_argument_tuples(object, values, types, parameters_place);
  if (tuples < 0) return -1;
  ParameterBlock* block = nullptr;
  if (tuples > 0) {
    block = pack_tuples(values.get(), types.get());
  } else {
    KernelParameters parameters;
    if (parameters.read(object, class_name, "kernelParams") < 0) return -1;
    block = ParameterBlock::of_address(parameters);
  }
  if (block == nullptr) return -1;
  self.types = types.release();
  self.block = block;
  return 0;
}

PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  static const char* const names[] = {"f",         "gridDimX",     "gridDimY",  "gridDimZ",
                                      "blockDimX", "blockDimY",    "blockDimZ", "sharedMemBytes",
                                      "hStream",   "kernelParams", nullptr};
  PyObject* given[10] = {};
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "OOOOOOOOOO:PreparedLaunch", const_cast<char**>(names),
                                  &given[0], &given[1], &given[2], &given[3], &given[4], &given[5], &given[6],
                                  &given[7], &given[8], &given[9]) == 0) {
    return nullptr;
  }
  Reference object(type->tp_alloc(type, 0));
  if (!object || success() == nullptr) return nullptr;
  PreparedLaunch& self = launch_of(object.get());
  self.vectorcall = call;
  const bool good = read_handles(self, given[0], given[8]) == 0 && read_sizes(self, given + 1) == 0 &&
                    read_parameters(self, given[9]) == 0;
  return good ? object.release() : nullptr;
}

// ---- life --------------------------------------------------------------------------------------------------------

// A block that a launch holds too is visited all the same: the launch's caller holds the object, which is no garbage.
int traverse(PyObject* object, visitproc visit, void* arg) {
  const PreparedLaunch& self = launch_of(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self.types);
  Py_VISIT(self.handles);
  return self.block != nullptr ? self.block->traverse(visit, arg) : 0;
}

int clear(PyObject* object) {
  PreparedLaunch& self = launch_of(object);
  ParameterBlock* const block = std::exchange(self.block, nullptr);
  if (block != nullptr && block->let_go()) block->destroy();
  Py_CLEAR(self.types);
  Py_CLEAR(self.handles);
  return 0;
}

void destroy(PyObject* object) {
  PyObject_GC_UnTrack(object);
  clear(object);
  PyTypeObject* const type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

// ---- arguments one by one ----------------------------------------------------------------------------------------

// A launch is there, however many arguments it has.
int truth(PyObject* /*object*/) { return 1; }

// Arguments that were given as an address can be neither read nor set.
Py_ssize_t length(PyObject* object) {
  const ObjectLock lock(object);
  const ParameterBlock* const block = launch_of(object).block;
  return block != nullptr ? block->count() : 0;
}

PyObject* raise_no_such(PyObject* object) {
  return PyErr_Format(PyExc_IndexError, "%s has %zd arguments that can be read or set", class_name, length(object));
}

PyObject* item(PyObject* object, Py_ssize_t index) {
  if (index < 0 || index >= length(object)) return raise_no_such(object);
  const ObjectLock lock(object);
  const ParameterBlock* const block = launch_of(object).block;
  return block != nullptr ? Py_NewRef(block->value(index)) : raise_unusable();
}

// Puts the argument into the block, or into a copy where a launch reads the block.
int put(PyObject* object, Py_ssize_t index, Reference& value, PackedArgument& packed) {
  const ObjectLock lock(object);
  PreparedLaunch& self = launch_of(object);
  if (self.block == nullptr) {
    raise_unusable();
    return -1;
  }
  if (self.block->shared()) {
    ParameterBlock* const copy = self.block->copy();
    if (copy == nullptr) return -1;
    self.block->let_go();
    self.block = copy;
  }
  self.block->exchange(index, value, packed);
  return 0;
}

int set_item(PyObject* object, Py_ssize_t index, PyObject* given) {
  if (given == nullptr) {
    PyErr_Format(PyExc_TypeError, "an argument of %s cannot be deleted", class_name);
    return -1;
  }
  if (index < 0 || index >= length(object)) {
    raise_no_such(object);
    return -1;
  }
  // The conversion may run Python code, which may launch, set and collect: nothing of the object is held meanwhile.
  PackedArgument packed;
  Reference value = Reference::to(given);
  const Reference types = Reference::to(launch_of(object).types);
  if (pack_kernel_argument(packed, given, type_at(types.get(), index), index, parameters_place) < 0) return -1;
  return put(object, index, value, packed);
}

constexpr char documentation[] =
    "PreparedLaunch(f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream, "
    "kernelParams)\n--\n\n"
    "A kernel launch whose arguments are converted and packed once. The parameters are those of cuLaunchKernel.\n\n"
    "prepared() and prepared(hStream) do what cuLaunchKernel does, and return (status,).\n"
    "prepared[i] is argument i as it was given; prepared[i] = value converts and packs this one anew. len(prepared) is "
    "their\nnumber, 0 where kernelParams was an address, an array of addresses, or None.\n"
    "A launch that another thread has begun goes on with the arguments that it began with.";

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PreparedLaunch, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(documentation)},
    {Py_tp_new, reinterpret_cast<void*>(make)},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_members, members},
    {Py_nb_bool, reinterpret_cast<void*>(truth)},
    {Py_sq_length, reinterpret_cast<void*>(length)},
    {Py_sq_item, reinterpret_cast<void*>(item)},
    {Py_sq_ass_item, reinterpret_cast<void*>(set_item)},
    {0, nullptr},
};

PyType_Spec spec = {"cuda_bindings.launch.PreparedLaunch", sizeof(PreparedLaunch), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE,
                    slots};

}  // namespace

int init_prepared_launch(PyObject* module) {
  const Reference type(PyType_FromSpec(&spec));
  return type ? PyModule_AddObjectRef(module, class_name, type.get()) : -1;
}

}  // namespace cuda_bindings
