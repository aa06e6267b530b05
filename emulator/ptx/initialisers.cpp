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

// The bits that a constant has as a number of the type.
std::uint64_t bits_of(const Constant& value, const Type& type, std::uint32_t line) {
  const bool is_real = type.numbers == Type::Numbers::reals;
  switch (value.kind) {
    case Constant::Kind::integer:
      if (!is_real) return value.bits;
      {
        const double number = value.is_unsigned ? static_cast<double>(value.bits)
                                                : static_cast<double>(static_cast<std::int64_t>(value.bits));
        if (type.bits == 64) return std::bit_cast<std::uint64_t>(number);
        return std::bit_cast<std::uint32_t>(static_cast<float>(number));
      }
    case Constant::Kind::real32:
      if (type.bits == 64 && is_real) {
        return std::bit_cast<std::uint64_t>(
            static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))));
      }
      break;
    case Constant::Kind::real64:
      if (type.bits == 32 && is_real) {
        return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)));
      }
      break;
  }
  const unsigned width = value.kind == Constant::Kind::real32 ? 32 : 64;
  if (type.numbers == Type::Numbers::integers || type.bits != width) {
    fail(line,
         "a floating-point number of " + std::to_string(width) + " bits cannot initialise " + std::string(type.name));
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
    if (!cursor_.at('{')) {
      if (shape_.is_open || shape_.sizes.size() > 0) cursor_.fail_expected("'{' before the values of an array");
      item(0);
      return shape_.item_bytes;
    }
    if (shape_.sizes.empty()) {
      cursor_.take();
      item(0);
      cursor_.expect('}', "after the value of", variable_.name);
      return shape_.item_bytes;
    }
    return list(0, 0);
  }

 private:
  // A braced list that fills dimension `level` from byte `begin` on; returns the byte behind its last value.
  std::uint64_t list(std::size_t level, std::uint64_t begin) {
    cursor_.expect('{', "before a list of values");
    const std::uint64_t step = std::max<std::uint64_t>(strides_[level + 1], 1);
    std::uint64_t place = begin;
    while (!cursor_.at('}')) {
      if (cursor_.at('{') && level + 1 < shape_.sizes.size()) {
        check(place, begin, level);
        place = begin + (place - begin + step - 1) / step * step;
        check(place, begin, level);
        list(level + 1, place);
        place += step;
      } else {
        check(place, begin, level);
        item(place);
        place += shape_.item_bytes;
      }
      if (!cursor_.accept(',')) break;
    }
    cursor_.expect('}', "after the values of", variable_.name);
    return place;
  }

  void check(std::uint64_t place, std::uint64_t begin, std::size_t level) const {
    if (place - begin >= strides_[level]) fail(cursor_.line(), quoted(variable_.name) + " has too many values");
  }

  // Space for one number at `place`. Text that skips over large inner arrays must not cost more memory than it is worth.
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
    if (is_symbolic()) {
      address(place, 0, type_.bits);
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

  // Whether an address stands here, perhaps in brackets.
  [[nodiscard]] bool is_symbolic() const {
    if (cursor_.token().kind == TokenKind::word) return !begins_constant(cursor_.token());
    if (!cursor_.at('(')) return false;
    Cursor ahead = cursor_;
    while (ahead.accept('(')) continue;
    return ahead.token().kind == TokenKind::word && !begins_constant(ahead.token());
  }

  void masked_address(std::uint64_t place, const Constant& mask, std::uint32_t line) {
    const int shift = mask.bits == 0 ? 0 : std::countr_zero(mask.bits);
    const std::uint64_t wanted = type_.bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << type_.bits) - 1;
    if (mask.kind != Constant::Kind::integer || mask.bits == 0 || mask.bits >> shift != wanted || shift % 8 != 0) {
      fail(line, "the mask of an address must cover one value of " + std::string(type_.name));
    }
    cursor_.expect('(', "after the mask of an address");
    address(place, static_cast<std::uint8_t>(shift), type_.bits);
    cursor_.expect(')', "after a masked address");
  }

  // symbol+4, generic(symbol)+4, (symbol+4)
  void address(std::uint64_t place, std::uint8_t shift, unsigned bits) {
    const std::uint32_t line = cursor_.line();
    if (bits > 64 || type_.numbers == Type::Numbers::reals) {
      fail(line, "an address cannot initialise " + std::string(type_.name));
    }
    unsigned brackets = 0;
    while (cursor_.accept('(')) ++brackets;
    Relocation relocation;
    relocation.offset = place;
    relocation.size = static_cast<std::uint8_t>(shape_.item_bytes);
    relocation.shift = shift;
    Token name = cursor_.expect(TokenKind::word, "the name of a variable or a function");
    if (name.text == "generic" && cursor_.accept('(')) {
      relocation.generic = true;
      name = cursor_.expect(TokenKind::word, "the name of a variable or a function");
      relocation.addend += addend();
      cursor_.expect(')', "after generic(", name.text);
    }
    relocation.symbol = name.text;
    relocation.addend = add(relocation.addend, addend());
    for (; brackets > 0; --brackets) {
      cursor_.expect(')', "after the address of", name.text);
      relocation.addend = add(relocation.addend, addend());
    }
    room(place, shape_.item_bytes);
    context_.names_in_use.push_back({name.text, name.line});
    variable_.relocations.push_back(relocation);
  }

  static std::int64_t add(std::int64_t left, std::int64_t right) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(left) + static_cast<std::uint64_t>(right));
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
