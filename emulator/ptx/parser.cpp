// SPDX-License-Identifier: Apache-2.0
// The module level: version, target, variables, functions, debug directives.
#include "ptx/parser.hpp"

#include <charconv>
#include <string>
#include <utility>

#include "ptx/constants.hpp"
#include "ptx/context.hpp"
#include "ptx/variables.hpp"

namespace emulator::ptx {

namespace {

constexpr std::uint64_t highest_file = 65535;

std::string_view up_to_nul(std::string_view text) { return text.substr(0, text.find('\0')); }

// .version 9.0
void parse_version(Context& context) {
  Cursor& cursor = context.cursor;
  if (!cursor.accept_directive(".version")) cursor.fail_expected("'.version' at the beginning");
  const Token token = cursor.expect(TokenKind::real, "a version such as 8.0");
  const char* const end = token.text.data() + token.text.size();
  unsigned major = 0;
  unsigned minor = 0;
  const auto [dot, error] = std::from_chars(token.text.data(), end, major);
  if (error != std::errc() || dot == end || *dot != '.') fail(token.line, describe(token) + " is no version");
  const auto [rest, minor_error] = std::from_chars(dot + 1, end, minor);
  if (minor_error != std::errc() || rest != end || major > 1000 || minor > 9) {
    fail(token.line, describe(token) + " is no version");
  }
  context.module.version = major * 10 + minor;
  context.module.version_line = token.line;
}

// .target sm_80, texmode_independent
void parse_target(Context& context) {
  Cursor& cursor = context.cursor;
  Module& module = context.module;
  if (!cursor.accept_directive(".target")) cursor.fail_expected("'.target' after .version");
  const Token token = cursor.expect(TokenKind::word, "a target such as sm_80");
  const std::string_view digits = token.text.substr(token.text.find('_') + 1);
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), module.target_capability);
  const std::string_view suffix(rest, static_cast<std::size_t>(digits.data() + digits.size() - rest));
  if (!token.text.starts_with("sm_") || error != std::errc() || (!suffix.empty() && suffix != "a" && suffix != "f")) {
    fail(token.line, "expected a target such as sm_80, found " + describe(token));
  }
  module.target = token.text;
  module.target_is_specific = !suffix.empty();
  module.target_line = token.line;
  while (cursor.accept(',')) cursor.expect(TokenKind::word, "an option of .target");
}

void parse_address_size(Context& context) {
  Cursor& cursor = context.cursor;
  const Token token = cursor.expect(TokenKind::integer, "32 or 64");
  if (integer_value(token) != 64) fail(token.line, "the emulated device has 64-bit addresses only");
}

Linkage parse_linkage(Cursor& cursor) {
  Linkage linkage;
  while (true) {
    if (cursor.accept_directive(".extern")) {
      linkage.is_external = true;
    } else if (cursor.accept_directive(".weak") || cursor.accept_directive(".common")) {
      linkage.is_weak = true;
    } else if (!cursor.accept_directive(".visible")) {
      return linkage;
    }
  }
}

void parse_declaration(Context& context) {
  Cursor& cursor = context.cursor;
  const Linkage linkage = parse_linkage(cursor);
  const Token token = cursor.token();
  if (token.kind == TokenKind::directive) {
    if (token.text == ".entry" || token.text == ".func") return parse_function(context, linkage);
    const auto space = find_space(token.text);
    if (space && *space != Space::local && *space != Space::param) {
      for (Variable& variable : parse_variables(context, linkage)) add_module_variable(context, std::move(variable));
      return;
    }
    if (token.text == ".alias") fail(token.line, "the emulated device does not support .alias");
    if (space || token.text == ".reg") fail(token.line, quoted(token.text) + " must stand in a function");
  }
  cursor.fail_expected("a variable or a function");
}

void parse_module_item(Context& context) {
  Cursor& cursor = context.cursor;
  const Token& token = cursor.token();
  if (cursor.accept(';')) return;
  if (cursor.accept_directive(".address_size")) return parse_address_size(context);
  if (token.is_directive(".file")) return parse_file(context);
  if (token.is_directive(".section")) return skip_section(context);
  if (token.is_directive(".pragma")) return skip_pragma(context);
  parse_declaration(context);
}

}  // namespace

Context::Context(std::string_view text)
    : cursor(text), data_left((std::uint64_t{64} << 20) + std::uint64_t{16} * text.size()) {}

void parse_file(Context& context) {
  Cursor& cursor = context.cursor;
  cursor.take();
  const std::uint64_t number = parse_count(cursor, highest_file, "the number of a .file");
  const Token name = cursor.expect(TokenKind::string, "the name of a file");
  while (cursor.accept(',')) parse_count(cursor, ~std::uint64_t{0} >> 1, "the time or size of a .file");
  auto& files = context.module.files;
  if (files.size() <= number) files.resize(number + 1);
  files[number] = name.text;
}

void skip_section(Context& context) {
  Cursor& cursor = context.cursor;
  const std::uint32_t line = cursor.line();
  while (!cursor.at('{')) {
    if (cursor.at_end()) cursor.fail_expected("'{' after .section");
    cursor.take();
  }
  for (std::uint64_t depth = 0;;) {
    const Token token = cursor.take();
    if (token.kind == TokenKind::end) fail(line, "a section begins here and has no '}'");
    if (token.is('{')) ++depth;
    if (token.is('}') && --depth == 0) return;
  }
}

void skip_pragma(Context& context) {
  Cursor& cursor = context.cursor;
  cursor.take();
  do {
    cursor.expect(TokenKind::string, "the text of a .pragma");
  } while (cursor.accept(','));
  cursor.expect(';', "after a .pragma");
}

Module parse(std::string_view text) {
  Context context(up_to_nul(text));
  parse_version(context);
  parse_target(context);
  while (!context.cursor.at_end()) parse_module_item(context);
  if (context.module.files.empty()) context.module.files.emplace_back();
  return std::move(context.module);
}

}  // namespace emulator::ptx
