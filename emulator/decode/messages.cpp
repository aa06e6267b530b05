// SPDX-License-Identifier: Apache-2.0
// The words of load errors, and their form in the JIT error log.
#include "decode/messages.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace emulator {

std::string jit_error_text(const LoadError& error) {
  if (error.line() == 0) return std::string("ptxas fatal   : ") + error.what();
  return "ptxas application ptx input, line " + std::to_string(error.line()) + "; error   : " + error.what() +
         "\nptxas fatal   : Ptx assembly aborted due to errors";
}

namespace decode {
namespace {

constexpr auto left_out_bases = std::to_array<std::string_view>({
    "alloca",       "clusterlaunchcontrol",
    "cp",           "elect",
    "getctarank",   "griddepcontrol",
    "istypep",      "ldmatrix",
    "mapa",         "mbarrier",
    "mma",          "movmatrix",
    "multimem",     "setmaxnreg",
    "stackrestore", "stacksave",
    "stmatrix",     "suld",
    "suq",          "sured",
    "sust",         "tcgen05",
    "tensormap",    "tex",
    "tld4",         "txq",
    "wgmma",        "wmma",
});

/// Modifiers that make a known base opcode something that is left out.
constexpr auto left_out_modifiers = std::to_array<std::string_view>({
    ".cluster.arrive",
    ".cluster.wait",
    "::cluster",
    ".proxy",
    ".mbarrier",
    ".b128",
    ".async",
    ".bulk",
    ".v8",
});

}  // namespace

void refuse(std::uint32_t line, std::string message) { throw LoadError(result::invalid_ptx, line, std::move(message)); }

void refuse_arguments(const ptx::Instruction& instruction, std::string_view why) {
  refuse(instruction.line,
         "Arguments mismatch for instruction '" + std::string(instruction.opcode) + "': " + std::string(why));
}

bool is_left_out(std::string_view opcode) {
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  if (std::find(left_out_bases.begin(), left_out_bases.end(), base) != left_out_bases.end()) return true;
  return std::any_of(left_out_modifiers.begin(), left_out_modifiers.end(),
                     [opcode](std::string_view modifier) { return opcode.find(modifier) != std::string_view::npos; });
}

void refuse_opcode(std::string_view opcode, std::uint32_t line, bool base_is_known) {
  const std::string name(opcode);
  if (base_is_known || is_left_out(opcode)) {
    refuse(line, "Instruction '" + name + "' is not supported by the emulated device");
  }
  refuse(line, "Not a name of any known instruction: '" + name + "'");
}

}  // namespace decode
}  // namespace emulator
