// SPDX-License-Identifier: Apache-2.0
// Addresses of things, conversions between windows and generic addresses, fences; and add_memory_rows itself.
#include <atomic>
#include <string>

#include "ops/memory_lanes.hpp"
#include "ops/memory_rows.hpp"

namespace emulator::EMULATOR_ISA {

namespace {

Outcome spread_address(Warp& warp, const Op& op, LaneMask mask, std::uint64_t address) {
  auto* destination = lane_values<std::uint64_t>(warp, op.operand[0]);
#pragma GCC ivdep
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    destination[lane] = (mask & lane_bits<std::uint64_t>.bit[lane]) != 0 ? address : destination[lane];
  }
  return Outcome::next;
}

Outcome move_local_address(Warp& warp, const Op& op, LaneMask mask) noexcept {
  return spread_address(warp, op, mask, warp.local_base + op.immediate);
}

Outcome move_dynamic_shared(Warp& warp, const Op& op, LaneMask mask) noexcept {
  return spread_address(warp, op, mask, warp.block->dynamic_shared + op.immediate);
}

Outcome move_entry_address(Warp& warp, const Op& op, LaneMask mask) noexcept {
  return spread_address(warp, op, mask, warp.block->grid->parameter_address + op.immediate);
}

template <Space space>
std::uint64_t window_of(const Warp& warp) {
  const AddressSpace& memory = *warp.block->grid->memory;
  return space == Space::shared ? memory.shared_window() : memory.local_window();
}

/// operand[0] = operand[1] + addend.
Outcome add_to_addresses(Warp& warp, const Op& op, LaneMask mask, std::uint64_t addend) {
  auto* destination = lane_values<std::uint64_t>(warp, op.operand[0]);
  const auto* source = lane_values<std::uint64_t>(warp, op.operand[1]);
#pragma GCC ivdep
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::uint64_t sum = source[lane] + addend;
    destination[lane] = (mask & lane_bits<std::uint64_t>.bit[lane]) != 0 ? sum : destination[lane];
  }
  return Outcome::next;
}

template <Space space>
Outcome to_generic(Warp& warp, const Op& op, LaneMask mask) noexcept {
  return add_to_addresses(warp, op, mask, window_of<space>(warp));
}

/// Lanes of `mask` whose address lies within a window.
LaneMask lanes_in_window(const std::uint64_t* address, LaneMask mask, std::uint64_t window) {
  LaneMask inside = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    inside |= address[lane] - window < window_bytes ? lane_bits<LaneMask>.bit[lane] : 0u;
  }
  return inside & mask;
}

template <Space space>
Outcome from_generic(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const std::uint64_t window = window_of<space>(warp);
  if (warp.block->grid->strict) {
    const auto* address = lane_values<std::uint64_t>(warp, op.operand[1]);
    const LaneMask outside = mask & ~lanes_in_window(address, mask, window);
    if (outside != 0) {
      raise_fault(warp, FaultKind::strict, outside);
      warp.fault->address = address[std::countr_zero(outside)];
      warp.fault->note = space == Space::shared ? "cvta.to.shared of an address that is not in shared memory"
                                                : "cvta.to.local of an address that is not in local memory";
      return Outcome::fault;
    }
  }
  return add_to_addresses(warp, op, mask, 0 - window);
}

template <Space space>
Outcome is_window_space(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const auto* address = lane_values<std::uint64_t>(warp, op.operand[1]);
  write_predicate(warp, op.operand[0], mask, lanes_in_window(address, mask, window_of<space>(warp)));
  return Outcome::next;
}

Outcome is_global_space(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const auto* address = lane_values<std::uint64_t>(warp, op.operand[1]);
  const LaneMask elsewhere = lanes_in_window(address, mask, window_of<Space::shared>(warp)) |
                             lanes_in_window(address, mask, window_of<Space::local>(warp));
  write_predicate(warp, op.operand[0], mask, ~elsewhere);
  return Outcome::next;
}

Outcome is_constant_space(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const auto* address = lane_values<std::uint64_t>(warp, op.operand[1]);
  LaneMask constant = 0;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    AddressCache found;
    if (warp.block->grid->memory->find(address[lane], found) && !found.writable) constant |= LaneMask{1} << lane;
  }
  write_predicate(warp, op.operand[0], mask, constant);
  return Outcome::next;
}

Outcome is_parameter_space(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const auto* address = lane_values<std::uint64_t>(warp, op.operand[1]);
  const Grid& grid = *warp.block->grid;
  const std::uint64_t bytes = grid.parameter_address == 0 ? 0 : grid.kernel->parameter_bytes;
  LaneMask inside = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    inside |= address[lane] - grid.parameter_address < bytes ? lane_bits<LaneMask>.bit[lane] : 0u;
  }
  write_predicate(warp, op.operand[0], mask, inside);
  return Outcome::next;
}

Outcome memory_fence(Warp&, const Op&, LaneMask) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return Outcome::next;
}

}  // namespace

std::string RowName::spelling() const {
  std::string text = space;
  if (count > 1) text += ".v" + std::to_string(count);
  return text + "." + type;
}

std::string RowName::signature(bool is_load) const {
  const std::string element = (is_load ? "=b" : "b") + std::to_string(register_bits) + "*";
  std::string text;
  for (unsigned slot = 0; slot < 4; ++slot) text += (slot < count ? element : "_") + " ";
  return text + (base_bits == 0 ? "_" : "b" + std::to_string(base_bits));
}

void add_address_rows(OpcodeTable& table) {
  table.add("mov.local_address", "=b64 i", move_local_address);
  table.add("mov.dynamic_shared", "=b64 i", move_dynamic_shared);
  table.add("mov.entry_address", "=b64 i", move_entry_address);
  table.add("cvta.shared", "=b64 b64", to_generic<Space::shared>);
  table.add("cvta.local", "=b64 b64", to_generic<Space::local>);
  table.add("cvta.to.shared", "=b64 b64", from_generic<Space::shared>);
  table.add("cvta.to.local", "=b64 b64", from_generic<Space::local>);
  table.add("isspacep.shared", "=p b64", is_window_space<Space::shared>);
  table.add("isspacep.shared::cta", "=p b64", is_window_space<Space::shared>);
  table.add("isspacep.shared::cluster", "=p b64", is_window_space<Space::shared>);
  table.add("isspacep.local", "=p b64", is_window_space<Space::local>);
  table.add("isspacep.global", "=p b64", is_global_space);
  table.add("isspacep.const", "=p b64", is_constant_space);
  table.add("isspacep.param", "=p b64", is_parameter_space);
  table.add("membar", "", memory_fence);
}

void add_memory_rows(OpcodeTable& table) {
  add_load_rows(table);
  add_store_rows(table);
  add_local_rows(table);
  add_frame_rows(table);
  add_address_rows(table);
}

}  // namespace emulator::EMULATOR_ISA
