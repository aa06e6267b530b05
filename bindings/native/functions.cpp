// SPDX-License-Identifier: Apache-2.0
// Calls with keywords or with fewer arguments: each object is put into its parameter's place, by the names and defaults
// of the signature that the docstring begins with.
#include <string>
#include <string_view>
#include <vector>

#include "native/api.hpp"
#include "native/functions_api.hpp"
#include "native/reference.hpp"

namespace cuda_bindings {
namespace {

struct Parameter {
  std::string_view name;
  std::string_view default_text;  // empty: none
};

struct Signature {
  std::string_view function;
  std::string_view text;  // as it stands between the parentheses
  std::vector<Parameter> parameters;
};

// "cuCtxCreate(ctxCreateParams, flags, dev=...)\n--\n\n..."
Signature read_signature(std::string_view doc) {
  const std::size_t open = doc.find('(');
  const std::size_t close = doc.find(")\n--\n", open);
  Signature signature{doc.substr(0, open), doc.substr(open + 1, close - open - 1), {}};
  std::string_view rest = signature.text;
  while (!rest.empty()) {
    const std::size_t end = rest.find(", ");
    const std::string_view one = rest.substr(0, end);
    const std::size_t equals = one.find('=');
    signature.parameters.push_back(
        {one.substr(0, equals), equals == std::string_view::npos ? "" : one.substr(equals + 1)});
    rest = end == std::string_view::npos ? "" : rest.substr(end + 2);
  }
  return signature;
}

std::string text_of(std::string_view text) { return std::string(text); }

int refuse(const Signature& signature, const std::string& what) {
  PyErr_Format(PyExc_TypeError, "%s() %s; accepts (%s)", text_of(signature.function).c_str(), what.c_str(),
               text_of(signature.text).c_str());
  return -1;
}

// The place of a keyword, -1 with an exception where there is none.
int place_of(const Signature& signature, PyObject* keyword) {
  Py_ssize_t length = 0;
  const char* text = PyUnicode_AsUTF8AndSize(keyword, &length);
  if (text == nullptr) {
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return -1;
    PyErr_Clear();  // a lone surrogate has no UTF-8, and no name of ours has one
  }
  for (std::size_t at = 0; text != nullptr && at < signature.parameters.size(); ++at) {
    if (signature.parameters[at].name == std::string_view(text, static_cast<std::size_t>(length))) {
      return static_cast<int>(at);
    }
  }
  PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument %R; accepts (%s)",
               text_of(signature.function).c_str(), keyword, text_of(signature.text).c_str());
  return -1;
}

int place_keywords(const Signature& signature, PyObject* const* values, PyObject* names, PyObject** ordered) {
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
    const int at = place_of(signature, PyTuple_GET_ITEM(names, i));
    if (at < 0) return -1;
    if (ordered[at] != nullptr) {
      const std::string name(signature.parameters[static_cast<std::size_t>(at)].name);
      return refuse(signature, "got multiple values for argument '" + name + "'");
    }
    ordered[at] = values[i];
  }
  return 0;
}

// Borrowed: both objects live as long as the interpreter.
PyObject* default_object(std::string_view text) {
  if (text == "...") return Py_Ellipsis;
  static PyObject* const zero = PyLong_FromLong(0);
  return text == "0" ? zero : nullptr;
}

int fill_defaults(const Signature& signature, PyObject** ordered) {
  std::string missing;
  for (std::size_t at = 0; at < signature.parameters.size(); ++at) {
    if (ordered[at] != nullptr) continue;
    ordered[at] = default_object(signature.parameters[at].default_text);
    if (ordered[at] == nullptr)
      missing += (missing.empty() ? "'" : ", '") + text_of(signature.parameters[at].name) + "'";
  }
  return missing.empty() ? 0 : refuse(signature, "misses " + missing);
}

}  // namespace

int order_arguments(const char* doc, PyObject* const* arguments, Py_ssize_t count, PyObject* names, PyObject** ordered,
                    std::size_t length) {
  const Signature signature = read_signature(doc);
  if (count > static_cast<Py_ssize_t>(length)) {
    const std::string takes = length == 0 ? "no arguments" : "at most " + std::to_string(length);
    return refuse(signature, "takes " + takes + " (" + std::to_string(count) + " given)");
  }
  for (Py_ssize_t at = 0; at < count; ++at) ordered[at] = arguments[at];
  if (place_keywords(signature, arguments + count, names, ordered) < 0) return -1;
  return fill_defaults(signature, ordered);
}

int enter_function(PyObject* names, PyMethodDef* definition) {
  PyObject* module = PyDict_GetItemString(names, "__name__");
  const Reference function{PyCFunction_NewEx(definition, nullptr, module)};
  return function ? PyDict_SetItemString(names, definition->ml_name, function.get()) : -1;
}

}  // namespace cuda_bindings
