// SPDX-License-Identifier: Apache-2.0
// What stands in brackets, and addresses of variables as values.
#include <algorithm>
#include <limits>
#include <string>

#include "decode/function_draft.hpp"
#include "decode/messages.hpp"

namespace emulator::decode {
namespace {

constexpr std::uint64_t no_offset = ~std::uint64_t{0};

void add_once(std::vector<std::uint32_t>& list, std::uint32_t item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

std::int64_t as_signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }

[[noreturn]] void refuse_space(const ptx::Instruction& instruction) {
  refuse(instruction.line,
         "State space mismatch between instruction '" + std::string(instruction.opcode) + "' and its address");
}

}  // namespace

std::uint64_t FunctionDraft::local_offset(std::uint32_t variable) {
  std::uint64_t& offset = local_offsets_[variable];
  if (offset == no_offset) {
    const ptx::Variable& local = syntax.variables[variable];
    const std::uint64_t alignment = std::max<std::uint64_t>(local.alignment, 1);
    offset = (local_end_ + alignment - 1) / alignment * alignment;
    if (local.size > std::numeric_limits<std::uint32_t>::max()) {
      refuse(local.line, "Variable '" + std::string(local.name) + "' is too large");
    }
    local_end_ = offset + local.size;
  }
  return offset;
}

Place FunctionDraft::local_base() {
  if (!local_base_) {
    local_base_ = frame.value(64);
    DraftOp& made = emit_first("mov.local_address");
    made.op.operand[0] = *local_base_;
    made.written = 1;
  }
  return *local_base_;
}

Place FunctionDraft::dynamic_shared_base() {
  if (!dynamic_shared_base_) {
    dynamic_shared_base_ = frame.value(64);
    DraftOp& made = emit_first("mov.dynamic_shared");
    made.op.operand[0] = *dynamic_shared_base_;
    made.written = 1;
  }
  return *dynamic_shared_base_;
}

std::uint32_t FunctionDraft::use_shared(std::uint32_t index) {
  add_once(symbol.reach.shared, index);
  return index;
}

Address FunctionDraft::address(const ptx::Operand& operand, AccessSpace space, bool narrow_base) {
  if (operand.kind != ptx::OperandKind::address || operand.parts.empty()) {
    refuse_arguments(*instruction_, "an address is expected");
  }
  const ptx::Operand& part = operand.parts.front();
  Address made;
  switch (part.kind) {
    case ptx::OperandKind::reg: {
      const unsigned width = syntax.registers[part.id].bits;
      if (width != 32 && width != 64) refuse_arguments(*instruction_, "an address has 32 or 64 bits");
      made.base = register_place(part.id);
      made.narrow = width == 32 && narrow_base;
      if (width == 32 && !narrow_base) {
        const Place wide = frame.value(64);
        emit_unary("cvt.u64.u32", wide, made.base);
        made.base = wide;
      }
      break;
    }
    case ptx::OperandKind::integer: made.base = frame.constant(part.value, 64); break;
    case ptx::OperandKind::symbol: made = symbol_base(part, space); break;
    case ptx::OperandKind::variable: made = variable_base(part, space); break;
    default: refuse_arguments(*instruction_, "not an address");
  }
  made.displacement += as_signed(operand.value);
  return made;
}

Address FunctionDraft::symbol_base(const ptx::Operand& operand, AccessSpace space) {
  const SymbolRef ref = module.find(operand.name);
  if (ref.kind == SymbolKind::shared) {
    if (space != AccessSpace::shared) refuse_space(*instruction_);
    const bool dynamic = module.shared[use_shared(ref.index)].dynamic;
    const Place base = dynamic ? dynamic_shared_base() : frame.address(ref, 0, 64);
    return {base, as_signed(operand.value)};
  }
  if (ref.kind == SymbolKind::variable) {
    const bool is_constant = module.variables[ref.index].syntax->space == ptx::Space::constant;
    const AccessSpace own = is_constant ? AccessSpace::constant : AccessSpace::global;
    if (space != own && space != AccessSpace::generic) refuse_space(*instruction_);
  }
  ptx::Operand name = operand;
  name.value = 0;
  return {symbol_address(name, 64), as_signed(operand.value)};
}

Address FunctionDraft::variable_base(const ptx::Operand& operand, AccessSpace space) {
  const ptx::Variable& variable = syntax.variables[operand.id];
  const std::int64_t addend = as_signed(operand.value);
  if (variable.space == ptx::Space::local && space == AccessSpace::local) {
    return {local_base(), as_signed(local_offset(operand.id)) + addend};
  }
  if (variable.space == ptx::Space::shared && space == AccessSpace::shared) {
    const std::uint32_t index = use_shared(module.local_shared(syntax, operand.id));
    if (module.shared[index].dynamic) return {dynamic_shared_base(), addend};
    return {frame.address({SymbolKind::shared, index}, 0, 64), addend};
  }
  refuse_space(*instruction_);
}

std::uint64_t FunctionDraft::copy_parameter_to_local(std::uint32_t variable) {
  if (local_offsets_[variable] != no_offset) return local_offsets_[variable];
  const std::uint64_t begin = local_offset(variable);
  const Place base = local_base();
  const Place parameter = parameter_place(variable);
  const std::uint64_t size = syntax.variables[variable].size;
  for (std::uint64_t done = 0; done < size;) {
    std::uint64_t bytes = 8;
    while (bytes > size - done || done % bytes != 0) bytes /= 2;
    const std::string bits = std::to_string(bytes * 8);
    const Place value = frame.value(bytes == 8 ? 64 : 32);
    DraftOp& load = emit_first("ld.frame.b" + bits);
    load.op.operand[0] = value;
    load.op.operand[4] = parameter;
    load.op.aux = frame.slot(parameter).stride;
    load.displacement = static_cast<std::uint32_t>(done);
    load.written = 1;
    DraftOp& store = emit_first("st.local.b" + bits);
    store.op.operand[0] = value;
    store.op.operand[4] = base;
    store.op.immediate = begin + done;
    done += bytes;
  }
  return begin;
}

Place FunctionDraft::symbol_address(const ptx::Operand& operand, unsigned bits, std::optional<Place> wanted) {
  const std::int64_t addend = as_signed(operand.value);
  const auto computed = [&](std::string_view row, std::uint64_t immediate) {
    const bool direct = wanted && bits == 64;
    const Place wide = direct ? *wanted : frame.value(64);
    DraftOp& made = emit(row);
    made.op.operand[0] = wide;
    made.op.immediate = immediate;
    made.written = 1;
    if (bits == 64) return wide;
    const Place narrow = wanted ? *wanted : frame.value(32);
    emit_unary("cvt.u32.u64", narrow, wide);
    return narrow;
  };
  const auto shared_address = [&](std::uint32_t index) {
    use_shared(index);
    if (module.shared[index].dynamic) return computed("mov.dynamic_shared", operand.value);
    return frame.address({SymbolKind::shared, index}, addend, bits);
  };

  if (operand.kind == ptx::OperandKind::variable) {
    const ptx::Variable& variable = syntax.variables[operand.id];
    if (variable.space == ptx::Space::shared) return shared_address(module.local_shared(syntax, operand.id));
    if (variable.space == ptx::Space::local) {
      return computed("mov.local_address", local_offset(operand.id) + operand.value);
    }
    if (const EntryParameter* parameter = entry_parameter(operand.id)) {
      symbol.reach.takes_parameter_address = true;
      return computed("mov.entry_address", parameter->offset + operand.value);
    }
    const auto& own = syntax.parameters;
    if (std::find(own.begin(), own.end(), operand.id) != own.end()) {
      return computed("mov.local_address", copy_parameter_to_local(operand.id) + operand.value);
    }
    refuse_arguments(*instruction_, "the address of a call's parameter cannot be taken");
  }

  const SymbolRef ref = module.find(operand.name);
  switch (ref.kind) {
    case SymbolKind::shared: return shared_address(ref.index);
    case SymbolKind::function:
      if (module.functions[ref.index].code == nullptr || addend != 0) {
        refuse(instruction_->line, "unresolved extern symbol '" + std::string(operand.name) + "'");
      }
      add_once(symbol.reach.addresses_taken, ref.index);
      break;
    case SymbolKind::variable:
      if (module.variables[ref.index].syntax->is_external) {
        refuse(instruction_->line, "unresolved extern symbol '" + std::string(operand.name) + "'");
      }
      break;
    case SymbolKind::none: refuse(instruction_->line, "Unknown symbol '" + std::string(operand.name) + "'");
  }
  return frame.address(ref, addend, bits);
}

}  // namespace emulator::decode
