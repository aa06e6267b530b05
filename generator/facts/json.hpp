// SPDX-License-Identifier: Apache-2.0
// Facts as text: one entity a line, in fixed order and with fixed keys, so that equal facts are equal bytes.
#pragma once

#include <string>

#include "facts/types.hpp"

namespace bindgen::facts {

// Orders every list by name; functions of one name by link name.
void sort(Facts& facts);

std::string to_jsonl(const Facts& facts);
std::string to_jsonl(const Positions& positions);

// Both throw std::runtime_error naming `source` and the line where the text is not what to_jsonl writes.
Facts facts_from_jsonl(const std::string& text, const std::string& source = "facts.jsonl");
Positions positions_from_jsonl(const std::string& text, const std::string& source = "positions.jsonl");

// headers-snapshot/13.0 -> its facts and positions. Throw std::runtime_error where a file cannot be read.
Facts read_facts(const std::string& folder);
Positions read_positions(const std::string& folder);

// Whole files; both throw std::runtime_error naming the path.
std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

}  // namespace bindgen::facts
