// SPDX-License-Identifier: Apache-2.0
// The lexer: blanks, comments, names, numbers, strings and punctuation of PTX.
#include "ptx/lexer.hpp"

#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "common/types.hpp"

namespace emulator::ptx {

namespace {

constexpr std::uint8_t in_name = 1;
constexpr std::uint8_t begins_name = 2;
constexpr std::uint8_t digit = 4;
constexpr std::uint8_t hex_digit = 8;
constexpr std::uint8_t blank = 16;
constexpr std::uint8_t punctuation = 32;

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  const auto mark = [&](std::string_view characters, std::uint8_t value) {
    for (const char each : characters) {
      auto& entry = classes[static_cast<unsigned char>(each)];
      entry = static_cast<std::uint8_t>(entry | value);
    }
  };
  mark("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$", in_name | begins_name);
  mark("0123456789", in_name | digit);
  mark("0123456789abcdefABCDEF", hex_digit);
  mark(" \t\r\n\f\v", blank);
  mark(",;:{}[]()@!|+-*/%<>=&^~?", punctuation);
  return classes;
}

constexpr auto classes = make_classes();

bool has(char character, std::uint8_t wanted) { return (classes[static_cast<unsigned char>(character)] & wanted) != 0; }

}  // namespace

void fail(std::uint32_t line, std::string message) { throw LoadError(result::invalid_ptx, line, std::move(message)); }

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string shown = "'";
  for (const char each : text.substr(0, longest)) shown += each >= ' ' && each <= '~' ? each : '?';
  if (text.size() > longest) shown += "...";
  return shown + "'";
}

std::string describe(const Token& token) {
  if (token.kind == TokenKind::end) return "the end of the text";
  if (token.kind == TokenKind::string) return "the string " + quoted(token.text);
  return quoted(token.text);
}

void Lexer::skip_block_comment() {
  const std::uint32_t begin = line_;
  for (place_ += 2; !(at(place_) == '*' && at(place_ + 1) == '/'); ++place_) {
    if (place_ >= text_.size()) fail(begin, "a comment begins here and has no end");
    if (text_[place_] == '\n') ++line_;
  }
  place_ += 2;
}

void Lexer::skip_blanks() {
  while (place_ < text_.size()) {
    const char character = text_[place_];
    const char next = at(place_ + 1);
    if (character == '\n') {
      ++line_;
      ++place_;
    } else if (has(character, blank)) {
      ++place_;
    } else if (character == '/' && next == '*') {
      skip_block_comment();
    } else if ((character == '/' && next == '/') || (character == '@' && next == '@')) {
      // Two @ begin a line of debug data in the manner of early compilers.
      while (place_ < text_.size() && text_[place_] != '\n') ++place_;
    } else {
      return;
    }
  }
}

Token Lexer::cut(TokenKind kind, std::size_t end) {
  const Token token{kind, line_, text_.substr(place_, end - place_)};
  place_ = end;
  return token;
}

std::size_t Lexer::after_names(std::size_t from) const {
  while (has(at(from), in_name)) ++from;
  return from;
}

// What follows a dot: a word, and more behind a double colon: "L2::128B", "mbarrier::complete_tx::bytes".
std::size_t Lexer::after_qualified(std::size_t from) const {
  from = after_names(from);
  while (at(from) == ':' && at(from + 1) == ':' && has(at(from + 2), in_name)) from = after_names(from + 2);
  return from;
}

Token Lexer::number() {
  const char second = at(place_ + 1);
  std::size_t end = place_;
  TokenKind kind = TokenKind::integer;
  if (text_[place_] == '0' && (second == 'x' || second == 'X')) {
    end = after_names(place_ + 2);
  } else if (text_[place_] == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
    kind = TokenKind::real;
    end = after_names(place_ + 2);
  } else {
    while (has(at(end), digit)) ++end;
    if (at(end) == '.') {
      kind = TokenKind::real;
      ++end;
      while (has(at(end), digit)) ++end;
    }
    if ((at(end) == 'e' || at(end) == 'E') &&
        (has(at(end + 1), digit) || ((at(end + 1) == '+' || at(end + 1) == '-') && has(at(end + 2), digit)))) {
      kind = TokenKind::real;
      end += 2;
    }
    end = after_names(end);
  }
  return cut(kind, end);
}

// ".5" is a number, ".2d" and ".16x64b" are modifiers that stand apart from their opcode.
Token Lexer::number_or_directive() {
  const Lexer begin = *this;
  const Token token = number();
  double value = 0;
  const char* const end = token.text.data() + token.text.size();
  const auto [rest, error] = std::from_chars(token.text.data(), end, value);
  if (error == std::errc() && rest == end) return token;
  *this = begin;
  return cut(TokenKind::directive, after_qualified(place_ + 1));
}

Token Lexer::string() {
  const std::size_t begin = ++place_;
  while (place_ < text_.size() && text_[place_] != '"' && text_[place_] != '\n') {
    place_ += text_[place_] == '\\' && place_ + 1 < text_.size() && text_[place_ + 1] != '\n' ? 2 : 1;
  }
  if (at(place_) != '"') fail(line_, "a string begins here and has no end on its line");
  return {TokenKind::string, line_, text_.substr(begin, place_++ - begin)};
}

Token Lexer::next() {
  skip_blanks();
  if (place_ >= text_.size()) return {TokenKind::end, line_, {}};
  const char character = text_[place_];
  if (has(character, begins_name) || (character == '%' && has(at(place_ + 1), in_name))) {
    std::size_t end = after_names(place_ + 1);
    while (at(end) == '.' && has(at(end + 1), in_name)) end = after_qualified(end + 1);
    return cut(TokenKind::word, end);
  }
  if (character == '.' && has(at(place_ + 1), digit)) return number_or_directive();
  if (character == '.' && has(at(place_ + 1), in_name)) {
    return cut(TokenKind::directive, after_qualified(place_ + 1));
  }
  if (has(character, digit)) return number();
  if (character == '"') return string();
  if (has(character, punctuation)) return cut(TokenKind::symbol, place_ + 1);
  fail(line_, "the character " + quoted(text_.substr(place_, 1)) + " has no meaning in PTX");
}

Token Cursor::take() {
  const Token taken = token_;
  token_ = lexer_.next();
  return taken;
}

bool Cursor::accept(char symbol) {
  if (!token_.is(symbol)) return false;
  token_ = lexer_.next();
  return true;
}

bool Cursor::accept_directive(std::string_view name) {
  if (!token_.is_directive(name)) return false;
  token_ = lexer_.next();
  return true;
}

void Cursor::expect(char symbol, std::string_view where, std::string_view what) {
  if (accept(symbol)) return;
  std::string wanted = std::string("'") + symbol + "' " + std::string(where);
  if (!what.empty()) wanted += " " + std::string(what.substr(0, 100));
  fail_expected(wanted);
}

Token Cursor::expect(TokenKind kind, std::string_view what) {
  if (token_.kind != kind) fail_expected(what);
  return take();
}

void Cursor::fail_expected(std::string_view what) const {
  fail(token_.line, "expected " + std::string(what) + ", found " + describe(token_));
}

}  // namespace emulator::ptx
