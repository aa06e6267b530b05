// SPDX-License-Identifier: Apache-2.0
// Declarations of variables in every state space.
#include "ptx/variables.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "ptx/constants.hpp"

namespace emulator::ptx {

namespace {

constexpr std::uint64_t largest_alignment = 1 << 20;
constexpr std::size_t most_dimensions = 8;

std::uint32_t parse_alignment(Cursor& cursor) {
  const std::uint32_t line = cursor.line();
  const auto value = static_cast<std::uint32_t>(parse_count(cursor, largest_alignment, "the number of .align"));
  if (!std::has_single_bit(value)) fail(line, "the number of .align must be a power of two");
  return value;
}

// `.ptr .global .align 4`: what the parameter points to is of no use here.
void skip_pointee(Cursor& cursor) {
  if (find_space(cursor.token().text)) cursor.take();
  if (cursor.accept_directive(".align")) parse_alignment(cursor);
}

void parse_attributes(Cursor& cursor, VariableType& type) {
  cursor.expect('(', "after .attribute");
  while (!cursor.accept(')')) {
    if (cursor.at_end()) cursor.fail_expected("')' after the attributes");
    if (cursor.take().is_directive(".managed")) type.is_managed = true;
  }
}

std::uint32_t vector_elements(const Token& token) {
  if (token.kind != TokenKind::directive) return 0;
  return token.text == ".v2" ? 2 : token.text == ".v4" ? 4 : token.text == ".v8" ? 8 : 0;
}

Shape parse_shape(Cursor& cursor, const VariableType& type, std::string_view name) {
  Shape shape;
  shape.item_bytes = type.type->bytes();
  while (cursor.accept('[')) {
    if (shape.sizes.size() == most_dimensions) fail(cursor.line(), quoted(name) + " has too many dimensions");
    if (cursor.at(']') && shape.sizes.empty()) {
      shape.is_open = true;
      shape.sizes.push_back(0);
    } else {
      shape.sizes.push_back(parse_count(cursor, largest_variable, "the size of an array"));
    }
    cursor.expect(']', "after the size of", name);
  }
  if (type.elements > 1) shape.sizes.push_back(type.elements);
  return shape;
}

// Bytes of the whole, an open dimension counting as one.
std::uint64_t total_bytes(const Shape& shape, std::uint32_t line, std::string_view name) {
  std::uint64_t total = shape.item_bytes;
  bool is_empty = false;
  for (std::size_t each = shape.is_open ? 1 : 0; each < shape.sizes.size(); ++each) {
    const std::uint64_t size = std::max<std::uint64_t>(shape.sizes[each], 1);
    if (total > largest_variable / size) fail(line, quoted(name) + " is larger than 2^40 bytes");
    total *= size;
    is_empty = is_empty || shape.sizes[each] == 0;
  }
  return is_empty ? 0 : total;
}

}  // namespace

std::optional<Space> find_space(std::string_view directive) {
  if (directive == ".global") return Space::global;
  if (directive == ".const") return Space::constant;
  if (directive == ".shared" || directive == ".shared::cta") return Space::shared;
  if (directive == ".local") return Space::local;
  if (directive == ".param") return Space::param;
  return std::nullopt;
}

VariableType parse_variable_type(Context& context) {
  Cursor& cursor = context.cursor;
  VariableType type;
  while (cursor.token().kind == TokenKind::directive) {
    const Token token = cursor.take();
    if (token.text == ".align") {
      type.alignment = parse_alignment(cursor);
    } else if (token.text == ".attribute") {
      parse_attributes(cursor, type);
    } else if (token.text == ".ptr") {
      skip_pointee(cursor);
    } else if (const std::uint32_t elements = vector_elements(token)) {
      type.elements = elements;
    } else if (const Type* found = find_type(token.text)) {
      type.type = found;
    } else if (token.text == ".texref" || token.text == ".samplerref" || token.text == ".surfref") {
      fail(token.line, "the emulated device has no " + quoted(token.text) + " variables");
    } else {
      fail(token.line, "expected the type of a variable, found " + describe(token));
    }
  }
  if (type.type == nullptr) cursor.fail_expected("the type of a variable");
  if (type.type->bits == 1) fail(cursor.line(), "only registers may have the type .pred");
  return type;
}

Variable parse_declarator(Context& context, Space space, const VariableType& type, bool may_initialise) {
  Cursor& cursor = context.cursor;
  const Token name = cursor.expect(TokenKind::word, "the name of a variable");
  Variable variable;
  variable.name = name.text;
  variable.line = name.line;
  variable.space = space;
  variable.is_managed = type.is_managed;
  variable.alignment = type.alignment != 0 ? type.alignment : type.bytes();
  const Shape shape = parse_shape(cursor, type, name.text);
  variable.size = total_bytes(shape, name.line, name.text);
  if (may_initialise && cursor.accept('=')) {
    const std::uint64_t covered = parse_initialiser(context, *type.type, shape, variable);
    if (shape.is_open && variable.size != 0) {
      variable.size = (covered + variable.size - 1) / variable.size * variable.size;
    }
  } else if (shape.is_open) {
    variable.unsized = true;
    variable.size = 0;
  }
  return variable;
}

std::vector<Variable> parse_variables(Context& context, const Linkage& linkage) {
  Cursor& cursor = context.cursor;
  const Token head = cursor.take();
  const Space space = find_space(head.text).value();
  const bool may_initialise = space == Space::global || space == Space::constant;
  const VariableType type = parse_variable_type(context);
  std::vector<Variable> variables;
  do {
    Variable variable = parse_declarator(context, space, type, may_initialise);
    variable.is_external = linkage.is_external;
    variable.is_weak = linkage.is_weak;
    variables.push_back(std::move(variable));
  } while (cursor.accept(','));
  cursor.expect(';', "after the variable", variables.back().name);
  return variables;
}

void add_module_variable(Context& context, Variable variable) {
  const auto index = static_cast<std::uint32_t>(context.module.variables.size());
  const auto [place, is_new] = context.symbols.try_emplace(variable.name, ModuleSymbol{false, index});
  if (is_new) {
    context.module.variables.push_back(std::move(variable));
    return;
  }
  if (place->second.is_function) fail(variable.line, quoted(variable.name) + " is a function and a variable");
  Variable& known = context.module.variables[place->second.index];
  if (!known.is_external && !variable.is_external) {
    fail(variable.line, quoted(variable.name) + " is defined twice, first in line " + std::to_string(known.line));
  }
  const std::uint32_t alignment = std::max(known.alignment, variable.alignment);
  if (known.is_external) known = std::move(variable);
  known.alignment = alignment;
}

}  // namespace emulator::ptx
