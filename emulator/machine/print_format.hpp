// SPDX-License-Identifier: Apache-2.0
// printf formats of kernels, taken apart by ourselves: the host's printf only ever sees conversions that were checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace emulator {

/// A width or a precision.
struct PrintMeasure {
  enum class Kind : std::uint8_t { absent, number, argument } kind = Kind::absent;
  std::uint32_t number = 0;
};

/// What a conversion takes from the arguments.
enum class PrintValue : std::uint8_t {
  literal,
  signed_integer,
  unsigned_integer,
  character,
  string,
  pointer,
  floating
};

/// Text, or one conversion.
struct PrintPiece {
  PrintValue value = PrintValue::literal;
  std::string text;  ///< of a literal; else the flags that mean something for the conversion
  PrintMeasure width = {};
  PrintMeasure precision = {};
  std::uint8_t bytes = 4;  ///< of an integer: 1, 2, 4 or 8
  char letter = 'd';
};

/// A whole format. From the first conversion that kernels cannot use on, it is text like any other: as on an H200.
std::vector<PrintPiece> parse_print_format(std::string_view format);

/// Arguments of one thread as the compiler packs them: 4 or 8 bytes each, at multiples of their size.
class PrintArguments {
 public:
  virtual ~PrintArguments() = default;
  /// Bytes at an offset of the argument block, or null where they cannot be read.
  virtual const std::byte* argument(std::uint64_t offset, std::uint64_t bytes) = 0;
  /// The text at a device address, `limit` bytes at most; nothing where it cannot be read to its end.
  virtual std::optional<std::string_view> string(std::uint64_t address, std::uint64_t limit) = 0;
};

/// What a printf call did.
struct PrintResult {
  enum class Status : std::uint8_t { done, bad_format, bad_argument, bad_string } status = Status::done;
  std::string text;
  std::int32_t arguments = 0;
  std::uint64_t address = 0;  ///< bad_argument: the offset in the block; bad_string: the string's address
};

/// The text of one printf call.
PrintResult format_print(const std::vector<PrintPiece>& format, PrintArguments& arguments);

}  // namespace emulator
