// SPDX-License-Identifier: Apache-2.0
// Where shared variables lie: what several entries reach has one place for all of them, the rest overlaps from entry to entry.
#pragma once

#include <cstdint>
#include <vector>

#include "decode/call_graph.hpp"

namespace emulator::decode {

/// Shared memory of an entry.
struct SharedUse {
  std::uint32_t static_bytes = 0;
  std::uint32_t dynamic_alignment = 16;
};

/// Sets SharedVariable::offset of the module's variables. `entries` and the answer go side by side.
/// Throws LoadError where an entry's variables exceed 48 KiB.
std::vector<SharedUse> lay_out_shared(ModuleDraft& module, const std::vector<EntryReach>& entries);

}  // namespace emulator::decode
