// SPDX-License-Identifier: Apache-2.0
// Handlers neither need nor change the thread's floating-point environment; no spelling has two rows.
#include <cfenv>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "inputs.hpp"
#include "rows.hpp"

namespace emulator::float_tests {
namespace {

// Operands that all of these ops round, flush or trap on in a strange environment.
constexpr Operands f32_operands{0x00400001, 0x3f2aaaab, 0x00000003};
constexpr Operands f64_operands{0x3fd5555555555555, 0x3fb999999999999a, 0x0000000000000003};

const char* const f32_rows[] = {"add.f32",     "add.rp.f32",       "mul.ftz.f32",    "fma.rn.f32",
                                "fma.rz.f32",  "div.rn.f32",       "sqrt.rm.f32",    "rcp.rn.f32",
                                "min.f32",     "ex2.approx.f32",   "sin.approx.f32", "cvt.rni.s32.f32",
                                "cvt.f64.f32", "cvt.rn.f16x2.f32", "cvt.rn.f32.s64", "tanh.approx.f32",
                                "add.f16x2",   "fma.rn.bf16x2",    "setp.gt.f32",    "set.lt.f32.f32"};
const char* const f64_rows[] = {"add.f64",     "mul.rz.f64",      "fma.rn.f64",     "div.rn.f64",
                                "sqrt.rn.f64", "cvt.rn.f32.f64",  "cvt.rn.f16.f64", "cvt.rzi.s64.f64",
                                "setp.lt.f64", "rsqrt.approx.f64"};

std::uint64_t result_of(const Variant& variant, const char* spelling, const Operands& operands) {
  Row row(variant.table, spelling);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    for (unsigned source = 0; source < row.sources() && source < operands.size(); ++source) {
      row.set_source(source, lane, operands[source]);
    }
  }
  row.run(every_lane);
  return row.destination(0, 7);
}

// Rounds up, flushes, and traps on everything that a handler may not signal.
class StrangeEnvironment {
 public:
  StrangeEnvironment() {
    std::fegetenv(&saved_);
    std::fesetround(FE_UPWARD);
#if defined(__x86_64__)
    _mm_setcsr(strange);
#endif
  }
  ~StrangeEnvironment() { std::fesetenv(&saved_); }
  StrangeEnvironment(const StrangeEnvironment&) = delete;
  StrangeEnvironment& operator=(const StrangeEnvironment&) = delete;

  /// Whether it is still as it was set, but for sticky flags.
  static bool is_intact() {
#if defined(__x86_64__)
    return (_mm_getcsr() & ~0x3fu) == strange;
#else
    return std::fegetround() == FE_UPWARD;
#endif
  }

 private:
#if defined(__x86_64__)
  // Flush results, round up, read subnormals as zero; overflow, underflow, inexact and the others are not masked.
  static constexpr unsigned strange = 0x8000 | 0x4000 | 0x0040;
#endif
  std::fenv_t saved_;
};

void compare_in_strange_environment(const char* spelling, const Operands& operands) {
  for (const Variant& variant : variants()) {
    const std::uint64_t expected = result_of(variant, spelling, operands);
    std::uint64_t found = 0;
    bool intact = false;
    {
      const StrangeEnvironment environment;
      found = result_of(variant, spelling, operands);
      intact = StrangeEnvironment::is_intact();
    }
    EXPECT_EQ(found, expected) << spelling << ", " << variant.name;
    EXPECT_TRUE(intact) << spelling << ", " << variant.name;
  }
}

TEST(Environment, OfTheThreadDoesNotChangeResultsNorIsItChanged) {
  for (const char* spelling : f32_rows) compare_in_strange_environment(spelling, f32_operands);
  for (const char* spelling : f64_rows) compare_in_strange_environment(spelling, f64_operands);
}

TEST(Environment, DirectedRoundingIsGivenBack) {
  for (const Variant& variant : variants()) {
    result_of(variant, "add.rp.f32", f32_operands);
    EXPECT_EQ(std::fegetround(), FE_TONEAREST) << variant.name;
  }
}

TEST(Table, NoSpellingHasTwoRowsAndVariantsHaveTheSame) {
  for (const Variant& variant : variants()) {
    EXPECT_TRUE(variant.table.duplicates().empty()) << variant.name << ' ' << variant.table.duplicates().front();
    EXPECT_EQ(variant.table.size(), variants().front().table.size()) << variant.name;
  }
}

}  // namespace
}  // namespace emulator::float_tests
