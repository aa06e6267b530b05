// SPDX-License-Identifier: Apache-2.0
// A current context for a test, kernels as PTX text, and the few calls that all tests make.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "generated/driver_functions.hpp"

namespace driver_test {

/// The kernels below, in one module:
///   add(u64 data, u32 value, u32 n)   data[i] += value for i < n
///   wait(u64 flag)                    runs until the 32-bit flag is not zero
///   store(u64 address)                writes 1 there
///   stop()                            traps
///   block(u64 out)                    out[block] = block size, in 32 bits
///   shared(u64 out)                   writes dynamic shared memory's size
///   mixed(u8, f64, u16, u64 out)      out = {u8 as f64, f64, u16 as f64}
extern const std::string kernels;

/// A context of its own, current on this thread.
class WithContext : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// A kernel of the module above.
  CUfunction kernel(const char* name);
  /// Device memory that the context frees.
  CUdeviceptr device_memory(std::size_t bytes);
  /// A launch in one dimension; returns the launch's code.
  CUresult launch(CUfunction function, unsigned blocks, unsigned threads, std::vector<void*> arguments,
                  CUstream stream = nullptr, unsigned shared = 0);
  /// 32-bit values of device memory.
  std::vector<std::uint32_t> values(CUdeviceptr data, std::size_t count);

  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
};

/// A value that the header has no enumerator for, as callers from C may pass it.
template <class Enumeration>
Enumeration no_enumerator(int value) {
  Enumeration made;
  static_assert(sizeof made == sizeof value);
  std::memcpy(&made, &value, sizeof made);
  return made;
}

/// Page-locked memory that kernels and the test both see.
class HostFlag {
 public:
  HostFlag();
  ~HostFlag();
  HostFlag(const HostFlag&) = delete;
  HostFlag& operator=(const HostFlag&) = delete;
  [[nodiscard]] CUdeviceptr address() const { return reinterpret_cast<CUdeviceptr>(flag_); }
  void raise() { __atomic_store_n(flag_, 1u, __ATOMIC_RELEASE); }

 private:
  std::uint32_t* flag_ = nullptr;
};

}  // namespace driver_test
