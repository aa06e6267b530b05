// SPDX-License-Identifier: Apache-2.0
// PTX text to tokens. Nothing is copied: a token's text is a piece of the module's text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace emulator::ptx {

/// What a token is.
enum class TokenKind : std::uint8_t {
  end,
  word,       ///< a name or an opcode with its modifiers: "%r1", "$L__BB0_2", "%tid.x", "ld.global.f32"
  directive,  ///< a dot and one word: ".reg", ".L2::128B"
  integer,    ///< 12, 0x1F, 0777, 0b11, 12U
  real,       ///< 0f3F800000, 0d3FF0000000000000, 1.5, 1e-3
  string,     ///< without its quotes
  symbol,     ///< one character of punctuation
};

/// A piece of the text.
struct Token {
  TokenKind kind = TokenKind::end;
  std::uint32_t line = 1;
  std::string_view text;

  [[nodiscard]] bool is(char symbol) const { return kind == TokenKind::symbol && text.front() == symbol; }
  [[nodiscard]] bool is_directive(std::string_view name) const { return kind == TokenKind::directive && text == name; }
};

/// Ends the parse: LoadError with invalid_ptx, the line and the message.
[[noreturn]] void fail(std::uint32_t line, std::string message);

/// How a message names a token: "'%r1'", "the end of the text".
std::string describe(const Token& token);

/// A piece of the user's text for a message: cut short, without control characters, in quotes.
std::string quoted(std::string_view text);

/// Cuts the text. Copies are cheap: a copy is a place to come back to.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  /// The next token; `end` again and again at the end.
  Token next();

 private:
  void skip_blanks();
  void skip_block_comment();
  Token cut(TokenKind kind, std::size_t end);
  Token number();
  Token number_or_directive();
  Token string();
  [[nodiscard]] std::size_t after_names(std::size_t from) const;
  [[nodiscard]] std::size_t after_qualified(std::size_t from) const;
  [[nodiscard]] char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }

  std::string_view text_;
  std::size_t place_ = 0;
  std::uint32_t line_ = 1;
};

/// The tokens one after the other, the current one in view.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : lexer_(text), token_(lexer_.next()) {}

  [[nodiscard]] const Token& token() const { return token_; }
  [[nodiscard]] std::uint32_t line() const { return token_.line; }
  [[nodiscard]] bool at(char symbol) const { return token_.is(symbol); }
  [[nodiscard]] bool at_end() const { return token_.kind == TokenKind::end; }

  /// Gives the current token and goes on.
  Token take();
  /// Takes the symbol if it is there.
  bool accept(char symbol);
  /// Takes the directive if it is there.
  bool accept_directive(std::string_view name);
  /// Takes the symbol or fails: "expected ';' <where> <what>, found ...".
  void expect(char symbol, std::string_view where, std::string_view what = {});
  /// Takes a token of the kind or fails: "expected <what>, found ...".
  Token expect(TokenKind kind, std::string_view what);
  /// Fails at the current token: "expected <what>, found ...".
  [[noreturn]] void fail_expected(std::string_view what) const;

 private:
  Lexer lexer_;
  Token token_;
};

}  // namespace emulator::ptx
