// SPDX-License-Identifier: Apache-2.0
// The table of opcodes, and the choice between the handlers' instruction set variants.
#include "decode/opcode_table.hpp"

#include <cstdlib>
#include <utility>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace emulator {

#define EMULATOR_ROWS_OF_OP_FILES(declare)                                                                       \
  declare(add_integer_rows) declare(add_carry_rows) declare(add_bit_rows) declare(add_video_rows)                \
      declare(add_compare_rows) declare(add_move_rows) declare(add_integer_convert_rows) declare(add_float_rows) \
          declare(add_rounding_rows) declare(add_approximate_rows) declare(add_float_compare_rows)               \
              declare(add_half_rows) declare(add_float_convert_rows) declare(add_memory_rows) declare(add_atomic_rows)

#define EMULATOR_DECLARE(name) void name(OpcodeTable& table);
#define EMULATOR_CALL(name) name(table);

// ops/rows.hpp declares these for one variant at a time: here all of them are needed.
namespace baseline {
EMULATOR_ROWS_OF_OP_FILES(EMULATOR_DECLARE)
}  // namespace baseline

#if defined(__x86_64__)
namespace avx2 {
EMULATOR_ROWS_OF_OP_FILES(EMULATOR_DECLARE)
}  // namespace avx2
#endif

EMULATOR_DECLARE(add_control_rows)
EMULATOR_DECLARE(add_collective_rows)
EMULATOR_DECLARE(add_special_rows)

namespace {

void add_baseline_rows(OpcodeTable& table) {
  using namespace baseline;
  EMULATOR_ROWS_OF_OP_FILES(EMULATOR_CALL)
}

#if defined(__x86_64__)
void add_avx2_rows(OpcodeTable& table) {
  using namespace avx2;
  EMULATOR_ROWS_OF_OP_FILES(EMULATOR_CALL)
}

/// F16C and LZCNT, which clang's __builtin_cpu_supports does not know.
bool cpu_has_f16c_and_lzcnt() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned features = 0;
  unsigned extended_features = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &features, &d) == 0) return false;
  if (__get_cpuid(0x80000001u, &a, &b, &extended_features, &d) == 0) return false;
  return (features & bit_F16C) != 0 && (extended_features & bit_LZCNT) != 0;
}

/// Every instruction set that the build's flags for the variant allow the compiler to use.
bool cpu_runs_avx2_variant() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") && cpu_has_f16c_and_lzcnt();
}
#endif

bool baseline_is_asked_for() {
  const char* asked = std::getenv("CUDA_BINDINGS_EMULATOR_ISA");
  return asked != nullptr && std::string_view(asked) == "baseline";
}

bool uses_avx2() {
#if defined(__x86_64__)
  static const bool answer = !baseline_is_asked_for() && cpu_runs_avx2_variant();
  return answer;
#else
  return false;
#endif
}

OpcodeTable make_table() {
  OpcodeTable table;
#if defined(__x86_64__)
  if (uses_avx2()) {
    add_avx2_rows(table);
  } else {
    add_baseline_rows(table);
  }
#else
  add_baseline_rows(table);
#endif
  add_control_rows(table);
  add_collective_rows(table);
  add_special_rows(table);
  return table;
}

}  // namespace

void OpcodeTable::add(std::string spelling, std::string signature, Handler handler) {
  const std::string_view base = std::string_view(spelling).substr(0, spelling.find('.'));
  if (!bases_.contains(base)) bases_.emplace(base);
  std::string key = spelling;
  const auto [place, is_new] =
      rows_.try_emplace(std::move(key), OpcodeRow{std::move(spelling), std::move(signature), handler});
  if (!is_new) duplicates_.push_back(place->first);
}

const OpcodeRow* OpcodeTable::find(std::string_view spelling) const {
  const auto found = rows_.find(spelling);
  return found == rows_.end() ? nullptr : &found->second;
}

const OpcodeTable& opcode_table() {
  static const OpcodeTable table = make_table();
  return table;
}

std::string_view opcode_table_variant() { return uses_avx2() ? "avx2" : "baseline"; }

}  // namespace emulator
