// SPDX-License-Identifier: Apache-2.0
// Literals of PTX and constant expressions by precedence climbing.
#include "ptx/constants.hpp"

#include <bit>
#include <charconv>
#include <limits>
#include <string>
#include <system_error>

namespace emulator::ptx {

namespace {

constexpr unsigned deepest = 200;  // brackets and signs in one another

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

Constant integer(std::uint64_t bits, bool is_unsigned) { return {Constant::Kind::integer, is_unsigned, bits}; }

Constant integer_literal(const Token& token) {
  std::string_view digits = token.text;
  bool is_unsigned = false;
  if (digits.back() == 'U' || digits.back() == 'u') {
    is_unsigned = true;
    digits.remove_suffix(1);
  }
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const char second = digits[1];
    base = second == 'x' || second == 'X' ? 16 : second == 'b' || second == 'B' ? 2 : 8;
    digits.remove_prefix(base == 8 ? 1 : 2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error == std::errc::result_out_of_range) fail(token.line, quoted(token.text) + " does not fit in 64 bits");
  if (error != std::errc() || end != digits.data() + digits.size()) {
    fail(token.line, quoted(token.text) + " is not a number");
  }
  return integer(value, is_unsigned || value >= sign_bit);
}

Constant real_literal(const Token& token) {
  const std::string_view text = token.text;
  const char second = text.size() > 1 ? text[1] : '\0';
  const bool single = second == 'f' || second == 'F';
  if (single || second == 'd' || second == 'D') {
    std::uint64_t bits = 0;
    const std::size_t wanted = single ? 8 : 16;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
    if (text.size() != wanted + 2 || error != std::errc() || end != text.data() + text.size()) {
      fail(token.line, quoted(text) + " needs exactly " + std::to_string(wanted) + " hexadecimal digits");
    }
    return {single ? Constant::Kind::real32 : Constant::Kind::real64, false, bits};
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) fail(token.line, quoted(text) + " is not a number");
  return {Constant::Kind::real64, false, std::bit_cast<std::uint64_t>(value)};
}

std::int64_t as_signed(const Constant& value) { return static_cast<std::int64_t>(value.bits); }

double as_double(const Constant& value) {
  switch (value.kind) {
    case Constant::Kind::real32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits)));
    case Constant::Kind::real64: return std::bit_cast<double>(value.bits);
    case Constant::Kind::integer: break;
  }
  return value.is_unsigned ? static_cast<double>(value.bits) : static_cast<double>(as_signed(value));
}

/// The binary operators by precedence; longer spellings before their beginnings.
struct Operator {
  std::string_view spelling;
  unsigned precedence;
};

constexpr Operator operators[] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"|", 3},
    {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

class Expressions {
 public:
  explicit Expressions(Cursor& cursor) : cursor_(cursor) {}

  Constant conditional() {
    const Constant condition = binary(1);
    if (!cursor_.accept('?')) return condition;
    const Nesting nesting(*this);
    const Constant first = conditional();
    cursor_.expect(':', "in a conditional expression");
    const Constant second = conditional();
    return truth(condition) ? first : second;
  }

  Constant unary() {
    const Nesting nesting(*this);
    const Token token = cursor_.token();
    if (cursor_.accept('+')) return unary();
    if (cursor_.accept('-')) return negated(unary());
    if (cursor_.accept('~')) {
      const Constant value = whole(unary(), token);
      return integer(~value.bits, value.is_unsigned);
    }
    if (cursor_.accept('!')) return integer(truth(unary()) ? 0 : 1, false);
    if (cursor_.accept('(')) return bracketed();
    return literal();
  }

 private:
  // Counts what the parser's own stack holds.
  class Nesting {
   public:
    explicit Nesting(Expressions& owner) : owner_(owner) {
      if (++owner_.depth_ > deepest) fail(owner_.cursor_.line(), "a constant expression is nested too deeply");
    }
    ~Nesting() { --owner_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Expressions& owner_;
  };

  Constant literal() {
    const Token token = cursor_.token();
    if (token.kind == TokenKind::integer) return integer_literal(cursor_.take());
    if (token.kind == TokenKind::real) return real_literal(cursor_.take());
    if (token.kind == TokenKind::word && token.text == "WARP_SZ") {
      cursor_.take();
      return integer(32, false);
    }
    cursor_.fail_expected("a constant");
  }

  Constant bracketed() {
    const Token token = cursor_.token();
    const bool to_signed = token.is_directive(".s64");
    if (to_signed || token.is_directive(".u64")) {
      cursor_.take();
      cursor_.expect(')', "after the type of a cast");
      return integer(whole(unary(), token).bits, !to_signed);
    }
    const Constant value = conditional();
    cursor_.expect(')', "after a constant expression");
    return value;
  }

  // The operator that stands here, or null. Its characters are not taken.
  const Operator* operator_here() {
    if (cursor_.token().kind != TokenKind::symbol) return nullptr;
    // What follows most constants: not worth a look ahead.
    if (cursor_.at(',') || cursor_.at(';') || cursor_.at(']') || cursor_.at('}') || cursor_.at(')')) return nullptr;
    Cursor ahead = cursor_;
    const std::string_view first = ahead.take().text;
    const std::string_view second = ahead.token().text;
    for (const Operator& each : operators) {
      if (each.spelling.front() != first.front()) continue;
      const bool joined = !second.empty() && ahead.token().kind == TokenKind::symbol &&
                          second.data() == first.data() + 1 && second.front() == each.spelling.back();
      if (each.spelling.size() == 1 || joined) return &each;
    }
    return nullptr;
  }

  Constant binary(unsigned lowest) {
    const Nesting nesting(*this);
    Constant left = unary();
    while (true) {
      const Operator* found = operator_here();
      if (found == nullptr || found->precedence < lowest) return left;
      const Token token = cursor_.token();
      for (std::size_t each = 0; each < found->spelling.size(); ++each) cursor_.take();
      const Constant right = binary(found->precedence + 1);
      left = combined(left, found->spelling, right, token);
    }
  }

  static bool truth(const Constant& value) {
    return value.kind == Constant::Kind::integer ? value.bits != 0 : as_double(value) != 0;
  }

  static Constant negated(Constant value) {
    switch (value.kind) {
      case Constant::Kind::real32: value.bits ^= 0x80000000u; break;
      case Constant::Kind::real64: value.bits ^= sign_bit; break;
      case Constant::Kind::integer: value.bits = 0 - value.bits; break;
    }
    return value;
  }

  static Constant whole(const Constant& value, const Token& token) {
    if (value.kind != Constant::Kind::integer) fail(token.line, describe(token) + " takes integers only");
    return value;
  }

  static Constant combined(const Constant& left, std::string_view spelling, const Constant& right, const Token& token) {
    if (spelling == "&&") return integer(truth(left) && truth(right) ? 1 : 0, false);
    if (spelling == "||") return integer(truth(left) || truth(right) ? 1 : 0, false);
    const bool is_whole = left.kind == Constant::Kind::integer;
    if (is_whole != (right.kind == Constant::Kind::integer)) {
      fail(token.line, "a constant expression mixes integers and floating-point numbers");
    }
    if (!is_whole) {
      return combined_reals(as_double(left), spelling, as_double(right), token);
    }
    const bool is_unsigned = left.is_unsigned || right.is_unsigned;
    switch (spelling.front()) {
      case '+': return integer(left.bits + right.bits, is_unsigned);
      case '*': return integer(left.bits * right.bits, is_unsigned);
      case '-': return integer(left.bits - right.bits, is_unsigned);
      case '/':
      case '%': return quotient(left, spelling.front(), right, token);
      case '|': return integer(left.bits | right.bits, is_unsigned);
      case '^': return integer(left.bits ^ right.bits, is_unsigned);
      case '&': return integer(left.bits & right.bits, is_unsigned);
      default: break;
    }
    if (spelling == "<<" || spelling == ">>") return shifted(left, spelling.front() == '<', right);
    const bool less = is_unsigned ? left.bits < right.bits : as_signed(left) < as_signed(right);
    return compared(less, left.bits == right.bits, spelling);
  }

  static Constant compared(bool less, bool equal, std::string_view spelling) {
    bool holds = less;
    if (spelling == "==") holds = equal;
    if (spelling == "!=") holds = !equal;
    if (spelling == "<=") holds = less || equal;
    if (spelling == ">=") holds = !less;
    if (spelling == ">") holds = !less && !equal;
    return integer(holds ? 1 : 0, false);
  }

  static Constant shifted(const Constant& value, bool to_left, const Constant& amount) {
    const bool all_out = amount.bits > 63;
    if (to_left) return integer(all_out ? 0 : value.bits << amount.bits, value.is_unsigned);
    if (value.is_unsigned) return integer(all_out ? 0 : value.bits >> amount.bits, true);
    return integer(static_cast<std::uint64_t>(as_signed(value) >> (all_out ? 63 : amount.bits)), false);
  }

  static Constant quotient(const Constant& left, char sign, const Constant& right, const Token& token) {
    if (right.bits == 0) fail(token.line, "a constant expression divides by zero");
    if (left.is_unsigned || right.is_unsigned) {
      return integer(sign == '/' ? left.bits / right.bits : left.bits % right.bits, true);
    }
    if (as_signed(right) == -1) return integer(sign == '/' ? 0 - left.bits : 0, false);
    const std::int64_t value = sign == '/' ? as_signed(left) / as_signed(right) : as_signed(left) % as_signed(right);
    return integer(static_cast<std::uint64_t>(value), false);
  }

  static Constant combined_reals(double left, std::string_view spelling, double right, const Token& token) {
    double value = 0;
    switch (spelling.front()) {
      case '+': value = left + right; break;
      case '-': value = left - right; break;
      case '*': value = left * right; break;
      case '/': value = left / right; break;
      default:
        if (spelling == "<<" || spelling == ">>" || spelling == "%" || spelling == "|" || spelling == "&" ||
            spelling == "^") {
          fail(token.line, quoted(spelling) + " takes integers only");
        }
        if (left != left || right != right) return integer(spelling == "!=" ? 1 : 0, false);
        return compared(left < right, left == right, spelling);
    }
    return {Constant::Kind::real64, false, std::bit_cast<std::uint64_t>(value)};
  }

  Cursor& cursor_;
  unsigned depth_ = 0;
};

}  // namespace

bool begins_constant(const Token& token) {
  switch (token.kind) {
    case TokenKind::integer:
    case TokenKind::real: return true;
    case TokenKind::word: return token.text == "WARP_SZ";
    case TokenKind::symbol: return token.is('(') || token.is('-') || token.is('+') || token.is('~') || token.is('!');
    default: return false;
  }
}

Constant parse_constant(Cursor& cursor) { return Expressions(cursor).conditional(); }

Constant parse_unary_constant(Cursor& cursor) { return Expressions(cursor).unary(); }

std::uint64_t integer_value(const Token& token) { return integer_literal(token).bits; }

std::uint64_t parse_count(Cursor& cursor, std::uint64_t highest, std::string_view what) {
  const std::uint32_t line = cursor.line();
  if (!begins_constant(cursor.token())) cursor.fail_expected(what);
  const Constant value = parse_constant(cursor);
  const bool below = !value.is_unsigned && as_signed(value) < 0;
  if (value.kind != Constant::Kind::integer || below || value.bits > highest) {
    fail(line, std::string(what) + " must be an integer from 0 to " + std::to_string(highest));
  }
  return value.bits;
}

}  // namespace emulator::ptx
