// SPDX-License-Identifier: Apache-2.0
// The floating-point environment of a handler: set for its loop, whatever the thread had, and given back.
#pragma once

// Tests build the portable side on x86 too.
#if defined(__x86_64__) && !defined(EMULATOR_PORTABLE)
#define EMULATOR_HAS_MXCSR 1
#include <cstdint>
#else
#define EMULATOR_HAS_MXCSR 0
#include <cfenv>
#endif

namespace emulator::EMULATOR_ISA {

/// PTX rounding modifiers: .rn .rm .rp .rz, numbered as x86 does.
enum class Rounding : unsigned { nearest = 0, down = 1, up = 2, zero = 3 };

#if EMULATOR_HAS_MXCSR

// The memory clobbers keep a handler's loads after the entry and its stores before the exit, and so all arithmetic
// between them.
inline __attribute__((always_inline)) std::uint32_t read_mxcsr() noexcept {
  std::uint32_t value;
  asm volatile("stmxcsr %0" : "=m"(value) : : "memory");
  return value;
}

inline __attribute__((always_inline)) void write_mxcsr(std::uint32_t value) noexcept {
  asm volatile("ldmxcsr %0" : : "m"(value) : "memory");
}

/// Round to nearest, subnormals kept, nothing traps. A thread that is already so pays for one read.
class NearestScope {
 public:
  NearestScope() noexcept : saved_(read_mxcsr()), changed_((saved_ & control_bits) != default_control) {
    if (__builtin_expect(changed_, 0)) write_mxcsr(default_control);
  }
  ~NearestScope() {
    if (__builtin_expect(changed_, 0)) write_mxcsr(saved_);
  }
  NearestScope(const NearestScope&) = delete;
  NearestScope& operator=(const NearestScope&) = delete;

  /// Everything but the sticky exception flags.
  static constexpr std::uint32_t control_bits = 0xffc0;
  /// All exceptions masked, round to nearest, no flushing.
  static constexpr std::uint32_t default_control = 0x1f80;

 private:
  std::uint32_t saved_;
  bool changed_;
};

/// The same with a rounding mode. The CPU's own flushing is not used for .ftz: writing the register takes up to 40 ns
/// on some CPUs, which flushing in the arithmetic does not.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding mode) noexcept : saved_(read_mxcsr()) {
    write_mxcsr(NearestScope::default_control | static_cast<std::uint32_t>(mode) << 13);
  }
  ~RoundingScope() { write_mxcsr(saved_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  std::uint32_t saved_;
};

#else

/// A rounding mode, subnormals kept, nothing traps.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding mode) noexcept {
    std::feholdexcept(&saved_);
    std::fesetenv(FE_DFL_ENV);
    constexpr int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    std::fesetround(modes[static_cast<unsigned>(mode)]);
  }
  ~RoundingScope() { std::fesetenv(&saved_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  std::fenv_t saved_;
};

/// The same, to nearest.
class NearestScope : public RoundingScope {
 public:
  NearestScope() noexcept : RoundingScope(Rounding::nearest) {}
};

#endif

}  // namespace emulator::EMULATOR_ISA
