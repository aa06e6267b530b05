// SPDX-License-Identifier: Apache-2.0
// From a PTX spelling to the spelling of a table row: what the opcode is, which modifiers count, which type decides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace emulator::decode {

/// Which decoding an opcode needs.
enum class Family : std::uint8_t {
  plain,         ///< operands as the row's signature lists them
  compare,       ///< setp: an optional second destination
  load,          ///< ld, ldu
  store,         ///< st
  atomic,        ///< atom
  reduction,     ///< red: atom without a destination
  move,          ///< mov
  address,       ///< cvta
  nothing,       ///< operands are dropped
  zero,          ///< createpolicy: writes 0
  shuffle,       ///< shfl, match.all: an optional predicate
  barrier,       ///< bar.sync, bar.arrive, bar.red: an optional thread count
  branch,        ///< bra
  branch_table,  ///< brx.idx
  call,          ///< call
  leave,         ///< ret
  left_out,      ///< known, not supported
};

/// A type word of PTX.
struct Type {
  char kind = 0;  ///< 'b', 'u', 's', 'f' (f32, f64), 'h' (16-bit floats and their pairs), 'p'; 0: no type
  std::uint8_t bits = 0;
};

/// Reads "f32"; kind 0 where the word is no type.
Type parse_type(std::string_view word);

/// State space of a memory instruction.
enum class AccessSpace : std::uint8_t { generic, global, shared, local, constant, param };

/// What a memory instruction's modifiers say.
struct Access {
  AccessSpace space = AccessSpace::generic;
  std::uint8_t elements = 1;
  Type type;
  bool ordered = false;     ///< volatile, acquire, release...: the row with fences
  bool has_policy = false;  ///< L2::cache_hint: one more operand, which is dropped
};

/// The words of an opcode between its dots.
class Words {
 public:
  explicit Words(std::string_view opcode);
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::string_view operator[](std::size_t index) const {
    return index < size_ ? words_[index] : std::string_view();
  }
  [[nodiscard]] const std::string_view* begin() const { return words_.data(); }
  [[nodiscard]] const std::string_view* end() const { return words_.data() + size_; }
  /// Whether a word stands behind the base opcode.
  [[nodiscard]] bool has(std::string_view word) const;

 private:
  std::array<std::string_view, 16> words_;
  std::size_t size_ = 0;
};

/// An opcode made ready for the table.
struct Normalised {
  Family family = Family::plain;
  std::string row = {};  ///< spelling of the row; empty where operands decide (a param space)
  Access access = {};    ///< of memory instructions
  Type result = {};      ///< first type word
  Type source = {};      ///< last type word
};

/// Normalises an opcode.
Normalised normalise(std::string_view opcode);

/// "ld.shared.v2.b32": the row of a load or store in a space of that name.
std::string access_row(std::string_view base, std::string_view space, const Access& access);

}  // namespace emulator::decode
