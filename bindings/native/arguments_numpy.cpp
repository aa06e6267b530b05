// SPDX-License-Identifier: Apache-2.0
// NumPy's classes, recognised without importing it and without its headers.
#include "native/arguments_numpy.hpp"

#include <iterator>
#include <memory>

#include "native/imported.hpp"
#include "native/reference.hpp"

namespace cuda_bindings {

std::atomic<const NumpyClasses*> known_numpy_classes{nullptr};

namespace {

struct NumberName {
  const char* name;
  std::uint8_t size;
};

constexpr NumberName number_names[] = {{"float32", 4}, {"int32", 4},  {"uint32", 4},  {"float64", 8},
                                       {"int64", 8},   {"uint64", 8}, {"float16", 2}, {"int16", 2},
                                       {"uint16", 2},  {"int8", 1},   {"uint8", 1},   {"bool_", 1}};

// Whether the memory that an instance exports is what numpy_value() says: NumPy promises no layout.
bool lies_behind_head(const NumpyNumber& number) {
  const Reference instance(PyObject_CallNoArgs(reinterpret_cast<PyObject*>(number.type)));
  Py_buffer view;
  if (!instance || Py_TYPE(instance.get()) != number.type ||
      number.type->tp_basicsize < static_cast<Py_ssize_t>(sizeof(PyObject) + sizeof(std::uint64_t)) ||
      PyObject_GetBuffer(instance.get(), &view, PyBUF_SIMPLE) < 0) {
    PyErr_Clear();
    return false;
  }
  const bool found = view.buf == numpy_value(instance.get()) && view.len == number.size;
  PyBuffer_Release(&view);
  return found;
}

}  // namespace

const NumpyClasses* find_numpy_classes() {
  const Reference numpy(imported("numpy"));
  if (!numpy) return nullptr;
  auto classes = std::make_unique<NumpyClasses>();
  classes->array = class_of(numpy.get(), "ndarray");
  classes->scalar = class_of(numpy.get(), "generic");
  if (classes->array == nullptr || classes->scalar == nullptr) return nullptr;
  NumpyNumber numbers[std::size(number_names)];
  std::size_t count = 0;
  for (const NumberName& name : number_names) {
    const NumpyNumber number = {class_of(numpy.get(), name.name), name.size};
    if (number.type == nullptr) return nullptr;
    if (lies_behind_head(number)) numbers[count++] = number;
  }
  classes->numbers.fill(numbers, count);
  const NumpyClasses* known = nullptr;
  if (known_numpy_classes.compare_exchange_strong(known, classes.get(), std::memory_order_acq_rel))
    return classes.release();
  return known;
}

}  // namespace cuda_bindings
