// SPDX-License-Identifier: Apache-2.0
// Constant expressions: literals and the operators of C over them.
#pragma once

#include <cstdint>

#include "ptx/lexer.hpp"

namespace emulator::ptx {

/// The value of a constant expression. Integers have 64 bits, real32 32 bits of an IEEE number, real64 64 bits of one.
struct Constant {
  enum class Kind : std::uint8_t { integer, real32, real64 };
  Kind kind = Kind::integer;
  bool is_unsigned = false;  ///< integers: decides shifts, divisions and comparisons
  std::uint64_t bits = 0;
};

/// Whether a constant expression may begin with the token.
bool begins_constant(const Token& token);

/// Parses an expression with all operators.
Constant parse_constant(Cursor& cursor);

/// Parses a literal with its signs, without binary operators: what stands before or behind an operand's own + and -.
Constant parse_unary_constant(Cursor& cursor);

/// The value of an integer literal.
std::uint64_t integer_value(const Token& token);

/// Parses an integer constant from 0 to `highest`; `what` names it in messages.
std::uint64_t parse_count(Cursor& cursor, std::uint64_t highest, std::string_view what);

}  // namespace emulator::ptx
