// SPDX-License-Identifier: Apache-2.0
// The packed arguments of a kernel that is launched many times.
#include "native/api.hpp"

#include "native/parameter_block.hpp"

#include <cstdlib>
#include <new>
#include <utility>

namespace cuda_bindings {

ParameterBlock* ParameterBlock::make(Py_ssize_t count) {
  const std::size_t size = static_cast<std::size_t>(count) * (sizeof(void*) + sizeof(Entry));
  void* const memory = std::calloc(1, sizeof(ParameterBlock) + size);
  if (memory == nullptr) {
    PyErr_NoMemory();
    return nullptr;
  }
  ParameterBlock* const block = new (memory) ParameterBlock(count);
  if (count > 0) block->data_ = block->addresses();
  return block;
}

ParameterBlock* ParameterBlock::of_address(KernelParameters& parameters) {
  ParameterBlock* const block = make(0);
  if (block == nullptr) return nullptr;
  block->data_ = parameters.data;
  block->view_ = parameters.view;
  // Exporters may point into the struct that they filled.
  if (parameters.view.shape == &parameters.view.len) block->view_.shape = &block->view_.len;
  if (parameters.view.strides == &parameters.view.itemsize) block->view_.strides = &block->view_.itemsize;
  parameters.view.obj = nullptr;
  return block;
}

ParameterBlock* ParameterBlock::copy() const {
  ParameterBlock* const block = make(count_);
  for (Py_ssize_t index = 0; block != nullptr && index < count_; ++index) {
    const Entry& entry = entries()[index];
    Entry& target = block->entries()[index];
    target = {Py_XNewRef(entry.value), Py_XNewRef(entry.copy), entry.slot};
    const bool in_slot = addresses()[index] == &entry.slot;
    block->addresses()[index] = in_slot ? &target.slot : addresses()[index];
  }
  return block;
}

void ParameterBlock::exchange(Py_ssize_t index, Reference& value, PackedArgument& packed) {
  Entry& entry = entries()[index];
  entry.slot = packed.slot;
  addresses()[index] = packed.address != nullptr ? packed.address : &entry.slot;
  Reference before(std::exchange(entry.value, value.release()));
  Reference copy_before(std::exchange(entry.copy, packed.copy.release()));
  value = std::move(before);
  packed.copy = std::move(copy_before);
}

void ParameterBlock::destroy() {
  for (Py_ssize_t index = 0; index < count_; ++index) {
    Py_XDECREF(entries()[index].value);
    Py_XDECREF(entries()[index].copy);
  }
  if (view_.obj != nullptr) PyBuffer_Release(&view_);
  this->~ParameterBlock();
  std::free(this);
}

int ParameterBlock::traverse(visitproc visit, void* arg) const {
  for (Py_ssize_t index = 0; index < count_; ++index) {
    Py_VISIT(entries()[index].value);
    Py_VISIT(entries()[index].copy);
  }
  Py_VISIT(view_.obj);
  return 0;
}

}  // namespace cuda_bindings
