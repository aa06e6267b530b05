// SPDX-License-Identifier: Apache-2.0
// One function while it is decoded: ops are emitted with places, laid out at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "decode/frame_draft.hpp"
#include "decode/module_draft.hpp"

namespace emulator::decode {

/// Where control goes after an op.
enum class Flow : std::uint8_t { next, branch, table, end };

/// DraftOp::call of an op that is no call.
inline constexpr std::uint32_t no_call = 0xffffffffu;

/// An op whose operands and guard are still places; aux of a branch is still an instruction.
struct DraftOp {
  Op op;
  OpSource source;
  std::uint32_t displacement = 0;  ///< added to operand[4]: a byte in a parameter variable
  std::uint8_t written = 0;        ///< destinations among the operands, one bit each
  Flow flow = Flow::next;
  std::uint32_t call = no_call;  ///< index in FunctionDraft::calls
};

/// One instruction's destination that is wider than what its op writes.
struct Widening {
  Place wide;
  Place narrow;
  bool sign = false;
};

/// An address: a base place and a displacement.
struct Address {
  Place base = 0;
  std::int64_t displacement = 0;
  bool narrow = false;  ///< the base has 32 bits
};

/// The places of a call's parameter variables; beside Function::calls.
struct CallDraft {
  std::vector<Place> arguments;
  std::vector<Place> results;
};

/// Collects the code of one function.
class FunctionDraft {
 public:
  FunctionDraft(ModuleDraft& module, std::uint32_t index);

  ModuleDraft& module;
  FunctionSymbol& symbol;
  const ptx::Function& syntax;
  Function& code;
  FrameDraft frame;

  /// Decodes from here on this instruction: its guard and source go to all ops emitted.
  void begin(const ptx::Instruction& instruction, std::uint32_t spelling);
  [[nodiscard]] const ptx::Instruction& instruction() const { return *instruction_; }

  /// Adds an op of the current instruction.
  DraftOp& emit(const OpcodeRow& row);
  DraftOp& emit(std::string_view row);
  /// Adds `row destination, source` to the current instruction.
  void emit_unary(std::string_view row, Place destination, Place source);
  /// Adds an op that runs once, before the first instruction.
  DraftOp& emit_first(std::string_view row);

  // Operands of the current instruction (operands.cpp).

  /// A source of `bits` bits for an opcode of that type. With `wider`, a 64-bit register is truncated.
  Place source(const ptx::Operand& operand, unsigned bits, Type type, bool wider = false);
  /// A special register; written to `wanted` where given.
  Place special(const ptx::Operand& operand, unsigned bits, std::optional<Place> wanted = std::nullopt);
  /// A predicate or !predicate, or a literal.
  Place predicate(const ptx::Operand& operand);
  /// A destination of `bits` bits; with `wider` a 64-bit register is filled by finish_widening from what the op writes.
  Place destination(const ptx::Operand& operand, unsigned bits, bool wider = false, bool sign = false);
  Place predicate_destination(const ptx::Operand& operand);
  /// Emits the extensions that destinations asked for since.
  void finish_widening();
  /// The bits of a literal.
  std::uint64_t literal(const ptx::Operand& operand, unsigned bits, Type type);
  /// The place of a register of this function.
  Place register_place(std::uint32_t id);

  // Addresses (addresses.cpp).

  /// Base and displacement of [operand] for an access in that space.
  /// A base register of 32 bits is widened unless `narrow_base`.
  Address address(const ptx::Operand& operand, AccessSpace space, bool narrow_base = false);
  /// Writes the address that a symbol or variable stands for to a 64-bit place, or gives the constant that it is.
  Place symbol_address(const ptx::Operand& operand, unsigned bits, std::optional<Place> wanted = std::nullopt);
  /// The parameter variable's place of the frame.
  Place parameter_place(std::uint32_t variable);
  /// Whether a variable is a parameter of this entry.
  [[nodiscard]] const EntryParameter* entry_parameter(std::uint32_t variable) const;

  /// Lays everything out and fills `code` and `symbol`.
  void finish();

  std::vector<CallDraft> calls;  ///< beside code.calls

 private:
  Place narrowed(Place wide);
  Place local_base();
  Place dynamic_shared_base();
  std::uint64_t local_offset(std::uint32_t variable);
  Address symbol_base(const ptx::Operand& operand, AccessSpace space);
  Address variable_base(const ptx::Operand& operand, AccessSpace space);
  std::uint64_t copy_parameter_to_local(std::uint32_t variable);
  std::uint32_t use_shared(std::uint32_t index);

  void resolve_branches();
  void share_room();
  void finish_calls();
  void finish_ops();

  std::vector<DraftOp> first_;  ///< what runs once, before the first instruction
  std::vector<DraftOp> ops_;
  std::vector<std::uint32_t> instruction_pcs_;  ///< in ops_, by instruction
  const ptx::Instruction* instruction_ = nullptr;
  Place guard_ = all_lanes;
  OpSource source_;
  std::vector<Widening> widenings_;
  std::vector<Place> registers_;
  std::vector<Place> parameters_;             ///< by variable id
  std::vector<std::uint64_t> local_offsets_;  ///< by variable id
  std::uint64_t local_end_ = 0;
  std::optional<Place> local_base_;
  std::optional<Place> dynamic_shared_base_;
};

}  // namespace emulator::decode
