// SPDX-License-Identifier: Apache-2.0
// Reads TOML files and refuses what is not there, by name.
#include "plan/toml.hpp"

#include <sstream>
#include <stdexcept>

namespace bindgen::plan {

toml::table read_toml(const std::string& path) {
  try {
    return toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    std::ostringstream text;
    text << error;
    throw std::runtime_error(path + ": " + text.str());
  }
}

const toml::table& table_at(const toml::table& parent, const std::string& key) {
  const auto* table = parent[key].as_table();
  if (table == nullptr) throw std::runtime_error("the data folder lacks the table [" + key + "]");
  return *table;
}

std::vector<std::string> strings_at(const toml::table& parent, const std::string& key) {
  std::vector<std::string> list;
  const auto* array = parent[key].as_array();
  if (array == nullptr) throw std::runtime_error("a row of the data folder lacks the list \"" + key + "\"");
  for (const auto& entry : *array) list.push_back(text_of(entry, key));
  return list;
}

std::string text_of(const toml::node& node, const std::string& place) {
  const auto text = node.value<std::string>();
  if (!text) throw std::runtime_error(place + " is not a text");
  return *text;
}

void require_reason(const toml::table& row, const std::string& place) {
  if (row["reason"].value_or(std::string{}).empty()) throw std::runtime_error(place + ": a row without a reason");
}

}  // namespace bindgen::plan
