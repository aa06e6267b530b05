// SPDX-License-Identifier: Apache-2.0
// Initialisers: numbers, nested braces and addresses that are known only after layout.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "ptx/constants.hpp"
#include "ptx/variables.hpp"

namespace emulator::ptx {

namespace {

[[noreturn]] void mismatch(const Type& type, std::uint32_t line, std::string_view found) {
  fail(line, std::string(found) + " cannot initialise " + std::string(type.name));
}

// The bits of a constant as a value of the type. Reals narrow to 32 bits; wide variables hold short reals as they are.
std::uint64_t bits_of(const Constant& value, const Type& type, std::uint32_t line) {
  const bool takes_bits = type.numbers == Type::Numbers::bits;
  if (value.kind == Constant::Kind::integer) {
    if (!takes_bits && type.numbers != Type::Numbers::integers) mismatch(type, line, "an integer");
    return value.bits;
  }
  const bool takes_reals = type.numbers == Type::Numbers::reals || takes_bits;
  if (!takes_reals || (type.bits != 32 && type.bits != 64)) mismatch(type, line, "a floating-point number");
  if (type.bits == 32 && value.kind == Constant::Kind::real64) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)));
  }
  return value.bits;
}

class Initialiser {
 public:
  Initialiser(Context& context, const Type& type, const Shape& shape, Variable& variable)
      : context_(context), cursor_(context.cursor), type_(type), shape_(shape), variable_(variable) {
    strides_.assign(shape.sizes.size() + 1, shape.item_bytes);
    for (std::size_t level = shape.sizes.size(); level-- > 0;) {
      const bool open = level == 0 && shape.is_open;
      strides_[level] = open ? largest_variable : strides_[level + 1] * shape.sizes[level];
    }
  }

  // The whole value; returns the bytes covered.
  std::uint64_t parse() {
    if (!shape_.sizes.empty()) return list(0, 0);
    item(0);
    return shape_.item_bytes;
  }

 private:
  // A braced list that fills dimension `level` from byte `begin` on; returns the byte behind its last value.
  std::uint64_t list(std::size_t level, std::uint64_t begin) {
    cursor_.expect('{', "before the values of", variable_.name);
    const bool is_innermost = level + 1 == shape_.sizes.size();
    std::uint64_t place = begin;
    if (!cursor_.at('}')) {
      do {
        check(place, begin, level);
        if (is_innermost) {
          item(place);
        } else {
          list(level + 1, place);
        }
        place += strides_[level + 1];
      } while (cursor_.accept(','));
    }
    cursor_.expect('}', "after the values of", variable_.name);
    return place;
  }

  void check(std::uint64_t place, std::uint64_t begin, std::size_t level) const {
    if (place - begin >= strides_[level]) fail(cursor_.line(), quoted(variable_.name) + " has too many values");
  }

  // Space for one number at `place`. Text that skips over large inner arrays must not cost memory.
  std::byte* room(std::uint64_t place, std::uint64_t bytes) {
    const std::uint64_t needed = place + bytes;
    if (needed > variable_.data.size()) {
      const std::uint64_t more = needed - variable_.data.size();
      if (more > context_.data_left) fail(cursor_.line(), quoted(variable_.name) + " has too much initialised data");
      context_.data_left -= more;
      variable_.data.resize(needed);
    }
    return variable_.data.data() + place;
  }

  void item(std::uint64_t place) {
    const std::uint32_t line = cursor_.line();
    if (cursor_.token().kind == TokenKind::word && !begins_constant(cursor_.token())) {
      if ((type_.numbers != Type::Numbers::bits && type_.numbers != Type::Numbers::integers) ||
          (type_.bits != 32 && type_.bits != 64)) {
        mismatch(type_, line, "an address");
      }
      address(place, 0);
      return;
    }
    if (!begins_constant(cursor_.token())) cursor_.fail_expected("a value of " + quoted(variable_.name));
    const Constant value = parse_value();
    if (cursor_.at('(')) {
      masked_address(place, value, line);
      return;
    }
    const std::uint64_t bits = bits_of(value, type_, line);
    std::byte* bytes = room(place, shape_.item_bytes);
    std::memcpy(bytes, &bits, shape_.item_bytes < 8 ? shape_.item_bytes : 8);
    if (shape_.item_bytes > 8 && !value.is_unsigned && static_cast<std::int64_t>(bits) < 0) {
      std::memset(bytes + 8, 0xff, shape_.item_bytes - 8);
    }
  }

  // 0xFF00(symbol): a mask is a literal, and what is in brackets is no operand of it.
  Constant parse_value() {
    if (cursor_.token().kind == TokenKind::integer) {
      Cursor ahead = cursor_;
      ahead.take();
      if (ahead.at('(')) return parse_unary_constant(cursor_);
    }
    return parse_constant(cursor_);
  }

  // 0xFF00(symbol): bits 8 to 15 of an address.
  void masked_address(std::uint64_t place, const Constant& mask, std::uint32_t line) {
    const int shift = mask.bits == 0 ? 0 : std::countr_zero(mask.bits);
    if (type_.bits != 8 || mask.bits >> shift != 0xff || shift % 8 != 0) {
      fail(line, "the mask of an address must be one byte of ones, and its variable of 8 bits");
    }
    cursor_.expect('(', "after the mask of an address");
    address(place, static_cast<std::uint8_t>(shift));
    cursor_.expect(')', "after a masked address");
  }

  // symbol+4 or generic(symbol)+4
  void address(std::uint64_t place, std::uint8_t shift) {
    Relocation relocation;
    relocation.offset = place;
    relocation.size = static_cast<std::uint8_t>(shape_.item_bytes);
    relocation.shift = shift;
    Token name = cursor_.expect(TokenKind::word, "the name of a variable or a function");
    if (name.text == "generic" && cursor_.accept('(')) {
      relocation.generic = true;
      name = cursor_.expect(TokenKind::word, "the name of a variable or a function");
      cursor_.expect(')', "after generic(", name.text);
    }
    if (!context_.symbols.contains(name.text)) fail(name.line, quoted(name.text) + " is not declared");
    relocation.symbol = name.text;
    relocation.addend = addend();
    room(place, shape_.item_bytes);
    variable_.relocations.push_back(relocation);
  }

  std::int64_t addend() {
    if (!cursor_.at('+') && !cursor_.at('-')) return 0;
    const std::uint32_t line = cursor_.line();
    const Constant value = parse_constant(cursor_);
    if (value.kind != Constant::Kind::integer) fail(line, "an address takes integers only");
    return static_cast<std::int64_t>(value.bits);
  }

  Context& context_;
  Cursor& cursor_;
  const Type& type_;
  const Shape& shape_;
  Variable& variable_;
  std::vector<std::uint64_t> strides_;  ///< bytes of a value of level i; behind the last: of a number
};

}  // namespace

std::uint64_t parse_initialiser(Context& context, const Type& type, const Shape& shape, Variable& variable) {
  return Initialiser(context, type, shape, variable).parse();
}

}  // namespace emulator::ptx
