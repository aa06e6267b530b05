// SPDX-License-Identifier: Apache-2.0
// Rows from patterns: one place, because string code in every file of rows would outweigh the handlers.
#include "ops/lane_rows.hpp"

namespace emulator::EMULATOR_ISA {
namespace {

std::string with_type(std::string_view pattern, std::string_view type) {
  std::string text;
  for (const char letter : pattern) {
    if (letter == '%') {
      text += type;
    } else {
      text += letter;
    }
  }
  return text;
}

}  // namespace

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

void add_rows(OpcodeTable& table, const char* spellings, const char* signature, Handler handler, const char* type) {
  std::string_view rest = spellings;
  while (!rest.empty()) {
    const auto end = rest.find(' ');
    table.add(with_type(rest.substr(0, end), type), with_type(signature, type), handler);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
}

}  // namespace emulator::EMULATOR_ISA
