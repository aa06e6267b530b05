// SPDX-License-Identifier: Apache-2.0
// Operands: registers, constants, symbols, addresses, vectors, pairs.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "ptx/constants.hpp"
#include "ptx/function_parser.hpp"

namespace emulator::ptx {

namespace {

constexpr std::size_t most_elements = 1000;

// Special registers, without their % and their component.
constexpr std::string_view specials[] = {
    "aggr_smem_size",
    "clock",
    "clock64",
    "clock_hi",
    "cluster_ctaid",
    "cluster_ctarank",
    "cluster_nctaid",
    "cluster_nctarank",
    "clusterid",
    "ctaid",
    "current_graph_exec",
    "dynamic_smem_size",
    "globaltimer",
    "globaltimer_hi",
    "globaltimer_lo",
    "gridid",
    "is_explicit_cluster",
    "laneid",
    "lanemask_eq",
    "lanemask_ge",
    "lanemask_gt",
    "lanemask_le",
    "lanemask_lt",
    "nclusterid",
    "nctaid",
    "nsmid",
    "ntid",
    "nwarpid",
    "smid",
    "tid",
    "total_smem_size",
    "warpid",
};

bool is_numbered(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() && name.substr(0, prefix.size()) == prefix && name[prefix.size()] >= '0' &&
         name[prefix.size()] <= '9';
}

// Whether the name without its % is one of PTX's special registers: "tid.x", "envreg3".
bool is_special(std::string_view name) {
  const std::string_view base = name.substr(0, name.find('.'));
  return std::binary_search(std::begin(specials), std::end(specials), base) || is_numbered(base, "envreg") ||
         is_numbered(base, "pm") || base.starts_with("reserved_smem_offset");
}

}  // namespace

Operand FunctionParser::late_operand(const Token& name, bool is_label) {
  Operand operand;
  operand.kind = OperandKind::label;
  operand.name = name.text;
  operand.id = static_cast<std::uint32_t>(late_names_.size());
  const auto instruction = static_cast<std::uint32_t>(function_.instructions.size());
  late_names_.push_back({name.text, scopes_.current(), name.line, instruction, is_label});
  return operand;
}

Operand FunctionParser::label_operand(const Token& name) { return late_operand(name, true); }

Operand FunctionParser::named_operand(const Token& name) {
  Operand operand;
  operand.name = name.text;
  if (const auto found = scopes_.find(name.text)) {
    operand.id = found->id;
    switch (found->kind) {
      case Entity::Kind::reg: operand.kind = OperandKind::reg; break;
      case Entity::Kind::variable: operand.kind = OperandKind::variable; break;
      case Entity::Kind::label: return late_operand(name, false);
      case Entity::Kind::table: operand.kind = OperandKind::table; break;
      case Entity::Kind::prototype: operand.kind = OperandKind::prototype; break;
    }
    return operand;
  }
  if (context_.symbols.contains(name.text)) {
    operand.kind = OperandKind::symbol;
    return operand;
  }
  if (name.text.front() == '%') {
    operand.name.remove_prefix(1);
    operand.kind = OperandKind::special;
    if (is_special(operand.name)) return operand;
    fail(name.line, "the register " + quoted(name.text) + " is not declared");
  }
  if (const std::size_t dot = name.text.find('.'); dot != std::string_view::npos) {
    fail(name.line, quoted(name.text) + ": the emulated device has no vector registers");
  }
  return late_operand(name, false);
}

Operand FunctionParser::parse_constant_operand() {
  const Constant constant = parse_constant(cursor_);
  Operand operand;
  operand.value = constant.bits;
  switch (constant.kind) {
    case Constant::Kind::integer: operand.kind = OperandKind::integer; break;
    case Constant::Kind::real32: operand.kind = OperandKind::real32; break;
    case Constant::Kind::real64: operand.kind = OperandKind::real64; break;
  }
  return operand;
}

// "+4", "-4", "+-4" behind what an address begins with.
void FunctionParser::parse_displacement(Operand& operand) {
  if (!cursor_.at('+') && !cursor_.at('-')) return;
  const std::uint32_t line = cursor_.line();
  const Constant value = parse_constant(cursor_);
  if (value.kind != Constant::Kind::integer) fail(line, "an address takes integers only");
  operand.value = value.bits;
}

// One name or constant: what stands in vectors and call arguments.
Operand FunctionParser::parse_item(std::string_view opcode) {
  const Token token = cursor_.token();
  if (token.is('!')) {
    Cursor ahead = cursor_;
    ahead.take();
    if (ahead.token().kind == TokenKind::word && !begins_constant(ahead.token())) {
      cursor_.take();
      Operand operand = named_operand(cursor_.take());
      if (operand.kind != OperandKind::reg) fail(token.line, "'!' must stand before a predicate register");
      operand.negated = true;
      return operand;
    }
  }
  if (begins_constant(token)) return parse_constant_operand();
  if (token.kind != TokenKind::word) cursor_.fail_expected("an operand of " + std::string(opcode.substr(0, 100)));
  cursor_.take();
  if (token.text == "_") return {};
  Operand operand = named_operand(token);
  const bool is_place = operand.kind == OperandKind::symbol || operand.kind == OperandKind::variable ||
                        operand.kind == OperandKind::label;
  if (is_place) parse_displacement(operand);
  return operand;
}

Operand FunctionParser::parse_vector(std::string_view opcode) {
  cursor_.expect('{', "before a vector");
  Operand vector;
  vector.kind = OperandKind::vector;
  do {
    if (vector.parts.size() == most_elements) fail(cursor_.line(), "a vector has too many elements");
    vector.parts.push_back(parse_item(opcode));
  } while (cursor_.accept(','));
  cursor_.expect('}', "after a vector of", opcode);
  return vector;
}

Operand FunctionParser::parse_address(std::string_view opcode) {
  cursor_.expect('[', "before an address");
  Operand address;
  address.kind = OperandKind::address;
  Operand base;
  if (begins_constant(cursor_.token())) {
    base = parse_constant_operand();
    if (base.kind != OperandKind::integer) fail(cursor_.line(), "an address takes integers only");
  } else {
    base = named_operand(cursor_.expect(TokenKind::word, "an address of " + std::string(opcode.substr(0, 100))));
    parse_displacement(address);
  }
  address.parts.push_back(std::move(base));
  if (cursor_.at(',')) {
    // Coordinates of a texture or a tensor: [handle, {x, y}].
    Operand list;
    list.kind = OperandKind::list;
    list.parts.push_back(std::move(address));
    while (cursor_.accept(',')) {
      if (list.parts.size() == most_elements) fail(cursor_.line(), "an address has too many parts");
      list.parts.push_back(cursor_.at('{') ? parse_vector(opcode) : parse_item(opcode));
    }
    address = std::move(list);
  }
  cursor_.expect(']', "after an address of", opcode);
  return address;
}

Operand FunctionParser::parse_operand(std::string_view opcode) {
  if (cursor_.at('{')) return parse_vector(opcode);
  if (cursor_.at('[')) return parse_address(opcode);
  Operand operand = parse_item(opcode);
  if (!cursor_.at('|')) return operand;
  cursor_.take();
  Operand pair;
  pair.kind = OperandKind::pair;
  pair.parts.reserve(2);
  pair.parts.push_back(std::move(operand));
  pair.parts.push_back(parse_item(opcode));
  return pair;
}

}  // namespace emulator::ptx
