// SPDX-License-Identifier: Apache-2.0
// The notation in which the parser's tests show operands.
#include "parsing.hpp"

#include <cinttypes>
#include <cstdio>

namespace emulator::ptx::testing {

namespace {

const std::string registers =
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<4>; .reg .f64 %fd<4>; ";

std::string with_addend(const std::string& name, std::uint64_t value) {
  const auto number = static_cast<std::int64_t>(value);
  return number == 0 ? name : name + (number > 0 ? "+" : "") + std::to_string(number);
}

std::string hexadecimal(std::uint64_t value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*" PRIx64, digits, value);
  return text;
}

std::string joined(const Function& function, const std::vector<Operand>& parts) {
  std::string text;
  for (const Operand& part : parts) text += (text.empty() ? "" : " ") + show(function, part);
  return text;
}

template <class Action>
Refusal refusal_of(const Action& action) {
  try {
    action();
  } catch (const LoadError& error) {
    return {error.code(), error.line(), error.what()};
  }
  return {};
}

}  // namespace

std::string show(const Function& function, const Operand& operand) {
  const std::string name(operand.name);
  switch (operand.kind) {
    case OperandKind::reg: return (operand.negated ? "!" : "") + std::string(function.registers.at(operand.id).name);
    case OperandKind::integer: return "#" + std::to_string(static_cast<std::int64_t>(operand.value));
    case OperandKind::real32: return "f" + hexadecimal(operand.value, 8);
    case OperandKind::real64: return "d" + hexadecimal(operand.value, 16);
    case OperandKind::symbol: return "symbol:" + with_addend(name, operand.value);
    case OperandKind::variable:
      return "variable:" + with_addend(std::string(function.variables.at(operand.id).name), operand.value);
    case OperandKind::special: return "special:" + name;
    case OperandKind::label: return "label:" + std::string(function.labels.at(operand.id).name);
    case OperandKind::table: return "table:" + std::string(function.branch_tables.at(operand.id).name);
    case OperandKind::prototype: return "prototype:" + std::string(function.prototypes.at(operand.id).name);
    case OperandKind::vector: return "{" + joined(function, operand.parts) + "}";
    case OperandKind::address: return "[" + with_addend(joined(function, operand.parts), operand.value) + "]";
    case OperandKind::pair: return show(function, operand.parts.at(0)) + "|" + show(function, operand.parts.at(1));
    case OperandKind::list: return "(" + joined(function, operand.parts) + ")";
    case OperandKind::sink: return "_";
  }
  return "?";
}

std::string show(const Function& function, const Instruction& instruction) {
  std::string text;
  if (instruction.guard != no_register) {
    text = std::string(instruction.guard_negated ? "@!" : "@") +
           std::string(function.registers.at(instruction.guard).name) + " ";
  }
  text += instruction.opcode;
  for (const Operand& operand : instruction.operands) text += " " + show(function, operand);
  return text;
}

std::vector<std::string> instructions_of(const std::string& statements, const std::string& declarations) {
  const Parsed parsed = parse_body(statements, declarations);
  const Function& function = parsed.module.functions.back();
  std::vector<std::string> shown;
  for (const Instruction& each : function.instructions) shown.push_back(show(function, each));
  return shown;
}

std::string instruction_of(const std::string& statement) {
  const std::vector<std::string> all = instructions_of(registers + statement);
  return all.size() == 1 ? all.front() : std::to_string(all.size()) + " instructions";
}

Refusal refusal_of_text(const std::string& text) {
  return refusal_of([&] { parse_text(text); });
}

Refusal refusal_of_module(const std::string& declarations) {
  return refusal_of([&] { parse_module(declarations); });
}

Refusal refusal_of_body(const std::string& statements) {
  return refusal_of(
      [&] { parse_module(".entry kernel(.param .u64 input) { " + registers + "\n" + statements + "\n}\n"); });
}

}  // namespace emulator::ptx::testing
