// SPDX-License-Identifier: Apache-2.0
// What C++ programs may ask of the slots: whether a function was found, and if not, why.
#include <cstring>
#include <string>

#include "cuda_bindings/call.hpp"
#include "native/loader.hpp"
#include "native/slots.hpp"

namespace cuda_bindings {
namespace {

std::string release(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

std::string library_text(Library library) {
  std::string text = std::string(library_name(library)) + " was not found; tried";
  for (const Attempt& attempt : attempts(library)) text += "\n  " + attempt.place + ": " + attempt.outcome;
  return text;
}

std::string slot_text(Library library, int slot) {
  const SlotRow& row = slot_table(library).rows[slot];
  const LoadedLibrary* const loaded = opened_library(library);
  const std::string there =
      loaded == nullptr ? library_name(library) : loaded->path + " of CUDA " + release(loaded->version);
  switch (slot_state(library, slot)) {
    case SLOT_NO_LIBRARY: return library_text(library);
    case SLOT_NO_FUNCTION:
      return there + " has no " + row.link + (row.since == 0 ? "" : ", which came with CUDA " + release(row.since));
    case SLOT_OLDER_INTERFACE:
      return there + " has an older " + row.link + "; this one came with CUDA " + release(row.abi_since);
    case SLOT_BAD_SETTING:
      return "CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM is '" + default_stream_text() + "', which is no integer";
    default: return {};
  }
}

}  // namespace

bool slot_found(DriverSlot slot) noexcept { return slot_state(LIBRARY_DRIVER, slot) == SLOT_RESOLVED; }
bool slot_found(RuntimeSlot slot) noexcept { return slot_state(LIBRARY_RUNTIME, slot) == SLOT_RESOLVED; }
bool slot_found(NvrtcSlot slot) noexcept { return slot_state(LIBRARY_NVRTC, slot) == SLOT_RESOLVED; }

std::string why_missing(const char* function) {
  for (const Library library : {LIBRARY_DRIVER, LIBRARY_RUNTIME, LIBRARY_NVRTC}) {
    const SlotTable& table = slot_table(library);
    for (int slot = 0; slot < table.size; ++slot) {
      const SlotRow& row = table.rows[slot];
      if (std::strcmp(row.name, function) == 0 || std::strcmp(row.link, function) == 0) {
        if (std::string text = slot_text(library, slot); !text.empty()) return text;
      }
    }
  }
  return {};
}

}  // namespace cuda_bindings
