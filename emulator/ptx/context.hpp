// SPDX-License-Identifier: Apache-2.0
// What the parts of the parser share while they read one module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "ptx/lexer.hpp"
#include "ptx/syntax.hpp"

namespace emulator::ptx {

/// A variable or a function of the module, by index.
struct ModuleSymbol {
  bool is_function = false;
  std::uint32_t index = 0;
};

/// .extern, .visible, .weak and .common before a declaration.
struct Linkage {
  bool is_external = false;
  bool is_weak = false;
};

/// One parse.
struct Context {
  explicit Context(std::string_view text);

  Cursor cursor;
  Module module;
  std::unordered_map<std::string_view, ModuleSymbol> symbols;
  std::uint64_t data_left = 0;  ///< bytes of initialised data that the text may still ask for
};

/// Adds a variable of the module, or merges it with its declaration. Fails where both define it.
void add_module_variable(Context& context, Variable variable);

/// Parses from `.entry` or `.func`, the current token, to the end of the function.
void parse_function(Context& context, const Linkage& linkage);

/// Parses `.file number "name"...`, the current token.
void parse_file(Context& context);

/// Skips `.section name { ... }`, the current token.
void skip_section(Context& context);

/// Skips `.pragma "...";`, the current token.
void skip_pragma(Context& context);

}  // namespace emulator::ptx
