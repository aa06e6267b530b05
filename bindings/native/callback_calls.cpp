// SPDX-License-Identifier: Apache-2.0
// Lets CUDA's threads into Python, tells callables their arguments, and shuts the door when the interpreter ends.
#include "native/api.hpp"

#include "native/callback_calls.hpp"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstring>
#include <thread>
#include <utility>

#include "native/callback_trampoline.hpp"
#include "native/callbacks.hpp"
#include "native/enumeration.hpp"
#include "native/handle.hpp"
#include "native/record.hpp"

namespace cuda_bindings {
namespace {

// ---- the door --------------------------------------------------------------------------------------------------------

// An interpreter that ends stops or kills threads that want the GIL. So none may be on its way in by then.
std::atomic<bool> door_shut{false};
std::atomic<int> inside{0};
thread_local int depth = 0;  // of callbacks in one another on this thread

// What callbacks that run get to finish, as long as it is not for ever.
constexpr std::chrono::seconds patience{5};

PyObject* shut_door(PyObject*, PyObject*) {
  door_shut.store(true);
  const auto end = std::chrono::steady_clock::now() + patience;
  Py_BEGIN_ALLOW_THREADS while (inside.load() > depth && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

PyMethodDef shut_door_method = {"shut_callbacks_out", shut_door, METH_NOARGS, nullptr};

// Of the threads that were inside, the child has only the one that forked.
void count_again() { inside.store(depth); }

bool interpreter_is_ending() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

// A reference on a thread that the end of the interpreter may make exit at any line of Python: it has no GIL then, and
// must not touch what it holds.
class Held {
 public:
  explicit Held(PyObject* owned = nullptr) : object_(owned) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (object_ != nullptr && !interpreter_is_ending()) Py_DECREF(object_);
  }

  explicit operator bool() const { return object_ != nullptr; }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }

 private:
  PyObject* object_;
};

// ---- arguments and result --------------------------------------------------------------------------------------------

PyObject* text_argument(std::uint64_t pointer, std::uint64_t length) {
  const char* const text = reinterpret_cast<const char*>(pointer);
  if (text == nullptr) return PyBytes_FromStringAndSize(nullptr, 0);
  return PyBytes_FromStringAndSize(text, static_cast<Py_ssize_t>(strnlen(text, length)));
}

PyObject* argument_object(const CallbackArgument& argument, const std::uint64_t* word, PyObject* user_data) {
  switch (argument.kind) {
    case CallbackArgumentKind::user_data: return Py_NewRef(user_data);
    case CallbackArgumentKind::handle: return handle_new_object(argument.type, *word);
    case CallbackArgumentKind::enumeration: return enumeration_member_of(argument.type, static_cast<int>(*word));
    case CallbackArgumentKind::record:
      if (*word == 0) Py_RETURN_NONE;
      return record_from(argument.type, reinterpret_cast<const void*>(*word));
    case CallbackArgumentKind::text: return text_argument(word[0], word[1]);
    case CallbackArgumentKind::signed_number: return PyLong_FromLongLong(static_cast<long long>(*word));
    default: return PyLong_FromUnsignedLongLong(*word);
  }
}

PyObject* argument_tuple(const CallbackRow& row, const std::uint64_t* words, PyObject* user_data) {
  Held tuple(PyTuple_New(row.argument_count));
  for (int index = 0; tuple && index < row.argument_count; ++index) {
    PyObject* const object = argument_object(row.arguments[index], words + index, user_data);
    if (object == nullptr) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), index, object);
  }
  return tuple.release();
}

// 0, or -1 with an exception.
int read_result(const CallbackRow& row, PyObject* object, std::int64_t* result) {
  *result = 0;
  // Where there is a number that means failure, no result means that all is well.
  if (row.result_size == 0 || (object == Py_None && row.failed != 0)) return 0;
  const Held number(PyNumber_Index(object));
  if (!number) return -1;
  if (row.result_size == sizeof(std::uint64_t)) {
    *result = static_cast<std::int64_t>(PyLong_AsUnsignedLongLong(number.get()));
    return PyErr_Occurred() != nullptr ? -1 : 0;
  }
  int overflow = 0;
  *result = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (overflow == 0 && *result >= INT_MIN && *result <= INT_MAX) return 0;
  PyErr_Format(PyExc_OverflowError, "%s must return an int that fits into 32 bits", row.name);
  return -1;
}

// ---- one call --------------------------------------------------------------------------------------------------------

void report(PyObject* callable, DirectCall* direct) {
  if (direct != nullptr && direct->exception[0] == nullptr) {
    PyErr_Fetch(&direct->exception[0], &direct->exception[1], &direct->exception[2]);
  } else {
    PyErr_WriteUnraisable(callable);
  }
}

std::int64_t call_callable(const CallbackRow& row, PyObject* callback, const std::uint64_t* words, DirectCall* direct) {
  const Held callable(Py_XNewRef(callback_object(callback)->callable));
  const Held user_data(Py_XNewRef(callback_object(callback)->user_data));
  if (!callable || !user_data) return row.failed;  // taken apart by the garbage collector
  std::int64_t result = row.failed;
  const Held arguments(argument_tuple(row, words, user_data.get()));
  const Held returned(arguments ? PyObject_Call(callable.get(), arguments.get(), nullptr) : nullptr);
  if (returned && read_result(row, returned.get(), &result) == 0) return result;
  report(callable.get(), direct);
  return row.failed;
}

}  // namespace

DirectCall*& direct_call() {
  thread_local DirectCall* innermost = nullptr;
  return innermost;
}

bool enter_callback() {
  inside.fetch_add(1);
  ++depth;
  if (!door_shut.load()) return true;
  leave_callback();
  return false;
}

void leave_callback() {
  --depth;
  inside.fetch_sub(1);
}

CallbackRun::CallbackRun(int type, std::uint64_t* words) {
  result_ = callback_rows[type].failed;
  if (!enter_callback()) return;
  inside_ = true;
  const PyGILState_STATE gil = PyGILState_Ensure();
  run(type, words);
  PyGILState_Release(gil);
}

void CallbackRun::run(int type, std::uint64_t* words) {
  const CallbackRow& row = callback_rows[type];
  const int user_data = user_data_index(row);
  DirectCall* const direct = user_data < 0 ? direct_call() : nullptr;
  if (door_shut.load() || (user_data < 0 && direct == nullptr)) return;
  if (direct != nullptr && direct->exception[0] != nullptr) return;  // it has failed before
  Held callback(direct != nullptr ? Py_NewRef(direct->callback) : callback_find(words[user_data]).release());
  if (!callback) return;
  CallbackObject* const object = callback_object(callback.get());
  if (object->once) callback_release(object->token);
  if (object->code == nullptr) {
    result_ = call_callable(row, callback.get(), words, direct);
  } else {
    code_ = object->code;
    words[user_data] = reinterpret_cast<std::uint64_t>(object->address);
    cell_ = callback.release();
  }
}

CallbackRun::~CallbackRun() {
  // Behind a door that is shut the interpreter may be gone; what is kept then goes with the process.
  if (cell_ != nullptr && !door_shut.load()) {
    const PyGILState_STATE gil = PyGILState_Ensure();
    Py_DECREF(static_cast<PyObject*>(cell_));
    PyGILState_Release(gil);
  }
  if (inside_) leave_callback();
}

int init_callback_calls(PyObject* module) {
  static const int at_fork = pthread_atfork(nullptr, nullptr, count_again);
  if (at_fork != 0) {
    PyErr_NoMemory();
    return -1;
  }
  door_shut.store(false);  // an interpreter that was started again
  // Registered with the import: handlers that the program adds later run before it, with callbacks still served.
  const Reference atexit(PyImport_ImportModule("atexit"));
  const Reference shut(atexit ? PyCFunction_New(&shut_door_method, module) : nullptr);
  const Reference done(shut ? PyObject_CallMethod(atexit.get(), "register", "O", shut.get()) : nullptr);
  return done ? 0 : -1;
}

}  // namespace cuda_bindings
