// SPDX-License-Identifier: Apache-2.0
// A row's signature, read once a module and opcode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace emulator::decode {

/// One operand as a row wants it.
struct Slot {
  std::uint8_t bits = 0;     ///< 1 for predicates
  bool destination = false;  ///< "="
  bool literal = false;      ///< "i"
  bool wider = false;        ///< "*"
  bool optional = false;     ///< "?"
  bool free = false;         ///< "_"
};

using Signature = std::vector<Slot>;

/// Reads "=b32 b32 p?". Throws std::logic_error for a row that no decoder could serve.
Signature parse_signature(std::string_view text);

}  // namespace emulator::decode
