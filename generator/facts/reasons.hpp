// SPDX-License-Identifier: Apache-2.0
// Tables of exact names with reasons, read from TOML, that know which of their rows were used.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace bindgen::facts {

class Reasons {
 public:
  // One table of names per [section]. Throws std::runtime_error where the file cannot be read or a reason is missing.
  static Reasons read(const std::string& path);

  // Whether the section has a row of this name; such a row counts as used.
  bool explains(const std::string& section, const std::string& name);
  const std::string& reason(const std::string& section, const std::string& name) const;
  // "section.name" of the rows that explained nothing, of these sections.
  std::vector<std::string> unused(const std::vector<std::string>& sections) const;
  const std::map<std::string, std::string>& rows(const std::string& section) const;

 private:
  std::map<std::string, std::map<std::string, std::string>> sections_;
  std::set<std::string> used_;
};

}  // namespace bindgen::facts
