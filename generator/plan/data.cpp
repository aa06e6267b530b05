// SPDX-License-Identifier: Apache-2.0
// Reads the class tables of the data folder.
#include "plan/data.hpp"

#include "plan/toml.hpp"

namespace bindgen::plan {
namespace {

std::map<std::string, std::string> string_map(const toml::table& table, const std::string& place) {
  std::map<std::string, std::string> map;
  for (const auto& [key, value] : table) map[std::string(key.str())] = text_of(value, place + "." + std::string(key.str()));
  return map;
}

void read_classes(const toml::table& file, ClassData& data) {
  data.handle_bases = string_map(table_at(file, "handle_bases"), "handle_bases");
  for (const auto& name : strings_at(table_at(file, "none_refused"), "names")) data.none_refused.insert(name);
  data.list_members = string_map(table_at(file, "list_members"), "list_members");
  for (const auto& [member, row] : table_at(file, "field_kinds")) {
    const auto& table = *row.as_table();
    require_reason(table, "classes.toml: field_kinds." + std::string(member.str()));
    data.field_kinds[std::string(member.str())] = {table["kind"].value_or(std::string{}),
                                                   table["readonly"].value_or(false),
                                                   table["initial"].value_or(std::int64_t{0})};
  }
}

}  // namespace

ClassData read_class_data(const std::string& folder) {
  ClassData data;
  read_classes(read_toml(folder + "/classes.toml"), data);
  const auto casts = read_toml(folder + "/casts.toml");
  for (const auto& row : *casts["cast"].as_array()) {
    const auto& table = *row.as_table();
    require_reason(table, "casts.toml");
    data.casts.push_back({strings_at(table, "argument"), strings_at(table, "takes")});
  }
  return data;
}

}  // namespace bindgen::plan
