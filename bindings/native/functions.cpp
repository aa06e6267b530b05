// SPDX-License-Identifier: Apache-2.0
// Calls with keywords or with fewer arguments: each object is put into its parameter's place, by the names and defaults
// of the signature that the docstring begins with.
#include "native/functions_api.hpp"

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "native/reference.hpp"

namespace cuda_bindings {

struct Parameters {
  struct One {
    PyObject* name;           // interned, as the interpreter's own keywords are
    PyObject* default_value;  // nullptr: none
  };
  std::vector<One> all;
};

namespace {

std::string function_name(std::string_view doc) { return std::string(doc.substr(0, doc.find('('))); }

// What stands between the parentheses of "cuCtxCreate(ctxCreateParams, flags, dev=...)\n--\n\n...".
std::string signature_text(std::string_view doc) {
  const std::size_t open = doc.find('(');
  return std::string(doc.substr(open + 1, doc.find(")\n--\n", open) - open - 1));
}

int refuse(const FunctionDefinition& definition, const std::string& what) {
  const char* doc = definition.method.ml_doc;
  PyErr_Format(PyExc_TypeError, "%s() %s; accepts (%s)", function_name(doc).c_str(), what.c_str(),
               signature_text(doc).c_str());
  return -1;
}

PyObject* default_object(std::string_view text) {
  if (text == "...") return Py_NewRef(Py_Ellipsis);
  if (text == "0") return PyLong_FromLong(0);
  PyErr_Format(PyExc_SystemError, "a default that is not known: %s", std::string(text).c_str());
  return nullptr;
}

bool append(Parameters& parameters, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string name(text.substr(0, equals));
  Reference default_value;
  if (equals != std::string_view::npos) {
    default_value = Reference{default_object(text.substr(equals + 1))};
    if (!default_value) return false;
  }
  PyObject* interned = PyUnicode_InternFromString(name.c_str());
  if (interned == nullptr) return false;
  parameters.all.push_back({interned, default_value.release()});
  return true;
}

std::unique_ptr<Parameters> read_signature(const char* doc) {
  auto parameters = std::make_unique<Parameters>();
  const std::string text = signature_text(doc);
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find(", ");
    if (!append(*parameters, rest.substr(0, end))) return nullptr;
    rest = end == std::string_view::npos ? "" : rest.substr(end + 2);
  }
  return parameters;
}

// Two threads may read the same signature: the second one's is given up, with the names that it holds.
const Parameters* parameters_of(FunctionDefinition& definition) {
  Parameters* known = __atomic_load_n(&definition.parameters, __ATOMIC_ACQUIRE);
  if (known != nullptr) return known;
  std::unique_ptr<Parameters> read = read_signature(definition.method.ml_doc);
  if (read == nullptr) return nullptr;
  if (__atomic_compare_exchange_n(&definition.parameters, &known, read.get(), false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE)) {
    return read.release();
  }
  return known;
}

constexpr std::size_t no_place = static_cast<std::size_t>(-1);

// Keywords of source code are the same objects as the names, and mostly in their order: `from` is where to begin.
std::size_t place_of(const Parameters& parameters, PyObject* keyword, std::size_t from) {
  const std::size_t length = parameters.all.size();
  for (std::size_t step = 0; step < length; ++step) {
    const std::size_t at = from + step < length ? from + step : from + step - length;
    if (parameters.all[at].name == keyword) return at;
  }
  for (std::size_t at = 0; at < length; ++at) {
    if (PyUnicode_Compare(parameters.all[at].name, keyword) == 0) return at;
  }
  return no_place;
}

int place_keywords(const FunctionDefinition& definition, const Parameters& parameters, PyObject* const* values,
                   PyObject* names, std::size_t count, PyObject** ordered) {
  std::size_t next = count;
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i, ++next) {
    PyObject* keyword = PyTuple_GET_ITEM(names, i);
    next = place_of(parameters, keyword, next < parameters.all.size() ? next : 0);
    if (next == no_place) {
      const char* doc = definition.method.ml_doc;
      PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument %R; accepts (%s)",
                   function_name(doc).c_str(), keyword, signature_text(doc).c_str());
      return -1;
    }
    if (ordered[next] != nullptr) {
      return refuse(definition, "got multiple values for argument '" + std::string(PyUnicode_AsUTF8(keyword)) + "'");
    }
    ordered[next] = values[i];
  }
  return 0;
}

int fill_defaults(const FunctionDefinition& definition, const Parameters& parameters, PyObject** ordered) {
  std::string missing;
  for (std::size_t at = 0; at < parameters.all.size(); ++at) {
    if (ordered[at] != nullptr) continue;
    ordered[at] = parameters.all[at].default_value;
    if (ordered[at] == nullptr) {
      missing += (missing.empty() ? "'" : ", '") + std::string(PyUnicode_AsUTF8(parameters.all[at].name)) + "'";
    }
  }
  return missing.empty() ? 0 : refuse(definition, "misses " + missing);
}

}  // namespace

int order_arguments(FunctionDefinition& definition, PyObject* const* arguments, Py_ssize_t count, PyObject* names,
                    PyObject** ordered, std::size_t length) try {
  const Parameters* parameters = parameters_of(definition);
  if (parameters == nullptr) return -1;
  if (parameters->all.size() != length) {
    PyErr_Format(PyExc_SystemError, "%s: the signature does not have its parameters", definition.method.ml_name);
    return -1;
  }
  if (count > static_cast<Py_ssize_t>(length)) {
    const std::string takes = length == 0 ? "no arguments" : "at most " + std::to_string(length);
    return refuse(definition, "takes " + takes + " (" + std::to_string(count) + " given)");
  }
  for (Py_ssize_t at = 0; at < count; ++at) ordered[at] = arguments[at];
  if (place_keywords(definition, *parameters, arguments + count, names, static_cast<std::size_t>(count), ordered) < 0) {
    return -1;
  }
  return fill_defaults(definition, *parameters, ordered);
} catch (const std::bad_alloc&) {
  PyErr_NoMemory();
  return -1;
}

int enter_function(PyObject* names, FunctionDefinition& definition) {
  PyObject* module = PyDict_GetItemString(names, "__name__");
  const Reference function{PyCFunction_NewEx(&definition.method, nullptr, module)};
  return function ? PyDict_SetItemString(names, definition.method.ml_name, function.get()) : -1;
}

}  // namespace cuda_bindings
