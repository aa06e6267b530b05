// SPDX-License-Identifier: Apache-2.0
// Linking PTX texts: one text with one head, each symbol once, private names kept apart.
#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "decode/messages.hpp"
#include "decode/module.hpp"
#include "ptx/lexer.hpp"
#include "ptx/parser.hpp"

namespace emulator {
namespace {

using ptx::Token;
using ptx::TokenKind;

/// Who sees a symbol.
enum class Linkage : std::uint8_t { local, visible, weak, external };

/// One statement at the top of a text.
struct Statement {
  enum class Kind : std::uint8_t { variable, function, file, other };
  Kind kind = Kind::other;
  Linkage linkage = Linkage::local;
  bool is_definition = true;  ///< no .extern, no function without a body
  bool is_shared = false;
  std::string_view name;  ///< of the function or the first variable
  std::vector<Token> tokens;
  std::size_t text = 0;  ///< which of the texts
  bool dropped = false;
};

/// A text taken apart.
struct Unit {
  std::vector<Statement> statements;
  std::unordered_map<std::string_view, unsigned> mentions;  ///< of each word
  unsigned files = 0;                                       ///< highest .file number
};

bool is_header(const Token& token) {
  return token.is_directive(".version") || token.is_directive(".target") || token.is_directive(".address_size");
}

/// Reads what a directive says about the statement it stands in.
void note_directive(Statement& statement, std::string_view directive) {
  using Kind = Statement::Kind;
  if (directive == ".visible") {
    statement.linkage = Linkage::visible;
  } else if (directive == ".weak" || directive == ".common") {
    statement.linkage = Linkage::weak;
  } else if (directive == ".extern") {
    statement.linkage = Linkage::external;
    statement.is_definition = false;
  } else if (directive == ".func" || directive == ".entry") {
    if (statement.kind == Kind::other) statement.kind = Kind::function;
    if (directive == ".entry" && statement.linkage == Linkage::local) statement.linkage = Linkage::visible;
  } else if (directive == ".global" || directive == ".const" || directive == ".shared") {
    if (statement.kind == Kind::other) statement.kind = Kind::variable;
    statement.is_shared |= directive == ".shared";
  } else if (directive == ".file" && statement.tokens.empty()) {
    statement.kind = Kind::file;
  }
}

/// Takes one statement that is neither head nor section; the lexer stands behind `token`, its first one.
Statement take_statement(ptx::Lexer& lexer, Token token) {
  Statement statement;
  int depth = 0;
  for (; token.kind != TokenKind::end; token = lexer.next()) {
    if (depth == 0 && token.kind == TokenKind::directive) note_directive(statement, token.text);
    const bool names = statement.kind == Statement::Kind::variable || statement.kind == Statement::Kind::function;
    if (depth == 0 && names && statement.name.empty() && token.kind == TokenKind::word) statement.name = token.text;
    statement.tokens.push_back(token);
    if (token.is('{') || token.is('(') || token.is('[')) ++depth;
    if (token.is('}') || token.is(')') || token.is(']')) --depth;
    const bool is_function = statement.kind == Statement::Kind::function;
    if (depth == 0 && token.is(';')) {
      if (is_function) statement.is_definition = false;
      break;
    }
    if (depth == 0 && is_function && token.is('}')) break;
  }
  return statement;
}

/// `.file 1 "name"[, time, size]` has no end of its own.
Statement take_file(ptx::Lexer& lexer, const Token& first) {
  Statement statement;
  statement.kind = Statement::Kind::file;
  statement.tokens = {first, lexer.next(), lexer.next()};
  for (ptx::Lexer ahead = lexer; ahead.next().is(','); ahead = lexer) {
    statement.tokens.push_back(lexer.next());
    statement.tokens.push_back(lexer.next());
  }
  return statement;
}

void skip_head(ptx::Lexer& lexer, const Token& first) {
  lexer.next();
  if (!first.is_directive(".target")) return;
  for (ptx::Lexer ahead = lexer; ahead.next().is(','); ahead = lexer) {
    lexer.next();
    lexer.next();
  }
}

void skip_section(ptx::Lexer& lexer) {
  Token token = lexer.next();
  while (token.kind != TokenKind::end && !token.is('}')) token = lexer.next();
}

unsigned number_of(const Token& token) {
  unsigned value = 0;
  std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  return value;
}

Unit take_apart(std::string_view text, std::size_t index) {
  Unit unit;
  ptx::Lexer lexer(text);
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
    if (is_header(token)) {
      skip_head(lexer, token);
    } else if (token.is_directive(".section")) {
      skip_section(lexer);
    } else if (token.is_directive(".file")) {
      unit.statements.push_back(take_file(lexer, token));
      unit.files = std::max(unit.files, number_of(unit.statements.back().tokens[1]));
    } else {
      unit.statements.push_back(take_statement(lexer, token));
    }
  }
  for (Statement& statement : unit.statements) {
    statement.text = index;
    for (const Token& token : statement.tokens) {
      if (token.kind == TokenKind::word) ++unit.mentions[token.text];
    }
  }
  return unit;
}

bool is_system_function(std::string_view name) {
  static constexpr auto names = std::to_array<std::string_view>({"vprintf", "__assertfail", "malloc", "free"});
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Picks one definition of each name and drops the others.
class Resolver {
 public:
  explicit Resolver(std::vector<Unit>& units) : units_(units) {
    for (Unit& unit : units_) {
      for (Statement& statement : unit.statements) {
        if (statement.linkage != Linkage::local && statement.is_definition && !statement.name.empty())
          define(statement);
      }
    }
    for (Unit& unit : units_) {
      for (const Statement& statement : unit.statements) {
        if (statement.linkage == Linkage::external) resolve(statement, unit);
      }
    }
  }

  /// New names of a text's private symbols whose names another text uses too.
  std::unordered_map<std::string_view, std::string> renamed(std::size_t text) const {
    std::unordered_map<std::string_view, std::string> names;
    for (const Statement& statement : units_[text].statements) {
      if (statement.linkage != Linkage::local || statement.name.empty()) continue;
      const bool is_taken = std::any_of(units_.begin(), units_.end(), [&](const Unit& other) {
        return &other != &units_[text] && other.mentions.contains(statement.name);
      });
      if (is_taken) names[statement.name] = std::string(statement.name) + "$unit" + std::to_string(text + 1);
    }
    return names;
  }

 private:
  void define(Statement& statement) {
    const auto [found, is_new] = definitions_.try_emplace(statement.name, &statement);
    if (is_new) return;
    Statement*& known = found->second;
    if (statement.linkage == Linkage::weak) {
      statement.dropped = true;
    } else if (known->linkage == Linkage::weak) {
      known->dropped = true;
      known = &statement;
    } else {
      decode::refuse(0, "Multiple definition of '" + std::string(statement.name) + "' in input " +
                            std::to_string(known->text + 1) + " and input " + std::to_string(statement.text + 1));
    }
  }

  void resolve(const Statement& statement, const Unit& unit) {
    if (definitions_.contains(statement.name)) return;
    const bool is_used = unit.mentions.at(statement.name) > 1;
    if (statement.is_shared || is_system_function(statement.name) || !is_used) return;
    decode::refuse(0, "Undefined reference to '" + std::string(statement.name) + "' in input " +
                          std::to_string(statement.text + 1));
  }

  std::vector<Unit>& units_;
  std::unordered_map<std::string_view, Statement*> definitions_;
};

/// Writes a statement: what stood between its tokens stays, private names and numbers of files are new.
void write(const Statement& statement, const std::unordered_map<std::string_view, std::string>& names,
           unsigned first_file, std::string& text) {
  const char* copied = statement.tokens.front().text.data();
  // A string's token is without its quotes: they are part of what stands between tokens.
  const auto replace = [&](const Token& token, const std::string& replacement) {
    text.append(copied, token.text.data());
    text += replacement;
    copied = token.text.data() + token.text.size();
  };
  bool file_follows = false;
  for (const Token& token : statement.tokens) {
    if (file_follows && token.kind == TokenKind::integer) {
      replace(token, std::to_string(number_of(token) + first_file));
    } else if (const auto found = names.find(token.text); token.kind == TokenKind::word && found != names.end()) {
      replace(token, found->second);
    }
    file_follows = token.is_directive(".loc") || token.is_directive(".file") ||
                   (token.kind == TokenKind::word && token.text == "inlined_at");
  }
  const Token& last = statement.tokens.back();
  text.append(copied, last.text.data() + last.text.size() + (last.kind == TokenKind::string ? 1 : 0));
  text += '\n';
}

/// What is left of a dropped definition: code of its text may stand before the definition that is kept.
void write_declaration(const Statement& statement, std::string& text) {
  text += ".extern";
  for (const Token& token : statement.tokens) {
    const bool ends_head = token.is('{') || token.is('=') || token.is(';');
    if (ends_head) break;
    const bool is_linkage = token.is_directive(".weak") || token.is_directive(".common");
    if (!is_linkage) text.append(" ").append(token.text);
  }
  text += ";\n";
}

}  // namespace

std::string link_ptx(const std::vector<std::string>& texts) {
  unsigned version = 0;
  unsigned capability = 0;
  std::string target;
  std::vector<Unit> units;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const ptx::Module module = ptx::parse(texts[i]);
    version = std::max(version, module.version);
    if (target.empty() || module.target_capability > capability) {
      capability = module.target_capability;
      target = module.target;
    }
    units.push_back(take_apart(std::string_view(texts[i]).substr(0, texts[i].find('\0')), i));
  }
  if (texts.empty()) decode::refuse(0, "Nothing to link");
  const Resolver resolver(units);
  std::string linked = ".version " + std::to_string(version / 10) + "." + std::to_string(version % 10) + "\n.target " +
                       target + "\n.address_size 64\n";
  unsigned first_file = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::unordered_map<std::string_view, std::string> names = resolver.renamed(i);
    for (const Statement& statement : units[i].statements) {
      if (statement.tokens.empty()) continue;
      if (statement.dropped) {
        write_declaration(statement, linked);
      } else {
        write(statement, names, first_file, linked);
      }
    }
    first_file += units[i].files;
  }
  return linked;
}

}  // namespace emulator
