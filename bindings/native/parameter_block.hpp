// SPDX-License-Identifier: Apache-2.0
// The packed arguments of a kernel that is launched many times, and everything that they point at.
#pragma once

#include "native/arguments_kernel.hpp"

namespace cuda_bindings {

/// Arguments in one piece of memory with the array of their addresses. A launch holds its block while it runs without
/// the GIL: what others replace meanwhile goes into a copy. All functions want the GIL, or the lock of the owner where
/// there is none; what they give back is let go of without the lock.
class ParameterBlock {
 public:
  /// With one holder, its arguments yet to be put. nullptr with MemoryError.
  static ParameterBlock* make(Py_ssize_t count);
  /// What kernelParams is given besides tuples: None, an address, or a buffer, which is taken over.
  static ParameterBlock* of_address(KernelParameters& parameters);
  /// The same arguments, with one holder. nullptr with MemoryError.
  ParameterBlock* copy() const;

  ParameterBlock(const ParameterBlock&) = delete;
  ParameterBlock& operator=(const ParameterBlock&) = delete;

  /// An argument takes the place of another: `packed` and `value` become what was there.
  void exchange(Py_ssize_t index, Reference& value, PackedArgument& packed);

  void hold() { ++holders_; }
  /// Whether nobody holds it any more: then it is to be destroyed.
  bool let_go() { return --holders_ == 0; }
  bool shared() const { return holders_ > 1; }
  void destroy();
  /// For the garbage collector of its owner.
  int traverse(visitproc visit, void* arg) const;

  void** data() const { return data_; }
  Py_ssize_t count() const { return count_; }
  PyObject* value(Py_ssize_t index) const { return entries()[index].value; }

 private:
  struct Entry {
    PyObject* value;     // what was given: it may own what an address of the kernel's leads to
    PyObject* copy;      // bytes that a large value was copied to
    std::uint64_t slot;  // a value of up to 8 bytes
  };

  explicit ParameterBlock(Py_ssize_t count) : count_(count) { view_.obj = nullptr; }
  ~ParameterBlock() = default;
  // The addresses lie behind the block, the entries behind the addresses.
  void** addresses() const { return reinterpret_cast<void**>(const_cast<ParameterBlock*>(this) + 1); }
  Entry* entries() const { return reinterpret_cast<Entry*>(addresses() + count_); }

  Py_ssize_t count_;
  Py_ssize_t holders_ = 1;
  void** data_ = nullptr;
  Py_buffer view_;
};

}  // namespace cuda_bindings
