// SPDX-License-Identifier: Apache-2.0
// Formats are parsed once; each conversion then becomes one call of snprintf with a type that fits.
#include "machine/print_format.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

namespace emulator {

namespace {

/// Wider fields are no output that anybody wants; they would only take memory.
constexpr std::uint32_t longest_field = 65535;

/// Reads a format from its front.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  [[nodiscard]] bool done() const { return place_ == text_.size(); }
  [[nodiscard]] std::size_t place() const { return place_; }
  [[nodiscard]] std::string_view from(std::size_t place) const { return text_.substr(place); }
  /// The next character, NUL at the end.
  [[nodiscard]] char peek() const { return done() ? '\0' : text_[place_]; }
  char take() { return done() ? '\0' : text_[place_++]; }
  bool skip(char wanted) {
    if (done() || text_[place_] != wanted) return false;
    ++place_;
    return true;
  }
  std::string_view take_until(char stop) {
    const std::size_t end = std::min(text_.find(stop, place_), text_.size());
    const std::string_view taken = text_.substr(place_, end - place_);
    place_ = end;
    return taken;
  }

 private:
  std::string_view text_;
  std::size_t place_ = 0;
};

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// False where the number is too large.
bool read_measure(Scanner& scanner, PrintMeasure& measure) {
  if (scanner.skip('*')) {
    measure.kind = PrintMeasure::Kind::argument;
    return true;
  }
  if (!is_digit(scanner.peek())) return true;
  measure.kind = PrintMeasure::Kind::number;
  while (is_digit(scanner.peek())) {
    measure.number = measure.number * 10 + static_cast<std::uint32_t>(scanner.take() - '0');
    if (measure.number > longest_field) return false;
  }
  return true;
}

/// Bytes of an integer after its length letters.
std::uint8_t read_length(Scanner& scanner) {
  if (scanner.skip('h')) return scanner.skip('h') ? 1 : 2;
  if (scanner.skip('l')) {
    scanner.skip('l');
    return 8;
  }
  for (const char letter : {'j', 'z', 't'}) {
    if (scanner.skip(letter)) return 8;
  }
  scanner.skip('L');
  return 4;
}

std::optional<PrintValue> value_of(char letter) {
  if (letter == '\0') return std::nullopt;
  constexpr std::array<std::pair<std::string_view, PrintValue>, 6> groups = {{
      {"di", PrintValue::signed_integer},
      {"ouxX", PrintValue::unsigned_integer},
      {"c", PrintValue::character},
      {"s", PrintValue::string},
      {"p", PrintValue::pointer},
      {"fFeEgGaA", PrintValue::floating},
  }};
  for (const auto& [letters, value] : groups) {
    if (letters.find(letter) != std::string_view::npos) return value;
  }
  return std::nullopt;
}

/// The flags that C defines for a conversion; the others would be undefined behaviour in the host's printf.
std::string_view allowed_flags(const PrintPiece& piece) {
  switch (piece.value) {
    case PrintValue::signed_integer: return "-+ 0";
    case PrintValue::unsigned_integer: return piece.letter == 'u' ? "-0" : "-#0";
    case PrintValue::floating: return "-+ #0";
    default: return "-";
  }
}

/// One conversion, behind its percent sign.
std::optional<PrintPiece> read_conversion(Scanner& scanner) {
  PrintPiece piece;
  std::string flags;
  while (!scanner.done() && std::string_view("-+ #0").find(scanner.peek()) != std::string_view::npos) {
    flags += scanner.take();
  }
  if (!read_measure(scanner, piece.width)) return std::nullopt;
  if (scanner.skip('.')) {
    if (!read_measure(scanner, piece.precision)) return std::nullopt;
    if (piece.precision.kind == PrintMeasure::Kind::absent) piece.precision.kind = PrintMeasure::Kind::number;
  }
  piece.bytes = read_length(scanner);
  piece.letter = scanner.take();
  const std::optional<PrintValue> value = value_of(piece.letter);
  if (!value) return std::nullopt;
  piece.value = *value;
  for (const char flag : allowed_flags(piece)) {
    if (flags.find(flag) != std::string::npos) piece.text += flag;
  }
  return piece;
}

/// One printf call under way.
class Formatter {
 public:
  explicit Formatter(PrintArguments& arguments) : arguments_(arguments) {}

  PrintResult run(const std::vector<PrintPiece>& format) {
    for (const PrintPiece& piece : format) {
      if (piece.value == PrintValue::literal) {
        result_.text += piece.text;
      } else {
        convert(piece);
      }
      if (result_.status != PrintResult::Status::done) break;
    }
    return std::move(result_);
  }

 private:
  template <class T>
  T next() {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const std::byte* bytes = arguments_.argument(offset_, sizeof(T));
    T value{};
    if (bytes == nullptr) {
      fail(PrintResult::Status::bad_argument, offset_);
    } else {
      std::memcpy(&value, bytes, sizeof(T));
      ++result_.arguments;
    }
    offset_ += sizeof(T);
    return value;
  }

  /// The first failure stays.
  void fail(PrintResult::Status status, std::uint64_t address = 0) {
    if (result_.status != PrintResult::Status::done) return;
    result_.status = status;
    result_.address = address;
  }

  /// Flags, width and precision with their arguments put in.
  std::string specification(const PrintPiece& piece) {
    std::string text = "%" + piece.text;
    if (piece.width.kind == PrintMeasure::Kind::argument) {
      const auto width = next<std::int32_t>();
      const std::int64_t magnitude = width < 0 ? -std::int64_t{width} : width;
      if (magnitude > longest_field) fail(PrintResult::Status::bad_format);
      if (width < 0) text += '-';
      if (width != 0) text += std::to_string(magnitude);
    } else if (piece.width.kind == PrintMeasure::Kind::number && piece.width.number != 0) {
      text += std::to_string(piece.width.number);
    }
    precision_ = -1;
    if (piece.precision.kind == PrintMeasure::Kind::argument) precision_ = next<std::int32_t>();
    if (piece.precision.kind == PrintMeasure::Kind::number) {
      precision_ = static_cast<std::int32_t>(piece.precision.number);
    }
    if (precision_ > static_cast<std::int32_t>(longest_field)) fail(PrintResult::Status::bad_format);
    if (precision_ >= 0 && piece.value != PrintValue::character && piece.value != PrintValue::pointer) {
      text += "." + std::to_string(precision_);
    }
    return text;
  }

  template <class T>
  void print(const std::string& specification, T value) {
    if (result_.status != PrintResult::Status::done) return;
    const int length = std::snprintf(nullptr, 0, specification.c_str(), value);
    if (length < 0) return fail(PrintResult::Status::bad_format);
    const std::size_t before = result_.text.size();
    result_.text.resize(before + static_cast<std::size_t>(length) + 1);
    std::snprintf(result_.text.data() + before, static_cast<std::size_t>(length) + 1, specification.c_str(), value);
    result_.text.pop_back();
  }

  template <class Integer>
  Integer integer(std::uint8_t bytes) {
    if (bytes == 8) return next<Integer>();
    const auto value = next<std::uint32_t>();
    constexpr bool is_signed = std::numeric_limits<Integer>::is_signed;
    switch (bytes) {
      case 1: return is_signed ? static_cast<Integer>(static_cast<std::int8_t>(value)) : value & 0xffu;
      case 2: return is_signed ? static_cast<Integer>(static_cast<std::int16_t>(value)) : value & 0xffffu;
      default: return is_signed ? static_cast<Integer>(static_cast<std::int32_t>(value)) : value;
    }
  }

  void convert(const PrintPiece& piece) {
    const std::string start = specification(piece);
    switch (piece.value) {
      case PrintValue::signed_integer: return print(start + "ll" + piece.letter, integer<long long>(piece.bytes));
      case PrintValue::unsigned_integer:
        return print(start + "ll" + piece.letter, integer<unsigned long long>(piece.bytes));
      case PrintValue::character: return print(start + 'c', next<std::int32_t>());
      case PrintValue::pointer: return print(start + 'p', reinterpret_cast<void*>(next<std::uint64_t>()));
      case PrintValue::floating: return print(start + piece.letter, next<double>());
      default: return convert_string(start);
    }
  }

  void convert_string(const std::string& start) {
    const auto address = next<std::uint64_t>();
    if (result_.status != PrintResult::Status::done) return;
    if (address == 0) return print(start + 's', "(null)");
    const std::uint64_t limit =
        precision_ >= 0 ? static_cast<std::uint64_t>(precision_) : std::numeric_limits<std::uint64_t>::max();
    const std::optional<std::string_view> text = arguments_.string(address, limit);
    if (!text) return fail(PrintResult::Status::bad_string, address);
    print(start + 's', std::string(*text).c_str());
  }

  PrintArguments& arguments_;
  PrintResult result_;
  std::uint64_t offset_ = 0;
  std::int32_t precision_ = -1;
};

}  // namespace

std::vector<PrintPiece> parse_print_format(std::string_view format) {
  std::vector<PrintPiece> pieces;
  std::string literal;
  Scanner scanner(format);
  while (!scanner.done()) {
    literal += scanner.take_until('%');
    if (scanner.done()) break;
    const std::size_t begin = scanner.place();
    scanner.take();
    if (scanner.skip('%')) {
      literal += '%';
      continue;
    }
    std::optional<PrintPiece> piece = read_conversion(scanner);
    if (!piece) {
      literal += scanner.from(begin);
      break;
    }
    if (!literal.empty()) pieces.push_back({.text = std::exchange(literal, {})});
    pieces.push_back(std::move(*piece));
  }
  if (!literal.empty()) pieces.push_back({.text = std::move(literal)});
  return pieces;
}

PrintResult format_print(const std::vector<PrintPiece>& format, PrintArguments& arguments) {
  return Formatter(arguments).run(format);
}

}  // namespace emulator
