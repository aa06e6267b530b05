// SPDX-License-Identifier: Apache-2.0
// The syntax tree of a PTX module. Names are resolved inside functions:
// registers, labels and local variables are numbers.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace emulator::ptx {

/// Where a variable lives.
enum class Space : std::uint8_t { global, constant, shared, local, param };

/// A register of a function: PTX checks widths, opcodes decide the type. Predicates have 1 bit.
struct Register {
  std::string_view name;
  std::uint16_t bits = 0;  ///< 1, 8, 16, 32, 64 (128 is refused)
};

/// An address inside an initialiser, to be put in after layout.
struct Relocation {
  std::uint64_t offset = 0;  ///< byte in the variable
  std::uint8_t size = 8;     ///< bytes written
  std::uint8_t shift = 0;    ///< bits: mask(0xFF00) forms take a byte of the address
  bool generic = false;      ///< generic(symbol)
  std::string_view symbol;   ///< variable or function of the module
  std::int64_t addend = 0;
};

/// A variable of a module or a function.
struct Variable {
  std::string_view name;
  Space space = Space::global;
  std::uint32_t alignment = 1;
  std::uint64_t size = 0;       ///< bytes; 0 for `.extern .shared s[]`
  bool is_external = false;     ///< .extern
  bool is_weak = false;         ///< .weak or .common
  bool unsized = false;         ///< declared with []
  bool is_managed = false;      ///< .attribute(.managed)
  std::vector<std::byte> data;  ///< initialiser, shorter than size where the rest is zero
  std::vector<Relocation> relocations;
  std::uint32_t line = 0;
};

/// What stands at an operand's place.
enum class OperandKind : std::uint8_t {
  reg,        ///< register `id`; `negated` for !p; `-%r` is refused where no opcode takes it
  integer,    ///< `value` in two's complement
  real32,     ///< 0f...: `value` holds 32 bits
  real64,     ///< 0d... or decimal: `value` holds 64 bits
  symbol,     ///< module variable or function `name`, plus `value` (signed)
  variable,   ///< variable `id` of this function, plus `value` (signed)
  special,    ///< special register `name` without %: "tid.x"
  label,      ///< label `id` of this function
  table,      ///< branch table `id` of this function
  prototype,  ///< call prototype `id` of this function
  vector,     ///< {parts...}
  address,    ///< [parts[0] + value]; parts[0] is reg, symbol, variable or integer
  pair,       ///< parts[0] | parts[1]
  list,       ///< (parts...) of a call
  sink,       ///< _
};

/// One operand.
struct Operand {
  OperandKind kind = OperandKind::sink;
  bool negated = false;
  std::uint32_t id = 0;
  std::uint64_t value = 0;
  std::string_view name;
  std::vector<Operand> parts;
};

/// No guard.
inline constexpr std::uint32_t no_register = 0xffffffffu;

/// One instruction as written.
struct Instruction {
  std::string_view opcode;  ///< with its modifiers: "ld.global.nc.v2.f64"
  std::vector<Operand> operands;
  std::uint32_t guard = no_register;
  bool guard_negated = false;
  std::uint32_t line = 0;         ///< of the PTX text, from 1
  std::uint32_t source_file = 0;  ///< of .loc: number of .file; 0: none
  std::uint32_t source_line = 0;
};

/// A name for the instruction it stands before.
struct Label {
  std::string_view name;
  std::uint32_t instruction = 0;  ///< index; the number of instructions for a label at the end
};

/// `.branchtargets`: labels by index.
struct BranchTable {
  std::string_view name;
  std::vector<std::uint32_t> labels;
};

/// `.callprototype`, or the head of a function: parameters as variables of space param (registers are given one too).
struct Prototype {
  std::string_view name;
  std::vector<Variable> returns;
  std::vector<Variable> parameters;
};

/// An .entry or .func. A .func without body is a declaration.
struct Function {
  std::string_view name;
  bool is_entry = false;
  bool has_body = false;
  bool is_external = false;
  std::uint32_t line = 0;
  std::vector<Register> registers;
  std::vector<Variable> variables;  ///< .param of the head and the body, .local, .shared; ids of OperandKind::variable
  std::vector<std::uint32_t> parameters;           ///< variable ids, in order
  std::vector<std::uint32_t> returns;              ///< variable ids; `.reg` parameters have a variable and a register
  std::vector<std::uint32_t> parameter_registers;  ///< beside parameters: register id of a `.reg` one, or no_register
  std::vector<std::uint32_t> return_registers;     ///< beside returns
  std::vector<Instruction> instructions;
  std::vector<Label> labels;
  std::vector<BranchTable> branch_tables;
  std::vector<Prototype> prototypes;
  std::array<std::uint32_t, 3> max_threads{};       ///< .maxntid, zeros: none
  std::array<std::uint32_t, 3> required_threads{};  ///< .reqntid
  std::uint32_t min_blocks = 0;                     ///< .minnctapersm
  std::uint32_t max_registers = 0;                  ///< .maxnreg
};

/// One translation unit of PTX. String views point into the text that was parsed.
struct Module {
  unsigned version = 0;  ///< 90 for 9.0
  std::uint32_t version_line = 0;
  std::string_view target;          ///< "sm_80"
  unsigned target_capability = 0;   ///< 80
  bool target_is_specific = false;  ///< sm_90a, sm_100f
  std::uint32_t target_line = 0;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<std::string> files;          ///< of .file, by number; [0] is empty
  std::deque<std::string> joined_opcodes;  ///< opcodes whose modifiers stood apart ("add .s32"); their views point here
};

}  // namespace emulator::ptx
