// SPDX-License-Identifier: Apache-2.0
// The generator's data folder as values: exceptions, each with its reason, in TOML so that a reviewer can read them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace bindgen::plan {

struct FieldRow {
  std::string kind;
  bool is_readonly = false;
  std::int64_t initial = 0;
};

struct CastRow {
  std::vector<std::string> arguments;
  std::vector<std::string> takes;
};

struct ClassData {
  std::map<std::string, std::string> handle_bases;
  std::set<std::string> none_refused;
  std::map<std::string, std::string> list_members;
  std::map<std::string, FieldRow> field_kinds;
  std::vector<CastRow> casts;
};

// classes.toml and casts.toml; throws std::runtime_error naming file and line.
ClassData read_class_data(const std::string& folder);

}  // namespace bindgen::plan
