// SPDX-License-Identifier: Apache-2.0
// The floor's functions with lists: nodes and edges of graphs, batches of copies, tensor maps; and its getters whose
// attribute decides the type of the value.
#include "calls.hpp"

#include <initializer_list>
#include <memory>
#include <new>

namespace benchmark_floor {
namespace {

// Room for as many values: on the stack, or for large lists on the heap.
template <class Value, std::size_t most>
class Room {
 public:
  bool make(std::size_t size) {
    if (size <= most) return true;
    heap_.reset(new (std::nothrow) Value[size]);
    data_ = heap_.get();
    if (data_ == nullptr) PyErr_NoMemory();
    return data_ != nullptr;
  }
  Value* data() { return data_; }

 private:
  Value stack_[most];
  std::unique_ptr<Value[]> heap_;
  Value* data_ = stack_;
};

PyObject* handle_list(HandleClass cls, const Number* values, std::size_t size) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(size));
  for (std::size_t index = 0; list != nullptr && index < size; ++index) {
    PyObject* handle = handle_new(cls, values[index]);
    if (handle == nullptr) {
      Py_DECREF(list);
      return nullptr;
    }
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(index), handle);
  }
  return list;
}

// (success, values...): takes the values over, any of which may be nullptr with an exception.
template <class... Values>
PyObject* with_values(Values... values) {
  PyObject* const all[] = {values...};
  bool complete = true;
  for (PyObject* each : all) complete = complete && each != nullptr;
  PyObject* tuple = complete ? PyTuple_New(1 + static_cast<Py_ssize_t>(sizeof...(values))) : nullptr;
  if (tuple == nullptr) {
    for (PyObject* each : all) Py_XDECREF(each);
    return nullptr;
  }
  PyTuple_SET_ITEM(tuple, 0, Py_NewRef(success));
  Py_ssize_t at = 0;
  for (PyObject* each : all) PyTuple_SET_ITEM(tuple, ++at, each);
  return tuple;
}

// ---- records that lists hold: an object with the C struct in it ------------------------------------------------------

template <class Values>
struct Plain {
  PyObject_HEAD Values values;
};

template <class Values>
FreeList<Plain<Values>, 4096> free_plain;

template <class Values>
void plain_dealloc(PyObject* self) {
  auto& spare = free_plain<Values>;
  if (spare.size < spare.most) {
    spare.objects[spare.size++] = reinterpret_cast<Plain<Values>*>(self);
  } else {
    PyObject_Free(self);
  }
}

struct TensorMap {
  Number opaque[16];
};

PyTypeObject edge_class = plain_class("CUgraphEdgeData", sizeof(Plain<EdgeData>), plain_dealloc<EdgeData>);
PyTypeObject copy_class =
    plain_class("CUmemcpyAttributes", sizeof(Plain<CopyAttributes>), plain_dealloc<CopyAttributes>);
// Room to align the struct in: PyObject_New gives 16 bytes' alignment.
PyTypeObject tensor_map_class =
    plain_class("CUtensorMap", sizeof(PyObject) + 64 + sizeof(TensorMap), plain_dealloc<TensorMap>);

template <class Values>
Plain<Values>* plain_new(PyTypeObject* cls) {
  auto& spare = free_plain<Values>;
  if (spare.size == 0) return PyObject_New(Plain<Values>, cls);
  Plain<Values>* object = spare.objects[--spare.size];
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(object), 1);
  return object;
}

PyObject* copy_create(PyTypeObject*, PyObject*, PyObject*) {
  auto* made = plain_new<CopyAttributes>(&copy_class);
  if (made != nullptr) made->values = {};
  return reinterpret_cast<PyObject*>(made);
}

// ---- graphs ----------------------------------------------------------------------------------------------------------

PyObject* cuGraphGetNodes(PyObject*, PyObject* const* arguments, Py_ssize_t given) {
  constexpr char function[] = "cuGraphGetNodes";
  Number graph = 0;
  std::size_t size = 0;
  if (check_size(given, 2, function) < 0 || read_handle(arguments[0], graph_class, &graph, function, "hGraph") < 0 ||
      read_number(arguments[1], &size, function, "numNodes") < 0) {
    return nullptr;
  }
  Room<Number, 64> nodes;
  if (!nodes.make(size)) return nullptr;
  const std::size_t most = size;
  const int status = CALL(cuGraphGetNodes, graph, nodes.data(), &size);
  if (status != 0) return failed(status, 2);
  return with_values(handle_list(node_class, nodes.data(), size < most ? size : most), PyLong_FromSize_t(size));
}

PyObject* edge_list(const EdgeData* values, std::size_t size) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(size));
  for (std::size_t index = 0; list != nullptr && index < size; ++index) {
    auto* edge = plain_new<EdgeData>(&edge_class);
    if (edge == nullptr) {
      Py_DECREF(list);
      return nullptr;
    }
    edge->values = values[index];
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(index), reinterpret_cast<PyObject*>(edge));
  }
  return list;
}

PyObject* cuGraphGetEdges(PyObject*, PyObject* const* arguments, Py_ssize_t given) {
  constexpr char function[] = "cuGraphGetEdges";
  Number graph = 0;
  std::size_t size = 0;
  if (check_size(given, 2, function) < 0 || read_handle(arguments[0], graph_class, &graph, function, "hGraph") < 0 ||
      read_number(arguments[1], &size, function, "numEdges") < 0) {
    return nullptr;
  }
  Room<Number, 64> from, to;
  Room<EdgeData, 64> edges;
  if (!from.make(size) || !to.make(size) || !edges.make(size)) return nullptr;
  std::memset(edges.data(), 0, size * sizeof(EdgeData));
  const std::size_t most = size;
  const int status = CALL(cuGraphGetEdges, graph, from.data(), to.data(), edges.data(), &size);
  if (status != 0) return failed(status, 4);
  const std::size_t filled = size < most ? size : most;
  return with_values(handle_list(node_class, from.data(), filled), handle_list(node_class, to.data(), filled),
                     edge_list(edges.data(), filled), PyLong_FromSize_t(size));
}

// ---- batches ---------------------------------------------------------------------------------------------------------

// The items of a list of exactly as many, or of as many as it has where `size` is negative.
template <class Value, std::size_t most, class Read>
int read_list(PyObject* list, Py_ssize_t size, Room<Value, most>* room, const char* function, const char* argument,
              Read read) {
  if (!PyList_CheckExact(list) || (size >= 0 && PyList_GET_SIZE(list) != size))
    return refuse(list, function, argument, "a list of as many items as the others");
  const Py_ssize_t count = PyList_GET_SIZE(list);
  if (!room->make(static_cast<std::size_t>(count))) return -1;
  Value* const values = room->data();
  for (Py_ssize_t index = 0; index < count; ++index) {
    if (read(PyList_GET_ITEM(list, index), &values[index]) < 0) return -1;
  }
  return 0;
}

template <HandleClass cls, std::size_t most>
int read_handles(PyObject* list, Py_ssize_t size, Room<Number, most>* room, const char* function, const char* name) {
  return read_list(list, size, room, function, name,
                   [=](PyObject* item, Number* value) { return read_handle(item, cls, value, function, name); });
}

template <std::size_t most>
int read_sizes(PyObject* list, Py_ssize_t size, Room<std::size_t, most>* room, const char* function, const char* name) {
  return read_list(list, size, room, function, name,
                   [=](PyObject* item, std::size_t* value) { return read_number(item, value, function, name); });
}

PyObject* cuMemcpyBatchAsync(PyObject*, PyObject* const* arguments, Py_ssize_t given) {
  constexpr char function[] = "cuMemcpyBatchAsync";
  Number stream = 0;
  std::size_t count = 0, attributes = 0;
  if (check_size(given, 8, function) < 0 || read_number(arguments[3], &count, function, "count") < 0 ||
      read_number(arguments[6], &attributes, function, "numAttrs") < 0 ||
      read_handle(arguments[7], stream_class, &stream, function, "hStream") < 0) {
    return nullptr;
  }
  const auto items = static_cast<Py_ssize_t>(count);
  Room<Number, 64> targets, sources;
  Room<std::size_t, 64> sizes, indices;
  Room<CopyAttributes, 8> hints;
  const auto read_hint = [](PyObject* item, CopyAttributes* value) {
    if (Py_TYPE(item) != &copy_class) return refuse(item, "cuMemcpyBatchAsync", "attrs", "CUmemcpyAttributes");
    *value = reinterpret_cast<Plain<CopyAttributes>*>(item)->values;
    return 0;
  };
  if (read_handles<memory_class>(arguments[0], items, &targets, function, "dsts") < 0 ||
      read_handles<memory_class>(arguments[1], items, &sources, function, "srcs") < 0 ||
      read_sizes(arguments[2], items, &sizes, function, "sizes") < 0 ||
      read_list(arguments[4], static_cast<Py_ssize_t>(attributes), &hints, function, "attrs", read_hint) < 0 ||
      read_sizes(arguments[5], static_cast<Py_ssize_t>(attributes), &indices, function, "attrsIdxs") < 0) {
    return nullptr;
  }
  return nothing(CALL(cuMemcpyBatchAsync, targets.data(), sources.data(), sizes.data(), count, hints.data(),
                      indices.data(), attributes, stream));
}

// ---- tensor maps -----------------------------------------------------------------------------------------------------

struct Choice {
  const char* name;
  const char* member;
  int value;
  PyTypeObject* cls;
};

// The enumerations of the parameters, in their order, each with the member that the benchmark passes.
Choice choices[] = {
    {"CUtensorMapDataType", "CU_TENSOR_MAP_DATA_TYPE_FLOAT32", 7, nullptr},
    {"CUtensorMapInterleave", "CU_TENSOR_MAP_INTERLEAVE_NONE", 0, nullptr},
    {"CUtensorMapSwizzle", "CU_TENSOR_MAP_SWIZZLE_NONE", 0, nullptr},
    {"CUtensorMapL2promotion", "CU_TENSOR_MAP_L2_PROMOTION_NONE", 0, nullptr},
    {"CUtensorMapFloatOOBfill", "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE", 0, nullptr},
    {"CUpointer_attribute", "CU_POINTER_ATTRIBUTE_MEMORY_TYPE", 2, nullptr},
    {"CUmemPool_attribute", "CU_MEMPOOL_ATTR_RELEASE_THRESHOLD", 4, nullptr},
};
constexpr int pointer_choice = 5, pool_choice = 6;

template <HandleClass cls>
int read_unsigned(PyObject* list, Py_ssize_t size, Room<unsigned int, 5>* room, const char* name) {
  constexpr char function[] = "cuTensorMapEncodeTiled";
  return read_list(list, size, room, function, name, [=](PyObject* item, unsigned int* value) {
    Number wide = 0;
    if (read_handle(item, cls, &wide, function, name) < 0) return -1;
    *value = static_cast<unsigned int>(wide);
    return 0;
  });
}

PyObject* cuTensorMapEncodeTiled(PyObject*, PyObject* const* arguments, Py_ssize_t given) {
  constexpr char function[] = "cuTensorMapEncodeTiled";
  unsigned int rank = 0;
  Number address = 0;
  int chosen[5] = {};
  if (check_size(given, 11, function) < 0 || read_number(arguments[1], &rank, function, "tensorRank") < 0 ||
      read_handle(arguments[2], memory_class, &address, function, "globalAddress") < 0 ||
      read_enumeration(arguments[0], choices[0].cls, &chosen[0], function, choices[0].name) < 0) {
    return nullptr;
  }
  for (int index = 1; index < 5; ++index) {
    if (read_enumeration(arguments[6 + index], choices[index].cls, &chosen[index], function, choices[index].name) < 0)
      return nullptr;
  }
  Room<Number, 5> sizes, strides;
  Room<unsigned int, 5> box, steps;
  const auto most = static_cast<Py_ssize_t>(rank);
  if (read_handles<wide_class>(arguments[3], most, &sizes, function, "globalDim") < 0 ||
      read_handles<wide_class>(arguments[4], most - 1, &strides, function, "globalStrides") < 0 ||
      read_unsigned<narrow_class>(arguments[5], most, &box, "boxDim") < 0 ||
      read_unsigned<narrow_class>(arguments[6], most, &steps, "elementStrides") < 0) {
    return nullptr;
  }
  auto* made = plain_new<TensorMap>(&tensor_map_class);
  if (made == nullptr) return nullptr;
  const Number behind = reinterpret_cast<Number>(reinterpret_cast<PyObject*>(made) + 1);
  auto* map = reinterpret_cast<Number*>((behind + 63) & ~Number{63});
  std::memset(map, 0, sizeof(TensorMap));
  const int status = CALL(cuTensorMapEncodeTiled, map, chosen[0], rank, address, sizes.data(), strides.data(),
                          box.data(), steps.data(), chosen[1], chosen[2], chosen[3], chosen[4]);
  if (status == 0) return with_value(reinterpret_cast<PyObject*>(made));
  Py_DECREF(made);
  return failed(status, 1);
}

// ---- getters whose attribute decides the type ------------------------------------------------------------------------

PyObject* memory_types[5];  // members, by value; the first is for none

PyObject* cuPointerGetAttribute(PyObject*, PyObject* const* arguments, Py_ssize_t given) {
  constexpr char function[] = "cuPointerGetAttribute";
  int attribute = 0;
  Number pointer = 0;
  if (check_size(given, 2, function) < 0 ||
      read_enumeration(arguments[0], choices[pointer_choice].cls, &attribute, function, "attribute") < 0 ||
      read_handle(arguments[1], memory_class, &pointer, function, "ptr") < 0) {
    return nullptr;
  }
  Number value = 0;
  const int status = CALL(cuPointerGetAttribute, &value, attribute, pointer);
  if (status != 0) return failed(status, 1);
  switch (attribute) {
    case 1: return with_value(handle_new(context_class, value));
    case 2: return with_value(value < 5 ? Py_NewRef(memory_types[value]) : PyLong_FromUnsignedLongLong(value));
    case 6: return with_value(PyBool_FromLong(static_cast<int>(value)));
    default: return with_value(PyLong_FromUnsignedLongLong(value));
  }
}

PyObject* cuMemPoolGetAttribute(PyObject*, PyObject* const* arguments, Py_ssize_t given) {
  constexpr char function[] = "cuMemPoolGetAttribute";
  int attribute = 0;
  Number pool = 0;
  if (check_size(given, 2, function) < 0 || read_handle(arguments[0], pool_class, &pool, function, "pool") < 0 ||
      read_enumeration(arguments[1], choices[pool_choice].cls, &attribute, function, "attr") < 0) {
    return nullptr;
  }
  Number value = 0;
  const int status = CALL(cuMemPoolGetAttribute, pool, attribute, &value);
  if (status != 0) return failed(status, 1);
  const bool number = attribute >= 4;  // those below are switches
  return with_value(number ? PyLong_FromUnsignedLongLong(value) : PyLong_FromLong(static_cast<int>(value)));
}

}  // namespace

PyMethodDef list_methods[] = {
    {"cuGraphGetNodes", method(cuGraphGetNodes), METH_FASTCALL, nullptr},
    {"cuGraphGetEdges", method(cuGraphGetEdges), METH_FASTCALL, nullptr},
    {"cuMemcpyBatchAsync", method(cuMemcpyBatchAsync), METH_FASTCALL, nullptr},
    {"cuTensorMapEncodeTiled", method(cuTensorMapEncodeTiled), METH_FASTCALL, nullptr},
    {"cuPointerGetAttribute", method(cuPointerGetAttribute), METH_FASTCALL, nullptr},
    {"cuMemPoolGetAttribute", method(cuMemPoolGetAttribute), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

int add_lists(PyObject* module) {
  for (Choice& choice : choices) {
    PyObject* cls = make_enumeration(choice.name, &choice.member, &choice.value, 1);
    if (cls == nullptr || PyModule_AddObjectRef(module, choice.name, cls) < 0) return -1;
    choice.cls = reinterpret_cast<PyTypeObject*>(cls);
  }
  constexpr const char* names[] = {"NONE", "HOST", "DEVICE", "ARRAY", "UNIFIED"};
  constexpr int values[] = {0, 1, 2, 3, 4};
  PyObject* cls = make_enumeration("CUmemorytype", names, values, 5);
  for (int index = 0; cls != nullptr && index < 5; ++index) {
    memory_types[index] = PyObject_GetAttrString(cls, names[index]);
    if (memory_types[index] == nullptr) return -1;
  }
  copy_class.tp_new = copy_create;
  for (PyTypeObject* type : {&edge_class, &copy_class, &tensor_map_class}) {
    if (PyType_Ready(type) < 0) return -1;
    if (PyModule_AddObjectRef(module, type->tp_name, reinterpret_cast<PyObject*>(type)) < 0) return -1;
  }
  return cls == nullptr ? -1 : 0;
}

}  // namespace benchmark_floor
