// SPDX-License-Identifier: Apache-2.0
// Bodies of functions: scopes, declarations, labels and what they name.
#include <string>
#include <utility>

#include "ptx/constants.hpp"
#include "ptx/function_parser.hpp"
#include "ptx/variables.hpp"

namespace emulator::ptx {

namespace {

constexpr std::uint32_t deepest_scope = 128;  // a name is looked for in each scope around it
constexpr std::uint64_t most_registers = 1000000;

}  // namespace

void FunctionParser::declare(const Token& name, Entity entity) {
  if (!scopes_.declare(name.text, entity)) {
    fail(name.line, quoted(name.text) + " is declared twice in " + quoted(function_.name));
  }
}

void FunctionParser::parse_body() {
  cursor_.expect('{', "before the body of", function_.name);
  for (depth_ = 1; depth_ > 0;) parse_statement();
  finish_late_names();
}

void FunctionParser::parse_statement() {
  const Token& token = cursor_.token();
  switch (token.kind) {
    case TokenKind::directive: parse_body_directive(); return;
    case TokenKind::word: {
      const Token name = cursor_.take();
      if (cursor_.accept(':')) {
        parse_label(name);
      } else {
        parse_instruction(name);
      }
      return;
    }
    case TokenKind::symbol:
      if (token.is('@')) return parse_guarded_instruction();
      if (cursor_.accept(';')) return;
      if (cursor_.accept('{')) {
        if (++depth_ > deepest_scope) fail(token.line, "braces are nested too deeply");
        return scopes_.enter();
      }
      if (cursor_.accept('}')) {
        if (--depth_ > 0) scopes_.leave();
        return;
      }
      break;
    default: break;
  }
  cursor_.fail_expected("an instruction of " + quoted(function_.name));
}

void FunctionParser::parse_body_directive() {
  const Token token = cursor_.token();
  if (token.text == ".reg") return parse_registers();
  if (token.text == ".loc") return parse_location();
  if (token.text == ".pragma") return skip_pragma(context_);
  if (token.text == ".file") return parse_file(context_);
  if (token.text == ".section") return skip_section(context_);
  if (find_space(token.text)) return declare_variables({});
  Linkage linkage;
  while (cursor_.token().kind == TokenKind::directive) {
    const std::string_view name = cursor_.token().text;
    if (name == ".extern") {
      linkage.is_external = true;
    } else if (name == ".weak" || name == ".common") {
      linkage.is_weak = true;
    } else if (name != ".visible") {
      break;
    }
    cursor_.take();
  }
  if (cursor_.token().kind == TokenKind::directive && find_space(cursor_.token().text)) {
    return declare_variables(linkage);
  }
  fail(token.line, quoted(token.text) + " has no place in the body of a function");
}

void FunctionParser::declare_variables(const Linkage& linkage) {
  for (Variable& variable : parse_variables(context_, linkage)) {
    // Static variables live as long as the module: their names must be unique in it.
    if (variable.space == Space::global || variable.space == Space::constant) {
      add_module_variable(context_, std::move(variable));
      continue;
    }
    const auto id = static_cast<std::uint32_t>(function_.variables.size());
    declare({TokenKind::word, variable.line, variable.name}, {Entity::Kind::variable, id});
    function_.variables.push_back(std::move(variable));
  }
}

void FunctionParser::parse_registers() {
  cursor_.take();
  const Token type_name = cursor_.expect(TokenKind::directive, "the type of a register");
  const Type* type = find_type(type_name.text);
  if (type_name.text == ".v2" || type_name.text == ".v4") {
    fail(type_name.line, "the emulated device has no vector registers");
  }
  if (type == nullptr) fail(type_name.line, "expected the type of a register, found " + describe(type_name));
  if (type->bits > 64) fail(type_name.line, "the emulated device has no registers of type " + quoted(type->name));
  do {
    const Token name = cursor_.expect(TokenKind::word, "the name of a register");
    if (cursor_.accept('<')) {
      // An expression would take the closing bracket for a comparison.
      const Token digits = cursor_.expect(TokenKind::integer, "the number of registers");
      const std::uint64_t count = integer_value(digits);
      if (count > most_registers) {
        fail(digits.line, quoted(name.text) + " has more than " + std::to_string(most_registers) + " registers");
      }
      cursor_.expect('>', "after the number of registers");
      if (!scopes_.declare_range(name.text, static_cast<std::uint32_t>(count), type->bits)) {
        fail(name.line, quoted(name.text) + " is declared twice in " + quoted(function_.name));
      }
    } else {
      declare(name, {Entity::Kind::reg, static_cast<std::uint32_t>(function_.registers.size())});
      function_.registers.push_back({name.text, type->bits});
    }
  } while (cursor_.accept(','));
  cursor_.expect(';', "after the registers of type", type->name);
}

// .loc file line column[, function_name label[+n], inlined_at file line column]
void FunctionParser::parse_location() {
  cursor_.take();
  const auto number = [&] {
    const Token token = cursor_.expect(TokenKind::integer, "a number of .loc");
    const std::uint64_t value = integer_value(token);
    if (value > 0xffffffffu) fail(token.line, "a number of .loc is too large");
    return static_cast<std::uint32_t>(value);
  };
  source_file_ = number();
  source_line_ = number();
  number();
  while (cursor_.accept(',')) {
    const Token key = cursor_.expect(TokenKind::word, "'function_name' or 'inlined_at'");
    if (key.text == "function_name") {
      cursor_.expect(TokenKind::word, "the label of a function's name");
      if (cursor_.accept('+')) number();
    } else if (key.text == "inlined_at") {
      for (int each = 0; each < 3; ++each) number();
    } else {
      fail(key.line, "expected 'function_name' or 'inlined_at', found " + describe(key));
    }
  }
}

void FunctionParser::parse_label(const Token& name) {
  if (cursor_.token().is_directive(".branchtargets")) return parse_branch_targets(name);
  if (cursor_.token().is_directive(".calltargets")) return parse_call_targets(name);
  if (cursor_.token().is_directive(".callprototype")) return parse_prototype(name);
  declare(name, {Entity::Kind::label, static_cast<std::uint32_t>(function_.labels.size())});
  function_.labels.push_back({name.text, static_cast<std::uint32_t>(function_.instructions.size())});
}

// The labels may follow further below: the table keeps places in late_names_ until the function ends.
void FunctionParser::parse_branch_targets(const Token& name) {
  cursor_.take();
  declare(name, {Entity::Kind::table, static_cast<std::uint32_t>(function_.branch_tables.size())});
  BranchTable table;
  table.name = name.text;
  do {
    const Token label = cursor_.expect(TokenKind::word, "a label");
    table.labels.push_back(static_cast<std::uint32_t>(late_names_.size()));
    late_names_.push_back({label.text, scopes_.current(), label.line, no_instruction, true});
  } while (cursor_.accept(','));
  cursor_.expect(';', "after the labels of", name.text);
  function_.branch_tables.push_back(std::move(table));
}

// The functions share one prototype: that of the first.
void FunctionParser::parse_call_targets(const Token& name) {
  cursor_.take();
  Prototype prototype;
  prototype.name = name.text;
  bool is_first = true;
  do {
    const Token target = cursor_.expect(TokenKind::word, "the name of a function");
    const auto found = context_.symbols.find(target.text);
    if (found == context_.symbols.end() || !found->second.is_function) {
      fail(target.line, quoted(target.text) + " is not declared as a function");
    }
    const Function& function = context_.module.functions[found->second.index];
    if (std::exchange(is_first, false)) {
      const Function& head = function.name == function_.name ? function_ : function;
      for (const std::uint32_t id : head.parameters) prototype.parameters.push_back(head.variables[id]);
      for (const std::uint32_t id : head.returns) prototype.returns.push_back(head.variables[id]);
    }
  } while (cursor_.accept(','));
  cursor_.expect(';', "after the functions of", name.text);
  declare(name, {Entity::Kind::prototype, static_cast<std::uint32_t>(function_.prototypes.size())});
  function_.prototypes.push_back(std::move(prototype));
}

// prototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _);
void FunctionParser::parse_prototype(const Token& name) {
  cursor_.take();
  Prototype prototype;
  prototype.name = name.text;
  if (cursor_.at('(')) parse_prototype_parameters(prototype.returns);
  cursor_.expect(TokenKind::word, "'_' in a call prototype");
  if (cursor_.at('(')) parse_prototype_parameters(prototype.parameters);
  while (cursor_.token().kind == TokenKind::directive) {
    const Token token = cursor_.take();
    if (token.text == ".abi_preserve" || token.text == ".abi_preserve_control") {
      parse_count(cursor_, 0xffffffffu, "a number of registers");
    } else if (token.text != ".noreturn") {
      fail(token.line, quoted(token.text) + " is no directive of a call prototype");
    }
  }
  cursor_.expect(';', "after the call prototype", name.text);
  declare(name, {Entity::Kind::prototype, static_cast<std::uint32_t>(function_.prototypes.size())});
  function_.prototypes.push_back(std::move(prototype));
}

void FunctionParser::parse_prototype_parameters(std::vector<Variable>& variables) {
  cursor_.expect('(', "before parameters");
  if (cursor_.accept(')')) return;
  do {
    if (!cursor_.accept_directive(".reg") && !cursor_.accept_directive(".param")) {
      cursor_.fail_expected("'.param' or '.reg'");
    }
    const VariableType type = parse_variable_type(context_);
    variables.push_back(parse_declarator(context_, Space::param, type, false));
  } while (cursor_.accept(','));
  cursor_.expect(')', "after parameters");
}

}  // namespace emulator::ptx
