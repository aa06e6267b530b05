// SPDX-License-Identifier: Apache-2.0
// The caller's memory that a callee fills: NVRTC's outputs and logs. Clients pass `b" " * size` and expect it to be
// overwritten.
#include "native/api.hpp"

#include "native/arguments_address.hpp"

#include <cstdio>

#include "native/arguments_errors.hpp"

namespace cuda_bindings {

namespace {

// The content changes under the object, so a hash computed before (or during the call, by another thread) is wrong.
void forget_hash(PyObject* bytes) {
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
  reinterpret_cast<PyBytesObject*>(bytes)->ob_shash = -1;
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
}

int raise_short(PyObject* object, Py_ssize_t size, size_t needed, Place place) {
  char problem[96];
  std::snprintf(problem, sizeof problem, "%zd bytes where %zu are written", size, needed);
  return raise_value(place, object, problem, "memory that is long enough");
}

int hold_bytes(OutBuffer& buffer, PyObject* object, size_t needed, Place place) {
  const Py_ssize_t size = PyBytes_GET_SIZE(object);
  if (static_cast<size_t>(size) < needed) return raise_short(object, size, needed, place);
  // CPython keeps one object for the empty bytes and one for each single byte: writing into it would change all of
  // them.
  if (size <= 1) {
    return raise_value(place, object, "shared by the whole program",
                       "bytes of length 2 or more, bytearray or a writable buffer");
  }
  forget_hash(object);
  buffer.view.buf = nullptr;
  buffer.view.obj = Py_NewRef(object);
  buffer.data = PyBytes_AS_STRING(object);
  return 0;
}

}  // namespace

int read_out_buffer(OutBuffer& buffer, PyObject* object, size_t needed, Place place) {
  if (PyBytes_Check(object)) return hold_bytes(buffer, object, needed, place);
  constexpr char accepted[] = "bytes, bytearray or a writable contiguous buffer";
  if (PyObject_CheckBuffer(object) == 0) return raise_type(place, object, accepted);
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_ANY_CONTIGUOUS | PyBUF_WRITABLE) < 0) {
    if (!PyErr_ExceptionMatches(PyExc_BufferError) && !PyErr_ExceptionMatches(PyExc_ValueError)) return -1;
    return raise_type(place, object, accepted);
  }
  if (static_cast<size_t>(view.len) < needed) {
    const Py_ssize_t size = view.len;
    PyBuffer_Release(&view);
    return raise_short(object, size, needed, place);
  }
  buffer.view = view;
  buffer.data = static_cast<char*>(view.buf);
  return 0;
}

void release_out_buffer(OutBuffer& buffer) {
  if (PyBytes_Check(buffer.view.obj)) forget_hash(buffer.view.obj);
  PyBuffer_Release(&buffer.view);
}

}  // namespace cuda_bindings
