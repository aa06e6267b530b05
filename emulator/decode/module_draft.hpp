// SPDX-License-Identifier: Apache-2.0
// What is known of a module while it is decoded: its symbols, its opcodes, its functions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decode/frame_draft.hpp"
#include "decode/opcode_table.hpp"
#include "decode/signature.hpp"
#include "decode/spelling.hpp"
#include "machine/function.hpp"
#include "ptx/syntax.hpp"

namespace emulator::decode {

/// An opcode of the module, resolved at its first use.
struct Opcode {
  Normalised normal;
  const OpcodeRow* row = nullptr;         ///< null where operands decide (a param space)
  const OpcodeRow* narrow_row = nullptr;  ///< of shared memory: the same with a base register of 32 bits
  Signature signature;
  std::uint32_t spelling = 0;  ///< index in DecodedModule::spellings
};

/// A .shared variable of the module or of a function.
struct SharedVariable {
  const ptx::Variable* syntax = nullptr;
  bool dynamic = false;      ///< .extern: begins where dynamic shared memory begins
  std::uint32_t offset = 0;  ///< from the layout on
};

/// A .global or .const variable.
struct ModuleVariable {
  const ptx::Variable* syntax = nullptr;
  std::uint64_t address = 0;  ///< once allocated
};

/// What a function's code reaches directly; calls and address-taken functions are indices in ModuleDraft::functions.
struct Reach {
  std::vector<std::uint32_t> calls;
  std::vector<std::uint32_t> addresses_taken;
  std::vector<std::uint32_t> shared;  ///< indices in ModuleDraft::shared
  bool calls_indirectly = false;
  bool reads_grid_workspace = false;     ///< %envreg1 or %envreg2
  bool takes_parameter_address = false;  ///< of an entry's parameter
};

/// Where an entry takes its parameters from; beside ptx::Function::parameters.
struct ParameterLayout {
  std::vector<EntryParameter> parameters;
  std::uint32_t bytes = 0;
};

/// A function of the module. Declarations of one name are one function.
struct FunctionSymbol {
  const ptx::Function* syntax = nullptr;  ///< the definition where there is one
  std::unique_ptr<Function> code;         ///< null without a body
  SystemCall system = SystemCall::none;   ///< without a body: what the name means
  ParameterLayout parameters;             ///< of an entry
  Reach reach;
  std::vector<AddressConstant> addresses;
  std::uint32_t live_units = 0;  ///< most 32-bit registers that are alive at once
};

/// A module under construction.
class ModuleDraft {
 public:
  ModuleDraft(const ptx::Module& syntax, const OpcodeTable& table);

  /// The symbol of that name; kind none where there is none.
  [[nodiscard]] SymbolRef find(std::string_view name) const;
  /// The function's shared variable of index `id`, as an index in `shared`.
  [[nodiscard]] std::uint32_t local_shared(const ptx::Function& function, std::uint32_t id) const;
  /// The shared memory that cooperative groups of several warps find at %reserved_smem_offset_1.
  std::uint32_t reserved_shared();
  /// Resolves an opcode; throws LoadError for one that nothing executes.
  const Opcode& opcode(std::string_view text, std::uint32_t line);
  /// A row that decoding itself needs.
  [[nodiscard]] const OpcodeRow& row(std::string_view spelling, std::uint32_t line) const;

  const ptx::Module& syntax;
  const OpcodeTable& table;
  std::vector<ModuleVariable> variables;
  std::vector<SharedVariable> shared;
  std::vector<FunctionSymbol> functions;
  std::vector<std::string> spellings;

 private:
  void add_variable(const ptx::Variable& variable);
  void add_function(const ptx::Function& function);

  std::unordered_map<std::string_view, SymbolRef> symbols_;
  std::unordered_map<const ptx::Variable*, std::uint32_t> local_shared_;
  std::unordered_map<std::string_view, Opcode> opcodes_;
  ptx::Variable reserved_variable_;
  std::optional<std::uint32_t> reserved_shared_;
};

}  // namespace emulator::decode
