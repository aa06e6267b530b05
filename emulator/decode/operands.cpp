// SPDX-License-Identifier: Apache-2.0
// Operands of an instruction become places: widths are checked, literals made constants, 64-bit registers narrowed or widened.
#include <bit>
#include <string>

#include "decode/function_draft.hpp"
#include "decode/messages.hpp"

namespace emulator::decode {
namespace {

constexpr unsigned storage_bits(unsigned bits) { return bits == 64 ? 64 : 32; }

}  // namespace

Place FunctionDraft::register_place(std::uint32_t id) {
  Place& place = registers_[id];
  if (place == all_lanes) {
    const unsigned bits = syntax.registers[id].bits;
    if (bits > 64) refuse(instruction_->line, "128-bit registers are not supported by the emulated device");
    place = frame.value(bits);
  }
  return place;
}

std::uint64_t FunctionDraft::literal(const ptx::Operand& operand, unsigned bits, Type type) {
  const auto refuse_kind = [&] { refuse_arguments(*instruction_, "the literal's type does not fit"); };
  if (operand.kind == ptx::OperandKind::integer) {
    if (type.kind == 'f') refuse_kind();
    return operand.value;
  }
  if (type.kind == 'u' || type.kind == 's' || bits < 32) refuse_kind();
  if (operand.kind == ptx::OperandKind::real32) {
    const auto narrow = static_cast<std::uint32_t>(operand.value);
    return bits == 64 ? std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(narrow))) : narrow;
  }
  if (bits == 64) return operand.value;
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.value)));
}

Place FunctionDraft::narrowed(Place wide) {
  const Place place = frame.value(32);
  emit_unary("cvt.u32.u64", place, wide);
  return place;
}

Place FunctionDraft::source(const ptx::Operand& operand, unsigned bits, Type type, bool wider) {
  using ptx::OperandKind;
  switch (operand.kind) {
    case OperandKind::reg: {
      const unsigned width = syntax.registers[operand.id].bits;
      const bool fits = width == bits || (wider && width > bits && bits != 1);
      if (!fits || width == 1) refuse_arguments(*instruction_, "a register's size differs");
      if (operand.negated) refuse_arguments(*instruction_, "only predicates can be negated");
      const Place place = register_place(operand.id);
      return width == 64 && bits < 64 ? narrowed(place) : place;
    }
    case OperandKind::integer:
    case OperandKind::real32:
    case OperandKind::real64: return frame.constant(literal(operand, bits, type), storage_bits(bits));
    case OperandKind::special: return special(operand, bits);
    case OperandKind::symbol:
      if (operand.name == "WARP_SZ") return frame.constant(warp_size, storage_bits(bits));
      [[fallthrough]];
    case OperandKind::variable:
      if (bits < 32) refuse_arguments(*instruction_, "an address needs 32 or 64 bits");
      return symbol_address(operand, bits);
    default: refuse_arguments(*instruction_, "not a source operand");
  }
}

Place FunctionDraft::special(const ptx::Operand& operand, unsigned bits, std::optional<Place> wanted) {
  if (operand.name == "reserved_smem_offset_1" && bits == 32) {
    const std::uint32_t index = use_shared(module.reserved_shared());
    const Place address = frame.address({SymbolKind::shared, index}, 0, 32);
    if (wanted) emit_unary("mov.b32", *wanted, address);
    return address;
  }
  const std::string row = "mov.special." + std::string(operand.name);
  const OpcodeRow* found = module.table.find(row);
  if (found == nullptr) {
    refuse(instruction_->line,
           "Special register '%" + std::string(operand.name) + "' is not supported by the emulated device");
  }
  if (operand.name == "envreg1" || operand.name == "envreg2") symbol.reach.reads_grid_workspace = true;
  const unsigned own_bits = parse_signature(found->signature).at(0).bits;
  if (own_bits > bits && own_bits == 64) refuse_arguments(*instruction_, "the special register has 64 bits");
  const bool widens = bits == 64 && own_bits != 64;
  const Place destination = widens || !wanted ? frame.value(own_bits) : *wanted;
  DraftOp& made = emit(*found);
  made.op.operand[0] = destination;
  made.written = 1;
  if (!widens) return destination;
  const Place wide = wanted ? *wanted : frame.value(64);
  emit_unary("cvt.u64.u32", wide, destination);
  return wide;
}

Place FunctionDraft::predicate(const ptx::Operand& operand) {
  if (operand.kind == ptx::OperandKind::integer) return all_lanes | (operand.value == 0 ? 1u : 0u);
  if (operand.kind != ptx::OperandKind::reg || syntax.registers[operand.id].bits != 1) {
    refuse_arguments(*instruction_, "a predicate is expected");
  }
  return register_place(operand.id) | (operand.negated ? 1u : 0u);
}

Place FunctionDraft::predicate_destination(const ptx::Operand& operand) {
  if (operand.kind == ptx::OperandKind::sink) return frame.value(1);
  if (operand.negated) refuse_arguments(*instruction_, "a destination cannot be negated");
  return predicate(operand.kind == ptx::OperandKind::reg ? operand : ptx::Operand{});
}

Place FunctionDraft::destination(const ptx::Operand& operand, unsigned bits, bool wider, bool sign) {
  if (operand.kind == ptx::OperandKind::sink) return frame.value(bits);
  if (operand.kind != ptx::OperandKind::reg || operand.negated) {
    refuse_arguments(*instruction_, "a destination must be a register");
  }
  const unsigned width = syntax.registers[operand.id].bits;
  const bool fits = width == bits || (wider && width > bits);
  if (!fits || width == 1) refuse_arguments(*instruction_, "a register's size differs");
  const Place place = register_place(operand.id);
  if (width != 64 || bits == 64) return place;
  const Place narrow = frame.value(32);
  widenings_.push_back({.wide = place, .narrow = narrow, .sign = sign});
  return narrow;
}

void FunctionDraft::finish_widening() {
  for (const Widening& widening : widenings_) {
    emit_unary(widening.sign ? "cvt.s64.s32" : "cvt.u64.u32", widening.wide, widening.narrow);
  }
  widenings_.clear();
}

}  // namespace emulator::decode
