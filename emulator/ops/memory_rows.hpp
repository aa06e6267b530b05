// SPDX-License-Identifier: Apache-2.0
// The parts of add_memory_rows.
#pragma once

#include <string>

#include "ops/rows.hpp"

namespace emulator::EMULATOR_ISA {

void add_load_rows(OpcodeTable& table);     // ld, ld.volatile of global, shared and generic memory
void add_store_rows(OpcodeTable& table);    // st, st.volatile of the same
void add_local_rows(OpcodeTable& table);    // ld and st of local memory
void add_frame_rows(OpcodeTable& table);    // ld.entry, ld.frame, st.frame
void add_address_rows(OpcodeTable& table);  // mov.local_address and its kin, cvta, isspacep, membar

/// One row of a load or store, from which its spelling and its signature follow.
struct RowName {
  const char* space;  ///< "global", "entry"...
  unsigned count;     ///< elements
  const char* type;
  unsigned register_bits;
  unsigned base_bits;  ///< 0: operand 4 is no register

  /// "global.v2.b32"
  [[nodiscard]] std::string spelling() const;
  /// Elements, free slots, base.
  [[nodiscard]] std::string signature(bool is_load) const;
};

}  // namespace emulator::EMULATOR_ISA
