// SPDX-License-Identifier: Apache-2.0
// Reads name = "reason" tables.
#include "facts/reasons.hpp"

#include <toml++/toml.h>
#include <stdexcept>

namespace bindgen::facts {

Reasons Reasons::read(const std::string& path) {
  Reasons reasons;
  const auto parsed = toml::parse_file(path);
  for (const auto& [section, rows] : parsed) {
    const auto* table = rows.as_table();
    if (!table) throw std::runtime_error(path + ": " + std::string(section.str()) + " is no table");
    auto& target = reasons.sections_[std::string(section.str())];
    for (const auto& [name, reason] : *table) {
      const auto text = reason.value<std::string>();
      if (!text || text->empty()) throw std::runtime_error(path + ": " + std::string(name.str()) + " has no reason");
      target[std::string(name.str())] = *text;
    }
  }
  return reasons;
}

bool Reasons::explains(const std::string& section, const std::string& name) {
  if (!rows(section).count(name)) return false;
  used_.insert(section + "." + name);
  return true;
}

const std::string& Reasons::reason(const std::string& section, const std::string& name) const {
  return rows(section).at(name);
}

std::vector<std::string> Reasons::unused(const std::vector<std::string>& sections) const {
  std::vector<std::string> names;
  for (const auto& section : sections) {
    for (const auto& [name, reason] : rows(section)) {
      if (!used_.count(section + "." + name)) names.push_back(section + "." + name);
    }
  }
  return names;
}

const std::map<std::string, std::string>& Reasons::rows(const std::string& section) const {
  static const std::map<std::string, std::string> none;
  const auto found = sections_.find(section);
  return found == sections_.end() ? none : found->second;
}

}  // namespace bindgen::facts
