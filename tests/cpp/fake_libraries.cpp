// SPDX-License-Identifier: Apache-2.0
// Chooses the fake libraries before any call, and hooks all three.
#include "fake_libraries.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "cuda_bindings/cuda_bindings.hpp"
#include "fake.hpp"

namespace tests {
namespace {

struct State {
  FakeLibraries::Behaviour behaviour;
  std::vector<Call> calls;
};

State& state() {
  static State only;
  return only;
}

std::int64_t record(const char* link_name, const std::uint64_t* words, int count) {
  state().calls.push_back({link_name, {words, words + count}});
  return state().behaviour(words);
}

void set_hooks(FakeHook* hook) {
  for (const char* const library : {FAKE_LIBCUDA, FAKE_LIBCUDART, FAKE_LIBNVRTC}) {
    void* const opened = dlopen(library, RTLD_NOW);
    if (opened == nullptr) throw std::runtime_error(dlerror());
    reinterpret_cast<void (*)(FakeHook*)>(dlsym(opened, "fake_set_hook"))(hook);
  }
}

// Before any test: libraries are chosen once per process.
[[maybe_unused]] const bool prepared = [] {
  setenv("CUDA_BINDINGS_LIBCUDA", FAKE_LIBCUDA, 1);
  setenv("CUDA_BINDINGS_LIBCUDART", FAKE_LIBCUDART, 1);
  setenv("CUDA_BINDINGS_LIBNVRTC", FAKE_LIBNVRTC, 1);
  unsetenv("CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM");
  unsetenv("CUDA_BINDINGS_DEVICE");
  return true;
}();

}  // namespace

FakeLibraries::FakeLibraries(Behaviour behaviour) {
  // The loader asks each library for its version when it opens it: before there is anything to record.
  cuda_bindings::cuInit(0);
  cuda_bindings::cudaDeviceSynchronize();
  cuda_bindings::nvrtcVersion();
  state() = {std::move(behaviour), {}};
  set_hooks(&record);
}

FakeLibraries::~FakeLibraries() { set_hooks(nullptr); }

const std::vector<Call>& FakeLibraries::calls() const { return state().calls; }

}  // namespace tests
