// SPDX-License-Identifier: Apache-2.0
// Keeps a callable as long as CUDA may call it: for one run, with a graph, until it is unregistered, or during a call.
#include "native/api.hpp"

#include <cstring>

#include "generated/table_driver.hpp"
#include "generated/table_runtime.hpp"
#include "native/arguments_address.hpp"
#include "native/arguments_errors.hpp"
#include "native/callback_calls.hpp"
#include "native/callbacks.hpp"
#include "native/handle.hpp"

namespace cuda_bindings {
namespace {

// ---- from Python to C ------------------------------------------------------------------------------------------------

// A function pointer: a handle, a number, None; without a class of its own any address.
int read_pointer(Callback& callback, PyObject* object, const CallbackRow& row, Place place) {
  if (row.handle == NO_TYPE) {
    Address code;
    if (read_address(code, object, ACCESS_NONE, SIZE_MAX, place) < 0) return -1;
    callback.code = code.data;
    return 0;
  }
  std::uint64_t value = 0;
  if (handle_read_value(object, row.handle, where(place), &value) < 0) return -1;
  callback.code = reinterpret_cast<void*>(value);
  if (!stands_for_callables(callback.code)) return 0;
  return raise_value(place, object, "a function that calls callables, without its callable", "the callable itself");
}

int read_callback(Callback& callback, PyObject* object, PyObject* user_data, int type, Place place,
                  const char* user_data_name) {
  const CallbackRow& row = callback_rows[type];
  CallbackSource source = callback_source(object);
  // The member of a host node's parameters that was assigned a callable stands for the callable.
  const Reference member = callback_of_member(object);
  if (member) {
    object = callback_object(member.get())->callable;
    source = CallbackSource::callable;
  }
  if (source == CallbackSource::function_pointer && read_pointer(callback, object, row, place) < 0) return -1;
  if (source != CallbackSource::callable && user_data_name != nullptr) {
    const Place data_place{place.owner, user_data_name};
    if (callback.address.read(user_data, ACCESS_NONE, SIZE_MAX, data_place.owner, data_place.name) < 0) return -1;
    callback.user_data = callback.address.data;
  }
  if (source == CallbackSource::function_pointer) return 0;
  if (source == CallbackSource::callable) {
    callback.callback = callback_new(type, object, user_data);
  } else {
    if (ctypes_code(object, type, place, &callback.code) < 0) return -1;
    Reference view(callback.address.view.obj != nullptr ? PyMemoryView_FromObject(user_data) : nullptr);
    if (!view && PyErr_Occurred() != nullptr) return -1;
    callback.callback = callback_of_function(type, object, callback.user_data, view.get());
  }
  if (callback.callback == nullptr) return -1;
  // Without user data C calls a function of ctypes itself.
  if (source == CallbackSource::callable || user_data_name != nullptr) callback.code = row.code;
  if (user_data_name == nullptr) return 0;
  callback.user_data = reinterpret_cast<void*>(callback_object(callback.callback)->token);
  callback_add(callback.callback);
  return 0;
}

void drop(Callback& callback) {
  const std::uint64_t token = callback_object(callback.callback)->token;
  if (!callback.is_handed_over) callback_release(token);
  Py_CLEAR(callback.callback);
}

// ---- graphs ----------------------------------------------------------------------------------------------------------

struct Capture {
  bool is_active = false;
  void* graph = nullptr;  // may be unknown while a capture goes on
};

constexpr int not_supported = 801;  // of both libraries: a device without captures

Capture capture_of(int library, void* stream) {
  Capture capture;
  unsigned long long id = 0;
  std::size_t count = 0;
  int status = 0;
  if (library == LIBRARY_DRIVER) {
    CUstreamCaptureStatus state = CU_STREAM_CAPTURE_STATUS_NONE;
    CUgraph graph = nullptr;
    const CUgraphNode* nodes = nullptr;
    const CUgraphEdgeData* edges = nullptr;
    cuuint64_t number = id;
    const CUstream of = static_cast<CUstream>(stream);
    status = driver_table->cuStreamIsCapturing(of, &state);
    if (status == 0 && state == CU_STREAM_CAPTURE_STATUS_NONE) return capture;
    if (driver_table->cuStreamGetCaptureInfo_v3(of, &state, &number, &graph, &nodes, &edges, &count) != 0) {
      driver_table->cuStreamGetCaptureInfo_v2(of, &state, &number, &graph, &nodes, &count);
    }
    capture.graph = graph;
  } else {
    cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
    cudaGraph_t graph = nullptr;
    const cudaGraphNode_t* nodes = nullptr;
    const cudaGraphEdgeData* edges = nullptr;
    const cudaStream_t of = static_cast<cudaStream_t>(stream);
    status = runtime_table->cudaStreamIsCapturing(of, &state);
    if (status == 0 && state == cudaStreamCaptureStatusNone) return capture;
    runtime_table->cudaStreamGetCaptureInfo(of, &state, &id, &graph, &nodes, &edges, &count);
    capture.graph = graph;
  }
  // Whoever cannot answer may be capturing all the same, unless there is nothing of the kind.
  capture.is_active = status != not_supported && status != missing_codes[library];
  return capture;
}

// What CUDA calls when the last graph that was made with a callable goes: on a thread of its own.
void graph_is_gone(void* token) {
  if (!enter_callback()) return;
  const PyGILState_STATE gil = PyGILState_Ensure();
  callback_release(reinterpret_cast<std::uint64_t>(token));
  PyGILState_Release(gil);
  leave_callback();
}

// Makes the graph, its clones and what is instantiated of it hold the token. Where CUDA cannot, nobody ever lets go.
void keep_with_graph(int library, void* graph, std::uint64_t token) {
  if (graph == nullptr) return;
  void* const data = reinterpret_cast<void*>(token);
  if (library == LIBRARY_DRIVER) {
    CUuserObject object = nullptr;
    if (driver_table->cuUserObjectCreate(&object, data, graph_is_gone, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) != 0)
      return;
    driver_table->cuGraphRetainUserObject(static_cast<CUgraph>(graph), object, 1, CU_GRAPH_USER_OBJECT_MOVE);
  } else {
    cudaUserObject_t object = nullptr;
    if (runtime_table->cudaUserObjectCreate(&object, data, graph_is_gone, 1, cudaUserObjectNoDestructorSync) != 0)
      return;
    runtime_table->cudaGraphRetainUserObject(static_cast<cudaGraph_t>(graph), object, 1, cudaGraphUserObjectMove);
  }
}

// ---- once ------------------------------------------------------------------------------------------------------------

void enqueue(Callback& callback, int library, void* stream) {
  Capture capture;
  Py_BEGIN_ALLOW_THREADS capture = capture_of(library, stream);
  Py_END_ALLOW_THREADS callback.library = library;
  callback.stream = stream;
  callback.is_capturing = capture.is_active;
  callback.graph = capture.graph;
  callback_object(callback.callback)->once = !capture.is_active;
}

void enqueued(Callback& callback) {
  callback.is_handed_over = true;
  Py_BEGIN_ALLOW_THREADS if (callback.is_capturing) {
    keep_with_graph(callback.library, callback.graph, callback_object(callback.callback)->token);
  }
  Py_END_ALLOW_THREADS
}

void once(Callback& callback) { callback_object(callback.callback)->once = true; }

// ---- registered ------------------------------------------------------------------------------------------------------

void registered(Callback& callback, std::uint64_t handle) {
  if (callback.callback == nullptr) {
    callback_release(registry_take(callback.type, handle));  // replaced by a function pointer
    return;
  }
  callback.is_handed_over = true;
  registry_put(callback.type, handle, callback_object(callback.callback)->token);
}

void take_registration(Registration& registration, int type, std::uint64_t handle, const void* address) {
  if (registry_empty()) return;
  registration.handle = handle;
  if (address != nullptr) std::memcpy(&registration.handle, address, sizeof registration.handle);
  registration.type = type;
  registration.token = registry_take(type, registration.handle);
}

void end_registration(Registration& registration) {
  callback_release(registration.token);
  registration.token = 0;
}

void put_registration_back(Registration& registration) {
  registry_put(registration.type, registration.handle, registration.token);
  registration.token = 0;
}

// ---- during a call ---------------------------------------------------------------------------------------------------

void enter(Callback& callback) {
  callback.direct.callback = callback.callback;
  callback.direct.outer = direct_call();
  direct_call() = &callback.direct;
}

int leave(Callback& callback) {
  direct_call() = callback.direct.outer;
  PyObject** const exception = callback.direct.exception;
  if (exception[0] == nullptr) return 0;
  PyErr_Restore(exception[0], exception[1], exception[2]);
  return -1;
}

// ---- host nodes ------------------------------------------------------------------------------------------------------

int take_node(NodeCallback& node, PyObject* parameters, Place place) {
  bool dead = false;
  const Reference callback = callback_of_record(parameters, &dead);
  if (dead) {
    return raise_value(place, parameters, "the callable that its function stands for is gone with its graph",
                       "parameters whose function is alive");
  }
  if (!callback) return PyErr_Occurred() != nullptr ? -1 : 0;
  callback_add(callback.get());
  node.token = callback_object(callback.get())->token;
  return 0;
}

void added_node(NodeCallback& node, int library, void* graph) {
  Py_BEGIN_ALLOW_THREADS keep_with_graph(library, graph, node.token);
  Py_END_ALLOW_THREADS node.token = 0;
}

void drop_node(NodeCallback& node) {
  callback_release(node.token);
  node.token = 0;
}

}  // namespace

const CallbacksApi* callbacks_api() {
  static const CallbacksApi made = {read_callback,
                                    enqueue,
                                    enqueued,
                                    once,
                                    registered,
                                    enter,
                                    leave,
                                    drop,
                                    take_node,
                                    added_node,
                                    drop_node,
                                    take_registration,
                                    end_registration,
                                    put_registration_back};
  return &made;
}

}  // namespace cuda_bindings
