// SPDX-License-Identifier: Apache-2.0
// Branches, calls, returns and what ends threads.
#include <algorithm>
#include <cstring>

#include "machine/rows.hpp"
#include "machine/scheduler.hpp"
#include "machine/system_calls.hpp"

namespace emulator {
namespace {

/// Stack of one activation besides its variables, so that endless recursion meets the limit.
constexpr std::uint32_t call_stack_bytes = 16;

/// Lets `lanes` of the running group go on at `pc`; the others at the next op.
Outcome jump(Warp& warp, LaneMask lanes, std::uint32_t pc) {
  const std::uint32_t next = warp.pc;
  if (pc < next && warp.scheduling->runnable != 0) --warp.scheduling->budget;
  if (lanes != warp.active) {
    // The lower pc goes on running; the scheduler looks at both anyway.
    if (pc < next) {
      split_off(warp, warp.active & ~lanes, next);
    } else {
      split_off(warp, lanes, pc);
      return Outcome::jumped;
    }
  }
  warp.pc = pc;
  return Outcome::jumped;
}

Outcome branch(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const std::uint32_t target = op.aux;
  if (mask != warp.active || warp.scheduling->runnable != 0) return jump(warp, mask, target);
  warp.pc = target;
  return Outcome::jumped;
}

Outcome branch_indexed(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const auto& table = warp.function->branch_tables[op.aux];
  const auto* index = lane_values<std::uint32_t>(warp, op.operand[0]);
  const std::uint32_t chosen = index[__builtin_ctz(mask)];
  if (chosen >= table.size()) return raise_fault(warp, FaultKind::invalid_pc, mask);
  LaneMask lanes = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if ((mask >> lane & 1u) != 0 && index[lane] == chosen) lanes |= LaneMask{1} << lane;
  }
  if (lanes != mask) split_off(warp, mask & ~lanes, warp.pc - 1);
  return jump(warp, lanes, table[chosen]);
}

/// Copies lanes' bytes between parameter variables.
void copy_parameter(std::byte* to, const ParameterSlot& target, const std::byte* from, const ParameterSlot& source,
                    LaneMask lanes) {
  const std::uint32_t bytes = std::min(target.bytes, source.bytes);
  to += target.offset;
  from += source.offset;
  if (lanes == every_lane && target.stride == source.stride && bytes == source.stride) {
    std::memcpy(to, from, std::size_t{bytes} * warp_size);
    return;
  }
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    std::memcpy(to + std::size_t{lane} * target.stride, from + std::size_t{lane} * source.stride, bytes);
  }
}

Outcome enter_function(Warp& warp, const CallSite& site, const Function& callee, LaneMask lanes) {
  const Grid& grid = *warp.block->grid;
  const std::uint32_t depth = warp.activation->depth + 1;
  const std::uint64_t local_base = std::uint64_t{warp.local_base} + warp.function->local_bytes;
  const std::uint64_t stack = grid.kernel->calls_itself ? std::uint64_t{depth} * call_stack_bytes : 0;
  if (local_base + callee.local_bytes + stack > grid.local_limit) {
    return raise_fault(warp, FaultKind::out_of_local_memory, lanes);
  }
  Frame* frame = warp.block->scheduling->arena->take(callee);
  if (frame == nullptr) {
    raise_fault(warp, FaultKind::out_of_local_memory, lanes);
    warp.fault->note = "the emulator has no memory for more activations";
    return Outcome::fault;
  }
  Frame* caller = warp.activation;
  frame->caller = caller;
  frame->call = &site;
  frame->return_pc = warp.pc;
  frame->depth = depth;
  frame->local_base = static_cast<std::uint32_t>(local_base);
  frame->lanes = lanes;
  const std::size_t count = std::min(site.arguments.size(), callee.parameters.size());
  for (std::size_t i = 0; i < count; ++i) {
    copy_parameter(frame->base(), callee.parameters[i], caller->base(), site.arguments[i], lanes);
  }
  if (lanes != warp.active) split_off(warp, warp.active & ~lanes, warp.pc);
  warp.active = lanes;
  enter_frame(warp, frame, 0);
  return Outcome::jumped;
}

/// The function at an address, or null.
const Function* function_at(const Grid& grid, std::uint64_t address) {
  const std::uint64_t offset = address - grid.memory->code_window();
  const auto& functions = grid.kernel->module->functions;
  return offset % 16 == 0 && offset / 16 < functions.size() ? functions[offset / 16] : nullptr;
}

Outcome call_indirect(Warp& warp, const Op& op, const CallSite& site, LaneMask mask) {
  const auto* address = lane_values<std::uint64_t>(warp, op.operand[0]);
  const std::uint64_t chosen = address[__builtin_ctz(mask)];
  LaneMask lanes = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if ((mask >> lane & 1u) != 0 && address[lane] == chosen) lanes |= LaneMask{1} << lane;
  }
  const Function* callee = function_at(*warp.block->grid, chosen);
  // A kernel is no target either: it takes its parameters elsewhere.
  if (callee == nullptr || callee->parameters.size() != site.arguments.size()) {
    raise_fault(warp, FaultKind::invalid_pc, lanes);
    warp.fault->address = chosen;
    return Outcome::fault;
  }
  // The other targets' lanes come back to this op.
  if (lanes != mask) split_off(warp, mask & ~lanes, warp.pc - 1);
  return enter_function(warp, site, *callee, lanes);
}

Outcome call(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const CallSite& site = warp.function->calls[op.aux];
  if (site.system != SystemCall::none) return run_system_call(warp, site, mask);
  if (site.callee == nullptr) return call_indirect(warp, op, site, mask);
  return enter_function(warp, site, *site.callee, mask);
}

Outcome exit_threads(Warp& warp, const Op&, LaneMask mask) noexcept {
  exit_lanes(warp, mask);
  // A collective that waited for these lanes may have run, and found fault.
  return warp.fault->kind != FaultKind::none ? Outcome::fault : Outcome::jumped;
}

Outcome return_lanes(Warp& warp, const Op& op, LaneMask mask) noexcept {
  Frame* frame = warp.activation;
  Frame* caller = frame->caller;
  if (caller == nullptr) return exit_threads(warp, op, mask);
  const CallSite& site = *frame->call;
  const std::uint32_t return_pc = frame->return_pc;
  const std::size_t count = std::min(site.results.size(), frame->function->returns.size());
  for (std::size_t i = 0; i < count; ++i) {
    copy_parameter(caller->base(), site.results[i], frame->base(), frame->function->returns[i], mask);
  }
  if (mask != warp.active) split_off(warp, warp.active & ~mask, warp.pc);
  warp.active = mask;
  leave_frames(warp, mask, false);
  enter_frame(warp, caller, return_pc);
  return Outcome::jumped;
}

Outcome trap(Warp& warp, const Op&, LaneMask mask) noexcept { return raise_fault(warp, FaultKind::trap, mask); }

/// Gives the turn away: what the sleeper waits for is done by others.
Outcome nanosleep(Warp& warp, const Op&, LaneMask) noexcept {
  spend_budget(warp, static_cast<std::uint32_t>(group_budget));
  return Outcome::jumped;
}

}  // namespace

void add_control_rows(OpcodeTable& table) {
  table.add("bra", "", branch);
  table.add("brx.idx", "b32", branch_indexed);
  table.add("call", "b64?", call);
  table.add("ret", "", return_lanes);
  table.add("exit", "", exit_threads);
  table.add("trap", "", trap);
  table.add("nanosleep.u32", "b32", nanosleep);
}

}  // namespace emulator
