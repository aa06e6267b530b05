// SPDX-License-Identifier: Apache-2.0
// Reads the class tables of the data folder.
#include "plan/data.hpp"

#include <cstdio>

#include "plan/callback_data.hpp"
#include "plan/toml.hpp"

namespace bindgen::plan {
namespace {

std::map<std::string, std::string> string_map(const toml::table& table, const std::string& place) {
  std::map<std::string, std::string> map;
  for (const auto& [key, value] : table)
    map[std::string(key.str())] = text_of(value, place + "." + std::string(key.str()));
  return map;
}

void read_classes(const toml::table& file, const std::string& release, ClassData& data) {
  data.handle_bases = string_map(table_at(file, "handle_bases"), "handle_bases");
  for (const auto& name : strings_at(table_at(file, "none_refused"), "names")) data.none_refused.insert(name);
  for (const auto& [member, row] : table_at(file, "list_members")) {
    const auto* table = row.as_table();
    if (table && is_before(release, (*table)["from"].value_or(release))) continue;
    data.list_members[std::string(member.str())] =
        table ? (*table)["count"].value_or(std::string{}) : text_of(row, "list_members");
  }
  for (const auto& [name, row] : table_at(file, "handle_kinds")) {
    require_reason(*row.as_table(), "classes.toml: handle_kinds." + std::string(name.str()));
    data.handle_kinds[std::string(name.str())] = (*row.as_table())["kind"].value_or(std::string{});
  }
  for (const auto& [member, row] : table_at(file, "field_kinds")) {
    const auto& table = *row.as_table();
    require_reason(table, "classes.toml: field_kinds." + std::string(member.str()));
    data.field_kinds[std::string(member.str())] = {table["kind"].value_or(std::string{}),
                                                   table["readonly"].value_or(false),
                                                   table["initial"].value_or(std::int64_t{0})};
  }
}

}  // namespace

bool is_before(const std::string& release, const std::string& other) {
  int major = 0, minor = 0, other_major = 0, other_minor = 0;
  std::sscanf(release.c_str(), "%d.%d", &major, &minor);
  std::sscanf(other.c_str(), "%d.%d", &other_major, &other_minor);
  return major != other_major ? major < other_major : minor < other_minor;
}

ClassData read_class_data(const std::string& folder, const std::string& release) {
  ClassData data;
  read_classes(read_toml(folder + "/classes.toml"), release, data);
  data.callback_members = read_callback_data(folder).members;
  const auto casts = read_toml(folder + "/casts.toml");
  for (const auto& row : *casts["cast"].as_array()) {
    const auto& table = *row.as_table();
    require_reason(table, "casts.toml");
    data.casts.push_back({strings_at(table, "argument"), strings_at(table, "takes")});
  }
  return data;
}

}  // namespace bindgen::plan
