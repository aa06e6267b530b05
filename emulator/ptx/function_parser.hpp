// SPDX-License-Identifier: Apache-2.0
// The parser of one function: head, body, instructions and their operands.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/context.hpp"
#include "ptx/scopes.hpp"
#include "ptx/syntax.hpp"

namespace emulator::ptx {

/// The place of a late name that stands in a branch table.
inline constexpr std::uint32_t no_instruction = 0xffffffffu;

/// A name that was not known where it was used: it must stand before a label or a table further below.
struct LateName {
  std::string_view name;
  std::uint32_t scope = 0;
  std::uint32_t line = 0;
  std::uint32_t instruction = no_instruction;
  bool is_label = false;  ///< of a branch: nothing else will do
};

/// Reads one function.
class FunctionParser {
 public:
  explicit FunctionParser(Context& context)
      : context_(context), cursor_(context.cursor), scopes_(function_.registers) {}

  /// From `.entry` or `.func` on.
  void parse(const Linkage& linkage);

 private:
  // function_head.cpp
  void parse_head(const Linkage& linkage);
  void parse_parameters(std::vector<std::uint32_t>& variables, std::vector<std::uint32_t>& registers);
  void parse_parameter(std::vector<std::uint32_t>& variables, std::vector<std::uint32_t>& registers);
  void parse_register_parameter(std::vector<std::uint32_t>& variables, std::vector<std::uint32_t>& registers);
  void parse_performance_directives();
  void parse_extents(std::array<std::uint32_t, 3>& extents);
  std::uint32_t announce();

  // function_body.cpp
  void parse_body();
  void parse_statement();
  void parse_body_directive();
  void parse_registers();
  void parse_location();
  void declare_variables(const Linkage& linkage);
  void parse_label(const Token& name);
  void parse_branch_targets(const Token& name);
  void parse_call_targets(const Token& name);
  void parse_prototype(const Token& name);
  void parse_prototype_parameters(std::vector<Variable>& variables);
  void declare(const Token& name, Entity entity);

  // instructions.cpp
  void parse_guarded_instruction();
  void parse_instruction(Token opcode);
  void parse_call(Instruction& instruction);
  std::vector<Operand> parse_arguments(std::string_view opcode);
  void finish_late_names();
  void finish_operand(Operand& operand);
  std::uint32_t label_of(const LateName& late) const;

  // operands.cpp
  Operand parse_operand(std::string_view opcode);
  Operand parse_item(std::string_view opcode);
  Operand parse_vector(std::string_view opcode);
  Operand parse_address(std::string_view opcode);
  Operand parse_constant_operand();
  Operand named_operand(const Token& name);
  Operand label_operand(const Token& name);
  Operand late_operand(const Token& name, bool is_label);
  void parse_displacement(Operand& operand);

  Context& context_;
  Cursor& cursor_;
  Function function_;
  Scopes scopes_;
  std::vector<LateName> late_names_;
  std::uint32_t depth_ = 0;
  std::uint32_t source_file_ = 0;
  std::uint32_t source_line_ = 0;
};

}  // namespace emulator::ptx
