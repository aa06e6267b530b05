// SPDX-License-Identifier: Apache-2.0
// Hand-made functions for the tests of the machine: ops from its own rows and a few small handlers, no decoder.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/launch.hpp"
#include "machine/rows.hpp"
#include "memory/address_space.hpp"

namespace emulator::testing {

/// The machine's handler of a spelling.
Handler row(const std::string& spelling);

// Handlers of the tests. Sources and destinations have 32 bits where nothing else is said.
Outcome nop(Warp& warp, const Op& op, LaneMask mask) noexcept;
/// d = a
Outcome move(Warp& warp, const Op& op, LaneMask mask) noexcept;
/// d = a (64 bits)
Outcome move_wide(Warp& warp, const Op& op, LaneMask mask) noexcept;
/// d = a + b
Outcome add(Warp& warp, const Op& op, LaneMask mask) noexcept;
/// p = a < b, p = a == b
Outcome less(Warp& warp, const Op& op, LaneMask mask) noexcept;
Outcome equal(Warp& warp, const Op& op, LaneMask mask) noexcept;
/// The word at host address `immediate`: d = old, word += a; lane by lane.
Outcome fetch_add(Warp& warp, const Op& op, LaneMask mask) noexcept;
/// d = old; word = c where it was b. Spends budget where it was not.
Outcome compare_and_swap(Warp& warp, const Op& op, LaneMask mask) noexcept;
/// d = the word, and spends budget as volatile loads do.
Outcome load_volatile(Warp& warp, const Op& op, LaneMask mask) noexcept;
/// The word = a.
Outcome store(Warp& warp, const Op& op, LaneMask mask) noexcept;
/// Words at host address `immediate`, one a thread of the grid: word[thread] = a.
Outcome put(Warp& warp, const Op& op, LaneMask mask) noexcept;
/// The same with 64 bits.
Outcome put_wide(Warp& warp, const Op& op, LaneMask mask) noexcept;
/// d = parameter bytes of each lane; operand 4: the parameter's offset, aux: its stride. put_parameter: the reverse, a in operand 0.
Outcome get_parameter(Warp& warp, const Op& op, LaneMask mask) noexcept;
Outcome put_parameter(Warp& warp, const Op& op, LaneMask mask) noexcept;

/// A place that a branch can name before it is known.
struct Label {
  std::uint32_t number = 0;
};

/// Assembles a Function. Registers are byte offsets; line numbers are pc + 1.
class Assembler {
 public:
  explicit Assembler(std::string name, std::uint32_t index = 0);
  Assembler(const Assembler&) = delete;
  Assembler& operator=(const Assembler&) = delete;

  std::uint32_t word();
  std::uint32_t wide();
  std::uint32_t predicate();
  std::uint32_t constant(std::uint32_t value);
  std::uint32_t wide_constant(std::uint64_t value);
  std::uint32_t special(const std::string& name);
  ParameterSlot parameter();
  ParameterSlot result();
  ParameterSlot slot();

  Label label();
  void bind(Label label);
  /// The pc of the next op.
  [[nodiscard]] std::uint32_t here() const { return static_cast<std::uint32_t>(function_.ops.size()); }
  /// Appends an op; returns it for what the arguments do not set.
  Op& op(Handler handler, std::vector<std::uint32_t> operands = {}, const void* memory = nullptr);
  Op& op(const std::string& spelling, std::vector<std::uint32_t> operands = {});
  void branch(Label target, std::uint32_t guard = guard_always);
  Op& call(const Function* callee, std::vector<ParameterSlot> arguments, std::vector<ParameterSlot> results,
           std::uint32_t address = 0);
  /// Bytes of local variables.
  void local(std::uint32_t bytes) { function_.local_bytes = bytes; }
  /// The function as calls of itself name it.
  const Function* self() const { return &function_; }
  /// The finished function; the assembler owns it.
  Function& finish();

 private:
  std::uint32_t take(std::uint32_t bytes, std::uint32_t alignment);
  std::uint32_t add_constant(std::uint8_t bytes, std::uint64_t value);

  Function function_;
  std::uint32_t constants_end_ = 64;  // the mask of all lanes comes first
  std::vector<std::pair<std::size_t, Label>> jumps_;
  std::vector<std::uint32_t> places_;
};

/// Negates a predicate operand or guard.
inline std::uint32_t negated(std::uint32_t predicate) { return predicate | 1u; }

/// What a test launches.
struct Machine {
  explicit Machine(Assembler& entry, std::vector<Assembler*> others = {});

  /// Runs the kernel. False where it ended with a fault: see `fault`.
  bool run(Dim3 grid, Dim3 block);

  DecodedModule module;
  Kernel kernel;
  Launch launch;
  DeviceServices services;
  std::atomic<bool> abandon{false};
  std::optional<Fault> fault;
};

/// One address space for the tests of a process.
AddressSpace& test_memory();

}  // namespace emulator::testing
