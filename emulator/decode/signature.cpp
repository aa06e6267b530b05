// SPDX-License-Identifier: Apache-2.0
// A row's signature, read once a module and opcode.
#include "decode/signature.hpp"

#include <stdexcept>
#include <string>

namespace emulator::decode {
namespace {

Slot parse_slot(std::string_view word) {
  Slot slot;
  const std::string whole(word);
  if (word.starts_with('=')) {
    slot.destination = true;
    word.remove_prefix(1);
  }
  while (word.ends_with('*') || word.ends_with('?')) {
    (word.back() == '*' ? slot.wider : slot.optional) = true;
    word.remove_suffix(1);
  }
  if (word == "p") {
    slot.bits = 1;
  } else if (word == "b8") {
    slot.bits = 8;
  } else if (word == "b16") {
    slot.bits = 16;
  } else if (word == "b32") {
    slot.bits = 32;
  } else if (word == "b64") {
    slot.bits = 64;
  } else if (word == "i") {
    slot.literal = true;
  } else if (word == "_") {
    slot.free = true;
  } else {
    throw std::logic_error("opcode table: unknown operand '" + whole + "'");
  }
  return slot;
}

}  // namespace

Signature parse_signature(std::string_view text) {
  Signature slots;
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    const std::string_view word = text.substr(0, blank);
    if (!word.empty()) slots.push_back(parse_slot(word));
    text = blank == std::string_view::npos ? std::string_view() : text.substr(blank + 1);
  }
  return slots;
}

}  // namespace emulator::decode
