// SPDX-License-Identifier: Apache-2.0
// Who calls whom, once all functions are decoded.
#pragma once

#include <cstdint>
#include <vector>

#include "decode/module_draft.hpp"

namespace emulator::decode {

/// What an entry may run; functions are indices in ModuleDraft::functions.
struct EntryReach {
  std::vector<std::uint32_t> functions;  ///< the entry first
  bool calls_itself = false;             ///< recursion or indirect calls: the depth is not known
  std::uint64_t local_bytes = 0;         ///< of the deepest chain of calls without repetition
};

/// Answers questions about the calls of a module.
class CallGraph {
 public:
  explicit CallGraph(const ModuleDraft& module);
  [[nodiscard]] EntryReach reach_of(std::uint32_t entry) const;

 private:
  const ModuleDraft& module_;
  std::vector<std::uint32_t> address_taken_;       ///< what an indirect call may reach
  std::vector<std::vector<std::uint32_t>> calls_;  ///< by function
};

}  // namespace emulator::decode
