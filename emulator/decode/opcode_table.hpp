// SPDX-License-Identifier: Apache-2.0
// The one table of opcodes: normalised spelling -> operand signature -> handler. What is not here fails at module load.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "machine/op.hpp"

namespace emulator {

/// A row. The signature lists operands in Op::operand order, blank-separated:
///   "=b32" destination of 32 bits, "b32" source, "=p" "p" predicates ("p" may be negated), "i" a literal integer that goes to Op::immediate,
///   a trailing '*' : the register may be wider than the type (cvt, ld, st), a trailing '?': may be absent (offset 0 then: the all-lanes mask),
///   "_" the slot is left free. Widths are b8 b16 b32 b64. Vectors and pairs are flattened by the decoder before matching.
struct OpcodeRow {
  std::string spelling;
  std::string signature;
  Handler handler = nullptr;
};

/// Lets a string's hash be asked for with a view.
struct SpellingHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

/// All rows of one instruction set variant of the handlers.
class OpcodeTable {
 public:
  /// Adds a row; two rows of one spelling are a defect that a test finds.
  void add(std::string spelling, std::string signature, Handler handler);
  /// The row of a normalised spelling, or null.
  [[nodiscard]] const OpcodeRow* find(std::string_view spelling) const;
  /// Whether some row begins with that base opcode.
  [[nodiscard]] bool has_base(std::string_view base) const { return bases_.contains(base); }
  [[nodiscard]] const std::vector<std::string>& duplicates() const { return duplicates_; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  std::unordered_map<std::string, OpcodeRow, SpellingHash, std::equal_to<>> rows_;
  std::unordered_set<std::string, SpellingHash, std::equal_to<>> bases_;
  std::vector<std::string> duplicates_;
};

/// The table for this CPU, built at the first call: AVX2 handlers where the CPU has them, unless CUDA_BINDINGS_EMULATOR_ISA=baseline.
const OpcodeTable& opcode_table();

/// "avx2" or "baseline".
std::string_view opcode_table_variant();

}  // namespace emulator
