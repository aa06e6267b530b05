// SPDX-License-Identifier: Apache-2.0
// The tests' handlers, assembler and launcher.
#include "program.hpp"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "machine/groups.hpp"

namespace emulator::testing {
namespace {

/// Bytes of a frame before its registers.
constexpr std::uint32_t constant_area = 8192;

template <class F>
void each(LaneMask mask, F body) {
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if ((mask >> lane & 1u) != 0) body(lane);
  }
}

std::uint32_t* words(Warp& warp, std::uint32_t operand) { return lane_values<std::uint32_t>(warp, operand); }

std::atomic_ref<std::uint32_t> word_of(const Op& op) {
  return std::atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t*>(op.immediate));
}

std::size_t thread_of(const Warp& warp, unsigned lane) {
  const Block& block = *warp.block;
  const Dim3& size = block.grid->size;
  const std::size_t number =
      block.index.x + std::size_t{size.x} * (block.index.y + std::size_t{size.y} * block.index.z);
  return number * block.threads + warp.index * warp_size + lane;
}

template <class Compare>
Outcome compare(Warp& warp, const Op& op, LaneMask mask, Compare holds) {
  LaneMask bits = 0;
  const auto* a = words(warp, op.operand[1]);
  const auto* b = words(warp, op.operand[2]);
  each(mask, [&](unsigned lane) { bits |= LaneMask{holds(a[lane], b[lane])} << lane; });
  write_predicate(warp, op.operand[0], mask, bits);
  return Outcome::next;
}

}  // namespace

Handler row(const std::string& spelling) {
  static const OpcodeTable table = [] {
    OpcodeTable rows;
    add_control_rows(rows);
    add_collective_rows(rows);
    add_special_rows(rows);
    return rows;
  }();
  const OpcodeRow* found = table.find(spelling);
  if (found == nullptr) throw std::out_of_range("no row " + spelling);
  return found->handler;
}

Outcome nop(Warp&, const Op&, LaneMask) noexcept { return Outcome::next; }

Outcome move(Warp& warp, const Op& op, LaneMask mask) noexcept {
  each(mask, [&](unsigned lane) { words(warp, op.operand[0])[lane] = words(warp, op.operand[1])[lane]; });
  return Outcome::next;
}

Outcome move_wide(Warp& warp, const Op& op, LaneMask mask) noexcept {
  auto* to = lane_values<std::uint64_t>(warp, op.operand[0]);
  const auto* from = lane_values<std::uint64_t>(warp, op.operand[1]);
  each(mask, [&](unsigned lane) { to[lane] = from[lane]; });
  return Outcome::next;
}

Outcome add(Warp& warp, const Op& op, LaneMask mask) noexcept {
  auto* d = words(warp, op.operand[0]);
  const auto* a = words(warp, op.operand[1]);
  const auto* b = words(warp, op.operand[2]);
  each(mask, [&](unsigned lane) { d[lane] = a[lane] + b[lane]; });
  return Outcome::next;
}

Outcome less(Warp& warp, const Op& op, LaneMask mask) noexcept {
  return compare(warp, op, mask, [](std::uint32_t a, std::uint32_t b) { return a < b; });
}

Outcome equal(Warp& warp, const Op& op, LaneMask mask) noexcept {
  return compare(warp, op, mask, [](std::uint32_t a, std::uint32_t b) { return a == b; });
}

Outcome fetch_add(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const auto* a = words(warp, op.operand[1]);
  auto* d = words(warp, op.operand[0]);
  each(mask, [&](unsigned lane) { d[lane] = word_of(op).fetch_add(a[lane]); });
  return Outcome::next;
}

Outcome compare_and_swap(Warp& warp, const Op& op, LaneMask mask) noexcept {
  auto* d = words(warp, op.operand[0]);
  const auto* b = words(warp, op.operand[1]);
  const auto* c = words(warp, op.operand[2]);
  bool failed = false;
  each(mask, [&](unsigned lane) {
    std::uint32_t old = b[lane];
    failed |= !word_of(op).compare_exchange_strong(old, c[lane]);
    d[lane] = old;
  });
  if (failed) spend_budget(warp, 1);
  return Outcome::next;
}

Outcome load_volatile(Warp& warp, const Op& op, LaneMask mask) noexcept {
  auto* d = words(warp, op.operand[0]);
  each(mask, [&](unsigned lane) { d[lane] = word_of(op).load(); });
  spend_budget(warp, 1);
  return Outcome::next;
}

Outcome store(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const auto* a = words(warp, op.operand[1]);
  each(mask, [&](unsigned lane) { word_of(op).store(a[lane]); });
  return Outcome::next;
}

Outcome put(Warp& warp, const Op& op, LaneMask mask) noexcept {
  auto* result = reinterpret_cast<std::uint32_t*>(op.immediate);
  const auto* a = words(warp, op.operand[1]);
  each(mask, [&](unsigned lane) { result[thread_of(warp, lane)] = a[lane]; });
  return Outcome::next;
}

Outcome put_wide(Warp& warp, const Op& op, LaneMask mask) noexcept {
  auto* result = reinterpret_cast<std::uint64_t*>(op.immediate);
  const auto* a = lane_values<std::uint64_t>(warp, op.operand[1]);
  each(mask, [&](unsigned lane) { result[thread_of(warp, lane)] = a[lane]; });
  return Outcome::next;
}

Outcome get_parameter(Warp& warp, const Op& op, LaneMask mask) noexcept {
  auto* d = words(warp, op.operand[0]);
  each(mask, [&](unsigned lane) { std::memcpy(d + lane, warp.frame + op.operand[4] + lane * op.aux, 4); });
  return Outcome::next;
}

Outcome put_parameter(Warp& warp, const Op& op, LaneMask mask) noexcept {
  const auto* a = words(warp, op.operand[0]);
  each(mask, [&](unsigned lane) { std::memcpy(warp.frame + op.operand[4] + lane * op.aux, a + lane, 4); });
  return Outcome::next;
}

Assembler::Assembler(std::string name, std::uint32_t index) {
  function_.name = std::move(name);
  function_.index = index;
  function_.register_begin = constants_end_ + constant_area;
  function_.frame_bytes = function_.register_begin;
}

std::uint32_t Assembler::take(std::uint32_t bytes, std::uint32_t alignment) {
  const std::uint32_t offset = (function_.frame_bytes + alignment - 1) / alignment * alignment;
  function_.frame_bytes = offset + bytes;
  return offset;
}

std::uint32_t Assembler::word() { return take(4 * warp_size, 64); }
std::uint32_t Assembler::wide() { return take(8 * warp_size, 64); }
std::uint32_t Assembler::predicate() { return take(4, 4); }

std::uint32_t Assembler::add_constant(std::uint8_t bytes, std::uint64_t value) {
  const std::uint32_t offset = constants_end_;
  constants_end_ += bytes * warp_size;
  if (constants_end_ > function_.register_begin) throw std::length_error("too many constants");
  function_.constants.push_back({offset, bytes, value});
  return offset;
}

std::uint32_t Assembler::constant(std::uint32_t value) { return add_constant(4, value); }
std::uint32_t Assembler::wide_constant(std::uint64_t value) { return add_constant(8, value); }

std::uint32_t Assembler::special(const std::string& name) {
  const std::uint32_t offset = word();
  op("mov.special." + name, {offset});
  return offset;
}

ParameterSlot Assembler::slot() { return ParameterSlot{take(4 * warp_size, 64), 4, 4}; }

ParameterSlot Assembler::parameter() {
  function_.parameters.push_back(slot());
  return function_.parameters.back();
}

ParameterSlot Assembler::result() {
  function_.returns.push_back(slot());
  return function_.returns.back();
}

Label Assembler::label() {
  places_.push_back(0);
  return Label{static_cast<std::uint32_t>(places_.size() - 1)};
}

void Assembler::bind(Label label) { places_[label.number] = static_cast<std::uint32_t>(function_.ops.size()); }

Op& Assembler::op(Handler handler, std::vector<std::uint32_t> operands, const void* memory) {
  Op op;
  op.handler = handler;
  for (std::size_t i = 0; i < operands.size(); ++i) op.operand[i] = operands[i];
  op.immediate = reinterpret_cast<std::uint64_t>(memory);
  function_.ops.push_back(op);
  return function_.ops.back();
}

Op& Assembler::op(const std::string& spelling, std::vector<std::uint32_t> operands) {
  return op(row(spelling), std::move(operands));
}

void Assembler::branch(Label target, std::uint32_t guard) {
  op("bra").guard = guard;
  jumps_.emplace_back(function_.ops.size() - 1, target);
}

Op& Assembler::call(const Function* callee, std::vector<ParameterSlot> arguments, std::vector<ParameterSlot> results,
                    std::uint32_t address) {
  function_.calls.push_back(CallSite{callee, SystemCall::none, std::move(arguments), std::move(results)});
  Op& made = op("call", {address});
  made.aux = static_cast<std::uint32_t>(function_.calls.size() - 1);
  return made;
}

Function& Assembler::finish() {
  if (!function_.sources.empty()) return function_;
  op("ret");
  for (const auto& [place, label] : jumps_) function_.ops[place].aux = places_[label.number];
  for (std::size_t pc = 0; pc < function_.ops.size(); ++pc) {
    function_.sources.push_back(OpSource{static_cast<std::uint32_t>(pc + 1), 0, 0, 0});
  }
  return function_;
}

AddressSpace& test_memory() {
  static AddressSpace memory(std::uint64_t{64} << 20);
  return memory;
}

Machine::Machine(Assembler& entry, std::vector<Assembler*> others) {
  kernel.function = &entry.finish();
  kernel.name = kernel.function->name;
  kernel.module = &module;
  module.functions.push_back(&entry.finish());
  for (Assembler* other : others) module.functions.push_back(&other->finish());
  launch.kernel = &kernel;
  services.memory = &test_memory();
}

bool Machine::run(Dim3 grid, Dim3 block) {
  launch.grid = grid;
  launch.block = block;
  fault = run_grid(launch, services, abandon);
  return !fault.has_value();
}

}  // namespace emulator::testing
