// SPDX-License-Identifier: Apache-2.0
// Reads the tables that concern functions.
#include "plan/function_data.hpp"

#include <filesystem>
#include <stdexcept>

#include "plan/toml.hpp"

namespace bindgen::plan {
namespace {

std::map<std::string, std::string> string_map(const toml::table& table, const std::string& place) {
  std::map<std::string, std::string> map;
  for (const auto& [key, value] : table)
    map[std::string(key.str())] = text_of(value, place + "." + std::string(key.str()));
  return map;
}

void read_conversions(const toml::table& file, FunctionData& data) {
  data.rules.attribute_enums = strings_at(file, "attribute_enums");
  data.rules.option_enums = strings_at(file, "option_enums");
  data.tensor_rank = file["tensor_rank"]["parameter"].value_or(std::string{});
  data.tensor_limit = static_cast<int>(file["tensor_rank"]["max_length"].value_or(std::int64_t{0}));
  if (const auto* rows = file["tensor_rank"]["fewer"].as_table()) {
    for (const auto& [name, fewer] : *rows)
      data.tensor_fewer[std::string(name.str())] = static_cast<int>(fewer.value_or(std::int64_t{0}));
  }
  data.optional_elements = string_map(table_at(file, "optional_elements"), "optional_elements");
  for (const auto& [name, row] : table_at(file, "addresses")) {
    const auto& table = *row.as_table();
    data.addresses[std::string(name.str())] = {table["access"].value_or(std::string{}),
                                               table["bytes"].value_or(std::string{})};
  }
}

void read_names(const toml::table& file, FunctionData& data) {
  data.python_names = string_map(table_at(file, "parameters"), "parameters");
  for (const auto& [name, row] : table_at(file, "overloads")) {
    require_reason(*row.as_table(), "names.toml: overloads." + std::string(name.str()));
    data.overloads[std::string(name.str())] = (*row.as_table())["older"].value_or(std::string{});
  }
}

std::set<std::string> names_in(const toml::table& file, const std::string& key) {
  std::set<std::string> names;
  if (const auto* table = file[key].as_table()) {
    for (const auto& [name, reason] : *table) names.insert(std::string(name.str()));
  }
  return names;
}

// Link name = release; the tables are grouped by release, each with its reason.
std::map<std::string, std::string> by_release(const std::string& path) {
  std::map<std::string, std::string> map;
  if (!std::filesystem::exists(path)) return map;
  const auto file = read_toml(path);
  for (const auto& [release, row] : file) {
    require_reason(*row.as_table(), path + ": " + std::string(release.str()));
    for (const auto& name : strings_at(*row.as_table(), "names")) map[name] = std::string(release.str());
  }
  return map;
}

}  // namespace

FunctionData read_function_data(const std::string& folder) {
  FunctionData data;
  read_conversions(read_toml(folder + "/conversions.toml"), data);
  read_names(read_toml(folder + "/names.toml"), data);
  data.gil_held = string_map(table_at(read_toml(folder + "/gil.toml"), "hold"), "hold");
  data.callbacks = read_callback_data(folder);
  const auto exclusions = read_toml(folder + "/exclusions.toml");
  data.excluded_functions = names_in(exclusions, "functions");
  data.excluded_constants = names_in(exclusions, "constants");
  data.abi_since = by_release(folder + "/abi_since.toml");
  data.changes = by_release(folder + "/changes.toml");
  data.first_seen = by_release(folder + "/first_seen.toml");
  return data;
}

}  // namespace bindgen::plan
