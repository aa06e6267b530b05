// SPDX-License-Identifier: Apache-2.0
// Spellings from their parts: in one place, because string code in every file of rows would outweigh the handlers.
#include "ops/float_lanes.hpp"

namespace emulator::EMULATOR_ISA {

std::string joined(std::initializer_list<std::string_view> parts, std::string_view between) {
  std::string text;
  for (const std::string_view part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += between;
    text += part;
  }
  return text;
}

void add_row(OpcodeTable& table, std::initializer_list<std::string_view> parts, const char* signature,
             Handler handler) {
  table.add(joined(parts), signature, handler);
}

}  // namespace emulator::EMULATOR_ISA
