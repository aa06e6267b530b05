// SPDX-License-Identifier: Apache-2.0
// The text of a deadlock: which threads wait where, and for what.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "machine/block.hpp"

namespace emulator {
namespace {

constexpr std::size_t most_places = 12;

std::string place_of(const Group& group, const DecodedModule* module) {
  const Function& function = *group.frame->function;
  const std::uint32_t pc = group.state == GroupState::collective ? group.pc : group.pc - 1;
  if (pc >= function.sources.size()) return "";
  const OpSource& source = function.sources[pc];
  std::string text = ", PTX line " + std::to_string(source.line);
  if (module != nullptr && source.spelling < module->spellings.size())
    text += " (" + module->spellings[source.spelling] + ")";
  return text;
}

std::string reason_of(const Group& group, const BlockScheduling& scheduling, const Warp& warp) {
  if (group.state == GroupState::barrier) {
    const Barrier& barrier = scheduling.barriers[group.barrier];
    const std::uint32_t expected = barrier.expected != 0 ? barrier.expected : scheduling.live_threads;
    return "at barrier " + std::to_string(group.barrier) + ", where " + std::to_string(barrier.arrived) + " of " +
           std::to_string(expected) + " threads have arrived";
  }
  char mask[16];
  const LaneMask missing = group.members & warp.scheduling->live & ~group.lanes;
  std::snprintf(mask, sizeof mask, "0x%08x", missing);
  return std::string("for lanes ") + mask + " of warp " + std::to_string(warp.index);
}

void append_range(std::string& text, std::uint32_t first, std::uint32_t last) {
  if (!text.empty()) text += ", ";
  text += std::to_string(first);
  if (last != first) text += "-" + std::to_string(last);
}

std::string ranges_of(const std::vector<bool>& threads) {
  std::string text;
  std::uint32_t first = 0;
  for (std::uint32_t thread = 0; thread <= threads.size(); ++thread) {
    const bool member = thread < threads.size() && threads[thread];
    const bool before = thread > 0 && threads[thread - 1];
    if (member && !before) first = thread;
    if (!member && before) append_range(text, first, thread - 1);
  }
  return text;
}

void mark(std::vector<bool>& threads, const Warp& warp, LaneMask lanes) {
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    threads[warp.index * warp_size + static_cast<unsigned>(__builtin_ctz(left))] = true;
  }
}

}  // namespace

std::string describe_waits(const BlockScheduling& scheduling, const DecodedModule* module) {
  const std::vector<bool> nobody(std::size_t{scheduling.warp_count} * warp_size, false);
  std::map<std::string, std::vector<bool>> waiting;
  std::vector<bool> ended = nobody;
  for (unsigned index = 0; index < scheduling.warp_count; ++index) {
    const Warp& warp = scheduling.warps[index];
    mark(ended, warp, warp.scheduling->existing & ~warp.scheduling->live);
    for (std::uint32_t place = 0; place < warp.scheduling->count; ++place) {
      const Group& group = warp.scheduling->groups[place];
      const std::string what = "wait " + reason_of(group, scheduling, warp) + place_of(group, module);
      mark(waiting.try_emplace(what, nobody).first->second, warp, group.lanes);
    }
  }
  std::string text;
  std::size_t places = 0;
  for (const auto& [what, threads] : waiting) {
    if (++places > most_places) {
      text += "and " + std::to_string(waiting.size() - most_places) + " more places\n";
      break;
    }
    text += "threads " + ranges_of(threads) + " " + what + "\n";
  }
  const std::string gone = ranges_of(ended);
  if (!gone.empty()) text += "threads " + gone + " have ended\n";
  return text;
}

}  // namespace emulator
