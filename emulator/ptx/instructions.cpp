// SPDX-License-Identifier: Apache-2.0
// Instructions: guard, opcode, operands in their order, calls; and names that were used before they were declared.
#include <algorithm>
#include <string>
#include <utility>

#include "ptx/function_parser.hpp"

namespace emulator::ptx {

namespace {

constexpr std::size_t most_operands = 1000;

// The opcode without modifiers.
std::string_view base_of(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

}  // namespace

void FunctionParser::parse_guarded_instruction() {
  cursor_.expect('@', "before a guard");
  const bool negated = cursor_.accept('!');
  const Token name = cursor_.expect(TokenKind::word, "the predicate of a guard");
  const auto found = scopes_.find(name.text);
  if (!found || found->kind != Entity::Kind::reg) fail(name.line, quoted(name.text) + " is not a predicate register");
  if (function_.registers[found->id].bits != 1) {
    fail(name.line, "the guard " + quoted(name.text) + " has " + std::to_string(function_.registers[found->id].bits) +
                        " bits, it must be of type .pred");
  }
  parse_instruction(cursor_.expect(TokenKind::word, "an opcode after the guard"));
  function_.instructions.back().guard = found->id;
  function_.instructions.back().guard_negated = negated;
}

void FunctionParser::parse_instruction(Token opcode) {
  if (cursor_.token().kind == TokenKind::directive) {
    // "add .s32": the modifiers may stand apart; the tree wants them in one piece.
    std::string joined(opcode.text);
    while (cursor_.token().kind == TokenKind::directive) joined += cursor_.take().text;
    opcode.text = context_.module.joined_opcodes.emplace_back(std::move(joined));
  }
  Instruction instruction;
  instruction.opcode = opcode.text;
  instruction.line = opcode.line;
  instruction.source_file = source_file_;
  instruction.source_line = source_line_;
  const std::string_view base = base_of(opcode.text);
  if (base == "call") {
    parse_call(instruction);
  } else if (base == "bra") {
    instruction.operands.push_back(label_operand(cursor_.expect(TokenKind::word, "the label of a branch")));
  } else if (!cursor_.at(';')) {
    instruction.operands.reserve(4);
    do {
      if (instruction.operands.size() == most_operands) fail(cursor_.line(), "too many operands");
      instruction.operands.push_back(parse_operand(opcode.text));
    } while (cursor_.accept(','));
  }
  cursor_.expect(';', "after the operands of", opcode.text);
  function_.instructions.push_back(std::move(instruction));
}

// call (results), function, (arguments), prototype;
void FunctionParser::parse_call(Instruction& instruction) {
  do {
    if (cursor_.at('(')) {
      Operand list;
      list.kind = OperandKind::list;
      list.parts = parse_arguments(instruction.opcode);
      instruction.operands.push_back(std::move(list));
    } else {
      instruction.operands.push_back(named_operand(cursor_.expect(TokenKind::word, "what a call names")));
    }
    if (instruction.operands.size() > 4) fail(cursor_.line(), "a call has four operands at most");
  } while (cursor_.accept(','));
}

std::vector<Operand> FunctionParser::parse_arguments(std::string_view opcode) {
  std::vector<Operand> arguments;
  cursor_.expect('(', "before the arguments of", opcode);
  if (cursor_.accept(')')) return arguments;
  do {
    arguments.push_back(parse_item(opcode));
  } while (cursor_.accept(','));
  cursor_.expect(')', "after the arguments of", opcode);
  return arguments;
}

std::uint32_t FunctionParser::label_of(const LateName& late) const {
  const auto found = scopes_.find_from(late.scope, late.name);
  if (!found || found->kind != Entity::Kind::label) {
    fail(late.line, "the label " + quoted(late.name) + " is not in " + quoted(function_.name));
  }
  return found->id;
}

void FunctionParser::finish_operand(Operand& operand) {
  for (Operand& part : operand.parts) finish_operand(part);
  if (operand.kind != OperandKind::label) return;
  const LateName& late = late_names_[operand.id];
  if (late.is_label) {
    operand.id = label_of(late);
    return;
  }
  operand.id = 0;
  const auto found = scopes_.find_from(late.scope, late.name);
  if (!found) fail(late.line, quoted(late.name) + " is not declared");
  operand.id = found->id;
  switch (found->kind) {
    case Entity::Kind::label: break;
    case Entity::Kind::table: operand.kind = OperandKind::table; break;
    case Entity::Kind::prototype: operand.kind = OperandKind::prototype; break;
    default: fail(late.line, quoted(late.name) + " is used before it is declared");
  }
}

void FunctionParser::finish_late_names() {
  std::uint32_t finished = no_instruction;
  for (const LateName& late : late_names_) {
    if (late.instruction == no_instruction || late.instruction == finished) continue;
    finished = late.instruction;
    for (Operand& operand : function_.instructions[finished].operands) finish_operand(operand);
  }
  for (BranchTable& table : function_.branch_tables) {
    for (std::uint32_t& label : table.labels) label = label_of(late_names_[label]);
  }
}

}  // namespace emulator::ptx
