// SPDX-License-Identifier: Apache-2.0
// Heads of functions: return values, name, parameters and the directives that follow them.
#include <array>
#include <string>
#include <utility>

#include "ptx/constants.hpp"
#include "ptx/function_parser.hpp"
#include "ptx/variables.hpp"

namespace emulator::ptx {

void parse_function(Context& context, const Linkage& linkage) { FunctionParser(context).parse(linkage); }

void FunctionParser::parse(const Linkage& linkage) {
  parse_head(linkage);
  const std::uint32_t index = announce();
  if (cursor_.at('{')) {
    parse_body();
  } else {
    cursor_.expect(';', "or '{' after the head of", function_.name);
  }
  Function& known = context_.module.functions[index];
  if (!function_.has_body && known.has_body) return;
  known = std::move(function_);
}

void FunctionParser::parse_head(const Linkage& linkage) {
  const Token kind = cursor_.take();
  function_.is_entry = kind.text == ".entry";
  function_.is_external = linkage.is_external;
  while (cursor_.accept_directive(".attribute")) {
    while (!cursor_.at_end() && !cursor_.accept(')')) cursor_.take();
  }
  if (!function_.is_entry && cursor_.at('(')) parse_parameters(function_.returns, function_.return_registers);
  const Token name = cursor_.expect(TokenKind::word, "the name of a function");
  function_.name = name.text;
  function_.line = name.line;
  if (cursor_.at('(')) parse_parameters(function_.parameters, function_.parameter_registers);
  parse_performance_directives();
}

// Makes the name known, so that the body may call its own function. Returns the place in the module.
std::uint32_t FunctionParser::announce() {
  const auto next = static_cast<std::uint32_t>(context_.module.functions.size());
  const auto [place, is_new] = context_.symbols.try_emplace(function_.name, ModuleSymbol{true, next});
  if (!place->second.is_function) fail(function_.line, quoted(function_.name) + " is a variable and a function");
  const bool has_body = cursor_.at('{');
  if (is_new) {
    Function declared;
    declared.name = function_.name;
    context_.module.functions.push_back(std::move(declared));
  } else if (const Function& known = context_.module.functions[place->second.index]; known.has_body && has_body) {
    fail(function_.line, quoted(function_.name) + " is defined twice, first in line " + std::to_string(known.line));
  }
  function_.has_body = has_body;
  return place->second.index;
}

void FunctionParser::parse_parameters(std::vector<std::uint32_t>& variables, std::vector<std::uint32_t>& registers) {
  cursor_.expect('(', "before parameters");
  if (cursor_.accept(')')) return;
  do {
    if (cursor_.token().is_directive(".reg")) {
      parse_register_parameter(variables, registers);
    } else {
      parse_parameter(variables, registers);
    }
  } while (cursor_.accept(','));
  cursor_.expect(')', "after parameters");
}

void FunctionParser::parse_parameter(std::vector<std::uint32_t>& variables, std::vector<std::uint32_t>& registers) {
  if (!cursor_.accept_directive(".param")) cursor_.fail_expected("'.param' or '.reg'");
  const VariableType type = parse_variable_type(context_);
  const Variable variable = parse_declarator(context_, Space::param, type, false);
  const auto id = static_cast<std::uint32_t>(function_.variables.size());
  declare({TokenKind::word, variable.line, variable.name}, {Entity::Kind::variable, id});
  function_.variables.push_back(variable);
  variables.push_back(id);
  registers.push_back(no_register);
}

void FunctionParser::parse_register_parameter(std::vector<std::uint32_t>& variables,
                                              std::vector<std::uint32_t>& registers) {
  cursor_.take();
  const VariableType type = parse_variable_type(context_);
  const Variable variable = parse_declarator(context_, Space::param, type, false);
  if (variable.size != type.type->bytes() || variable.size > 8 || variable.unsized) {
    fail(variable.line, "the register " + quoted(variable.name) + " must have 8 to 64 bits");
  }
  const auto id = static_cast<std::uint32_t>(function_.registers.size());
  declare({TokenKind::word, variable.line, variable.name}, {Entity::Kind::reg, id});
  function_.registers.push_back({variable.name, type.type->bits});
  variables.push_back(static_cast<std::uint32_t>(function_.variables.size()));
  registers.push_back(id);
  function_.variables.push_back(variable);
}

void FunctionParser::parse_extents(std::array<std::uint32_t, 3>& extents) {
  extents = {1, 1, 1};
  std::size_t place = 0;
  do {
    if (place == extents.size()) fail(cursor_.line(), "a block has three dimensions at most");
    extents[place++] = static_cast<std::uint32_t>(parse_count(cursor_, 0xffffffffu, "a number of threads"));
  } while (cursor_.accept(','));
}

void FunctionParser::parse_performance_directives() {
  const auto number = [&] { return static_cast<std::uint32_t>(parse_count(cursor_, 0xffffffffu, "a number")); };
  while (cursor_.token().kind == TokenKind::directive) {
    const std::string_view name = cursor_.token().text;
    if (name == ".pragma") {
      skip_pragma(context_);
      continue;
    }
    const Token token = cursor_.take();
    std::array<std::uint32_t, 3> unused{};
    if (name == ".maxntid") {
      parse_extents(function_.max_threads);
    } else if (name == ".reqntid") {
      parse_extents(function_.required_threads);
    } else if (name == ".minnctapersm") {
      function_.min_blocks = number();
    } else if (name == ".maxnreg") {
      function_.max_registers = number();
    } else if (name == ".reqnctapercluster") {
      parse_extents(unused);
    } else if (name == ".maxnctapersm" || name == ".maxclusterrank" || name == ".abi_preserve" ||
               name == ".abi_preserve_control") {
      number();
    } else if (name != ".noreturn" && name != ".explicitcluster" && name != ".blocksareclusters") {
      fail(token.line, quoted(name) + " is no directive of a function");
    }
  }
}

}  // namespace emulator::ptx
