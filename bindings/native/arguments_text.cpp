// SPDX-License-Identifier: Apache-2.0
// Text arguments: bytes and bytearray as zero-terminated C strings.
#include "native/api.hpp"

#include "native/arguments_text.hpp"

#include "native/arguments_errors.hpp"
#include "native/arguments_lists.hpp"

namespace cuda_bindings {

namespace {

// C would read no further than the first NUL: text behind it is lost, so it is refused. NULs alone at the end lose
// nothing.
int check_terminated(const char* data, Py_ssize_t size, PyObject* object, Place place) {
  const size_t length = static_cast<size_t>(size);
  const size_t first = strnlen(data, length);
  for (size_t index = first; index < length; ++index) {
    if (data[index] != '\0')
      return raise_value(place, object, "a NUL with text behind it", "text that C can read to its end");
  }
  return 0;
}

}  // namespace

int read_text(Text& text, PyObject* object, bool nullable, Place place) {
  if (PyBytes_Check(object)) {
    // PyBytes_AS_STRING is zero-terminated, and bytes never change their size.
    if (check_terminated(PyBytes_AS_STRING(object), PyBytes_GET_SIZE(object), object, place) < 0) return -1;
    text.view.buf = nullptr;
    text.view.obj = Py_NewRef(object);
    text.data = PyBytes_AS_STRING(object);
    return 0;
  }
  if (PyByteArray_Check(object)) {
    // Held as a buffer: a bytearray with exports cannot be resized by another thread. Its memory is zero-terminated
    // too.
    if (PyObject_GetBuffer(object, &text.view, PyBUF_SIMPLE) < 0) return -1;
    text.data = PyByteArray_AS_STRING(object);
    return check_terminated(text.data, PyByteArray_GET_SIZE(object), object, place);
  }
  if (object == Py_None && nullable) return 0;
  return raise_type(place, object, nullable ? "bytes, bytearray or None" : "bytes or bytearray");
}

int read_text_list(TextList& list, PyObject* object, const ListRules& rules, Place place) {
  if (take_elements(list, object, rules, ListSource::sequence, "a list or tuple of bytes", place) < 0) return -1;
  if (list.size == 0) return 0;
  const char** texts = static_cast<const char**>(list.memory.reserve_items(list.size, sizeof(const char*)));
  if (texts == nullptr) return -1;
  for (size_t index = 0; index < list.size; ++index) {
    PyObject* element = PyTuple_GET_ITEM(list.elements, static_cast<Py_ssize_t>(index));
    const Place element_place = place.at(static_cast<Py_ssize_t>(index));
    if (!PyBytes_Check(element)) return raise_type(element_place, element, "bytes");
    texts[index] = PyBytes_AS_STRING(element);
    if (check_terminated(texts[index], PyBytes_GET_SIZE(element), element, element_place) < 0) return -1;
  }
  list.data = texts;
  return 0;
}

}  // namespace cuda_bindings
