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
  std::map<std::string, std::string> handle_kinds;
  std::map<std::string, std::string> list_members;  // member -> the one that counts it, or empty
  std::map<std::string, FieldRow> field_kinds;
  std::map<std::string, std::string> callback_members;  // member -> the one that CUDA hands to the callback
  std::vector<CastRow> casts;
};

// classes.toml and casts.toml as they are for one release; throws std::runtime_error naming file and key.
ClassData read_class_data(const std::string& folder, const std::string& release);

// "13.0" before "13.1" before "13.10".
bool is_before(const std::string& release, const std::string& other);

}  // namespace bindgen::plan
