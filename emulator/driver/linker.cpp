// SPDX-License-Identifier: Apache-2.0
// cuLink*: PTX modules become one; what comes out is PTX text again.
#include <mutex>

#include "driver/module_object.hpp"
#include "driver/objects.hpp"

namespace emulator {

/// What has been added to a link so far.
class LinkObject {
 public:
  explicit LinkObject(JitOptions options) : options_(std::move(options)) {}

  void add(CUjitInputType type, const void* data, std::size_t size) {
    const std::lock_guard lock(mutex_);
    require(!complete_, CUDA_ERROR_INVALID_HANDLE);
    require(data != nullptr && size != 0);
    switch (type) {
      case CU_JIT_INPUT_PTX:
      case CU_JIT_INPUT_FATBINARY:
      case CU_JIT_INPUT_OBJECT:
      case CU_JIT_INPUT_CUBIN:
      case CU_JIT_INPUT_LIBRARY: texts_.push_back(logged(options_, [&] { return read_image(data, size); })); return;
      case CU_JIT_INPUT_NVVM: throw Failure{CUDA_ERROR_NOT_SUPPORTED};
      default: throw Failure{CUDA_ERROR_INVALID_VALUE};
    }
  }

  void complete(void*& image, std::size_t* size) {
    const std::lock_guard lock(mutex_);
    require(!texts_.empty(), CUDA_ERROR_INVALID_IMAGE);
    if (!complete_) {
      linked_ = logged(options_, [&] {
        std::string text = link_ptx(texts_);
        options_.info("linked " + std::to_string(texts_.size()) + " PTX modules for the emulated device\n");
        return text;
      });
      complete_ = true;
    }
    image = linked_.data();
    if (size != nullptr) *size = linked_.size() + 1;  // the NUL that ends PTX text is part of the image
  }

 private:
  std::mutex mutex_;
  JitOptions options_;
  std::vector<std::string> texts_;
  std::string linked_;
  bool complete_ = false;
};

namespace {

std::shared_ptr<LinkObject> link_of(CUlinkState handle) {
  std::shared_ptr<LinkObject> link = links().find(handle);
  require(link != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return link;
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option* options, void** optionValues, CUlinkState* stateOut) {
  return context_call([&](Context&) {
    output(stateOut);
    *stateOut = links().add(std::make_shared<LinkObject>(JitOptions(numOptions, options, optionValues)));
  });
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t size, const char*,
                          unsigned int numOptions, CUjit_option* options, void** optionValues) {
  return context_call([&](Context&) {
    const JitOptions own(numOptions, options, optionValues);
    link_of(state)->add(type, data, size);
  });
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path, unsigned int numOptions,
                          CUjit_option* options, void** optionValues) {
  return context_call([&](Context&) {
    const JitOptions own(numOptions, options, optionValues);
    const std::string bytes = read_file(path);
    link_of(state)->add(type, bytes.data(), bytes.size());
  });
}

CUresult cuLinkComplete(CUlinkState state, void** cubinOut, size_t* sizeOut) {
  return context_call([&](Context&) { link_of(state)->complete(output(cubinOut), sizeOut); });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return context_call([&](Context&) { require(links().remove(state) != nullptr, CUDA_ERROR_INVALID_HANDLE); });
}
}
