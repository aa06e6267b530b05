// SPDX-License-Identifier: Apache-2.0
// What the parser's tests share: short ways to parse, to show what was parsed and to catch what was refused.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/types.hpp"
#include "ptx/parser.hpp"
#include "ptx/syntax.hpp"

namespace emulator::ptx::testing {

/// A module beside the text that it refers to.
struct Parsed {
  std::unique_ptr<std::string> text;
  Module module;
};

/// Three lines: what follows begins in line 4.
inline const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// Parses exactly this text.
inline Parsed parse_text(std::string text) {
  auto kept = std::make_unique<std::string>(std::move(text));
  Module module = parse(*kept);
  return {std::move(kept), std::move(module)};
}

/// Parses declarations behind the head; the first is in line 4.
inline Parsed parse_module(const std::string& declarations) { return parse_text(head + declarations); }

/// Parses statements as the body of an entry, from line 5 on; the entry is the module's last function.
inline Parsed parse_body(const std::string& statements, const std::string& declarations = "") {
  return parse_module(declarations + ".entry kernel(.param .u64 input, .param .align 8 .b8 wide[24]) {\n" + statements +
                      "\n}\n");
}

/// An operand in one word of its own notation: integers as #5, reals as their bits, names with what they are.
std::string show(const Function& function, const Operand& operand);

/// All of an instruction but its line: "@!%p1 add.s32 %r1 %r2 #5".
std::string show(const Function& function, const Instruction& instruction);

/// The instructions of a body, one string each.
std::vector<std::string> instructions_of(const std::string& statements, const std::string& declarations = "");

/// The one instruction of a body in which registers are declared: %p<4> %h<4> %r<10> %rd<10> %f<4> %fd<4>.
std::string instruction_of(const std::string& statement);

/// Why a text was refused; code 0 where it was not.
struct Refusal {
  int code = 0;
  std::uint32_t line = 0;
  std::string message;

  bool operator==(const Refusal&) const = default;
};

/// How a test failure shows a refusal.
inline void PrintTo(const Refusal& refusal, std::ostream* out) {
  *out << "code " << refusal.code << ", line " << refusal.line << ": " << refusal.message;
}

/// Refusal as invalid PTX.
inline Refusal invalid(std::uint32_t line, std::string message) {
  return {result::invalid_ptx, line, std::move(message)};
}

/// What becomes of a text.
Refusal refusal_of_text(const std::string& text);
/// What becomes of declarations; the first is in line 4.
Refusal refusal_of_module(const std::string& declarations);
/// What becomes of statements in an entry; the first is in line 5, after a line of registers as for instruction_of.
Refusal refusal_of_body(const std::string& statements);

}  // namespace emulator::ptx::testing
