// SPDX-License-Identifier: Apache-2.0
// Loads PTX for the decoder's tests and runs its kernels.
#include "loading.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "machine/system_calls.hpp"

namespace emulator::testing {

AddressSpace& device_memory() {
  static AddressSpace memory(std::uint64_t{64} << 20);
  return memory;
}

std::string with_head(const std::string& text) { return ".version 8.0\n.target sm_80\n.address_size 64\n" + text; }

std::unique_ptr<Module> load(const std::string& text) { return Module::load(with_head(text), device_memory()); }

std::string kernel(const std::string& body) {
  return ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<16>;\n"
         ".reg .b64 %rd<16>;\nld.param.u64 %rd1, [out];\n" +
         body + "\n}\n";
}

Refusal refusal_of_module(const std::string& text) {
  try {
    Module::load(text, device_memory());
  } catch (const LoadError& error) {
    return {error.code(), error.line(), error.what()};
  }
  return {};
}

Refusal refusal_of(const std::string& text) { return refusal_of_module(with_head(text)); }

std::optional<Fault> launch(const Kernel& kernel, std::vector<std::byte> parameters, std::uint32_t threads,
                            std::uint32_t dynamic_shared) {
  parameters.resize(kernel.parameter_bytes);
  PrintBuffer prints;
  DeviceHeap heap(device_memory(), std::uint64_t{1} << 20);
  const Launch launch{.kernel = &kernel,
                      .grid = {1, 1, 1},
                      .block = {threads, 1, 1},
                      .dynamic_shared = dynamic_shared,
                      .parameters = std::move(parameters)};
  const DeviceServices services{.memory = &device_memory(), .prints = &prints, .heap = &heap, .threads = 1};
  const std::atomic<bool> abandon{false};
  return run_grid(launch, services, abandon);
}

std::vector<std::uint32_t> run(const Module& module, std::string_view name, std::size_t count, std::uint32_t threads,
                               std::uint32_t dynamic_shared) {
  const Kernel* kernel = module.kernel(name);
  if (kernel == nullptr) {
    ADD_FAILURE() << "no kernel " << name;
    return {};
  }
  const std::optional<Allocation> out = device_memory().allocate(count * 4, AllocationKind::device);
  std::memset(out->host, 0, count * 4);
  std::vector<std::byte> parameters(sizeof out->begin);
  std::memcpy(parameters.data(), &out->begin, sizeof out->begin);
  const std::optional<Fault> fault = launch(*kernel, parameters, threads, dynamic_shared);
  if (fault) ADD_FAILURE() << fault_report(*fault);
  std::vector<std::uint32_t> words(count);
  std::memcpy(words.data(), out->host, count * 4);
  device_memory().release(out->begin);
  return words;
}

}  // namespace emulator::testing
