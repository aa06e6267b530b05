// SPDX-License-Identifier: Apache-2.0
// Where shared variables lie.
#include "decode/shared_layout.hpp"

#include <algorithm>
#include <string>

#include "decode/messages.hpp"

namespace emulator::decode {
namespace {

constexpr std::uint64_t limit = 48 * 1024;

std::vector<std::uint32_t> shared_of(const ModuleDraft& module, const EntryReach& entry) {
  std::vector<std::uint32_t> used;
  for (const std::uint32_t function : entry.functions) {
    const std::vector<std::uint32_t>& own = module.functions[function].reach.shared;
    used.insert(used.end(), own.begin(), own.end());
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

/// Places a variable behind `end` and moves it.
void place(SharedVariable& variable, std::uint64_t& end) {
  const std::uint64_t alignment = std::max<std::uint64_t>(variable.syntax->alignment, 1);
  const std::uint64_t begin = (end + alignment - 1) / alignment * alignment;
  // A variable beyond any limit is refused with its entry; the sum must not wrap before.
  end = begin + std::min<std::uint64_t>(variable.syntax->size, std::uint64_t{1} << 40);
  variable.offset = static_cast<std::uint32_t>(std::min<std::uint64_t>(begin, 0xffffffffu));
}

}  // namespace

std::vector<SharedUse> lay_out_shared(ModuleDraft& module, const std::vector<EntryReach>& entries) {
  std::vector<std::vector<std::uint32_t>> used;
  std::vector<std::uint32_t> users(module.shared.size(), 0);
  for (const EntryReach& entry : entries) {
    for (const std::uint32_t index : used.emplace_back(shared_of(module, entry))) ++users[index];
  }
  std::vector<std::uint64_t> ends(module.shared.size(), 0);
  std::uint64_t common_end = 0;
  for (std::size_t i = 0; i < module.shared.size(); ++i) {
    if (module.shared[i].dynamic || users[i] < 2) continue;
    place(module.shared[i], common_end);
    ends[i] = common_end;
  }
  std::vector<SharedUse> uses;
  for (std::size_t entry = 0; entry < entries.size(); ++entry) {
    SharedUse use;
    std::uint64_t end = 0;
    for (const std::uint32_t index : used[entry]) {
      const SharedVariable& variable = module.shared[index];
      if (variable.dynamic) use.dynamic_alignment = std::max(use.dynamic_alignment, variable.syntax->alignment);
      end = std::max(end, ends[index]);
    }
    for (const std::uint32_t index : used[entry]) {
      if (!module.shared[index].dynamic && users[index] == 1) place(module.shared[index], end);
    }
    const ptx::Function& function = *module.functions[entries[entry].functions.front()].syntax;
    if (end > limit) {
      refuse(function.line, "Entry function '" + std::string(function.name) + "' uses too much shared data (" +
                                std::to_string(end) + " bytes, " + std::to_string(limit) + " max)");
    }
    use.static_bytes = static_cast<std::uint32_t>(end);
    uses.push_back(use);
  }
  return uses;
}

}  // namespace emulator::decode
