// SPDX-License-Identifier: Apache-2.0
// Symbols and opcodes of a module while it is decoded.
#include "decode/module_draft.hpp"

#include <algorithm>
#include <array>

#include "decode/messages.hpp"
#include "decode/parameter_layout.hpp"

namespace emulator::decode {
namespace {

SystemCall system_call_named(std::string_view name) {
  if (name == "vprintf") return SystemCall::vprintf;
  if (name == "__assertfail") return SystemCall::assertfail;
  if (name == "malloc") return SystemCall::malloc;
  if (name == "free") return SystemCall::free;
  return SystemCall::none;
}

/// Whether the base opcode is a word of PTX: one that rows begin with, or one that normalising replaces.
bool base_is_known(const OpcodeTable& table, std::string_view opcode) {
  static constexpr auto replaced =
      std::to_array<std::string_view>({"barrier", "createpolicy", "cvta", "fence", "ldu", "membar", "red"});
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  return table.has_base(base) || std::find(replaced.begin(), replaced.end(), base) != replaced.end();
}

}  // namespace

ModuleDraft::ModuleDraft(const ptx::Module& module, const OpcodeTable& opcodes) : syntax(module), table(opcodes) {
  for (const ptx::Variable& variable : module.variables) add_variable(variable);
  for (const ptx::Function& function : module.functions) add_function(function);
  std::uint32_t index = 0;
  for (FunctionSymbol& function : functions) {
    if (function.syntax->has_body) {
      function.code = std::make_unique<Function>();
      function.code->name = function.syntax->name;
      function.code->index = index++;
      for (const ptx::Variable& variable : function.syntax->variables) {
        if (variable.space != ptx::Space::shared) continue;
        local_shared_.emplace(&variable, static_cast<std::uint32_t>(shared.size()));
        shared.push_back({.syntax = &variable, .dynamic = variable.is_external});
      }
    } else {
      function.system = system_call_named(function.syntax->name);
    }
    if (function.syntax->is_entry) function.parameters = lay_out_parameters(module, *function.syntax);
  }
}

void ModuleDraft::add_variable(const ptx::Variable& variable) {
  const bool is_shared = variable.space == ptx::Space::shared;
  const SymbolRef fresh = is_shared ? SymbolRef{SymbolKind::shared, static_cast<std::uint32_t>(shared.size())}
                                    : SymbolRef{SymbolKind::variable, static_cast<std::uint32_t>(variables.size())};
  const auto [found, is_new] = symbols_.try_emplace(variable.name, fresh);
  if (is_new) {
    if (is_shared) {
      shared.push_back({.syntax = &variable, .dynamic = variable.is_external});
    } else {
      variables.push_back({.syntax = &variable});
    }
    return;
  }
  // An .extern declaration and its definition are one variable; of shared memory only declarations come twice.
  if (found->second.kind == fresh.kind) {
    const ptx::Variable*& known =
        is_shared ? shared[found->second.index].syntax : variables[found->second.index].syntax;
    if (variable.is_external) return;
    if (known->is_external && !is_shared) {
      known = &variable;
      return;
    }
  }
  refuse(variable.line, "Duplicate definition of '" + std::string(variable.name) + "'");
}

void ModuleDraft::add_function(const ptx::Function& function) {
  const SymbolRef fresh{SymbolKind::function, static_cast<std::uint32_t>(functions.size())};
  const auto [found, is_new] = symbols_.try_emplace(function.name, fresh);
  if (is_new) {
    functions.emplace_back().syntax = &function;
    return;
  }
  const ptx::Function* known =
      found->second.kind == SymbolKind::function ? functions[found->second.index].syntax : nullptr;
  if (known == nullptr || (known->has_body && function.has_body)) {
    refuse(function.line, "Duplicate definition of '" + std::string(function.name) + "'");
  }
  if (function.has_body) functions[found->second.index].syntax = &function;
}

SymbolRef ModuleDraft::find(std::string_view name) const {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? SymbolRef{} : found->second;
}

std::uint32_t ModuleDraft::local_shared(const ptx::Function& function, std::uint32_t id) const {
  return local_shared_.at(&function.variables[id]);
}

std::uint32_t ModuleDraft::reserved_shared() {
  if (!reserved_shared_) {
    // Groups of more than one warp keep their barriers and one word a warp there: 288 bytes at most.
    reserved_variable_.space = ptx::Space::shared;
    reserved_variable_.alignment = 16;
    reserved_variable_.size = 288;
    reserved_shared_ = static_cast<std::uint32_t>(shared.size());
    shared.push_back({.syntax = &reserved_variable_});
  }
  return *reserved_shared_;
}

const Opcode& ModuleDraft::opcode(std::string_view text, std::uint32_t line) {
  const auto [found, is_new] = opcodes_.try_emplace(text);
  Opcode& opcode = found->second;
  if (!is_new) return opcode;
  opcode.normal = normalise(text);
  if (opcode.normal.family == Family::left_out) refuse_opcode(text, line, base_is_known(table, text));
  if (!opcode.normal.row.empty()) {
    opcode.row = table.find(opcode.normal.row);
    if (opcode.row == nullptr) refuse_opcode(text, line, base_is_known(table, text));
    opcode.signature = parse_signature(opcode.row->signature);
    const std::size_t shared =
        opcode.normal.access.space == AccessSpace::shared ? opcode.normal.row.find("shared.") : 0;
    if (shared != 0) opcode.narrow_row = table.find(std::string(opcode.normal.row).insert(shared + 7, "a32."));
  }
  opcode.spelling = static_cast<std::uint32_t>(spellings.size());
  spellings.emplace_back(text);
  return opcode;
}

const OpcodeRow& ModuleDraft::row(std::string_view spelling, std::uint32_t line) const {
  const OpcodeRow* found = table.find(spelling);
  if (found == nullptr) refuse_opcode(spelling, line, true);
  return *found;
}

}  // namespace emulator::decode
