// SPDX-License-Identifier: Apache-2.0
// Reads, finds and checks the override rows.
#include "plan/overrides.hpp"

#include <set>

#include "plan/data.hpp"
#include "plan/toml.hpp"

namespace bindgen::plan {
namespace {

Json json_of(const toml::node& node) {
  if (const auto flag = node.value_exact<bool>()) return *flag;
  if (const auto number = node.value_exact<std::int64_t>()) return *number;
  if (const auto text = node.value_exact<std::string>()) return *text;
  return nullptr;
}

std::string header_of(const std::string& group, const std::string& name) { return "[\"" + group + "\"." + name + "]"; }

bool is_known_key(const std::string& key) {
  static const std::set<std::string> known = {"match",   "role",    "alloc", "rank",  "length_from", "convert",
                                              "produce", "details", "from",  "until", "hits",        "reason"};
  return known.count(key) != 0;
}

OverrideRow row_of(const std::string& group, const std::string& name, const toml::table& table) {
  const auto text = [&](const char* key) { return table[key].value_or(std::string{}); };
  OverrideRow row;
  row.key = header_of(group, name);
  row.id = group + "." + name;
  if (table.contains("match"))
    row.match = strings_at(table, "match");
  else
    row.match = {group + "." + name};
  row.role = text("role");
  row.rank = text("rank");
  row.alloc = text("alloc");
  if (row.alloc.empty()) row.alloc = "-";
  row.length_from = text("length_from");
  row.convert = text("convert");
  row.produce = text("produce");
  row.from = text("from");
  row.until = text("until");
  row.hits = static_cast<long>(table["hits"].value_or(std::int64_t{0}));
  row.reason = text("reason");
  if (const auto* details = table["details"].as_table()) {
    for (const auto& [key, value] : *details) row.details[std::string(key.str())] = json_of(value);
  }
  return row;
}

std::string fault_of(const OverrideRow& row, const toml::table& table) {
  for (const auto& [key, value] : table) {
    if (!is_known_key(std::string(key.str()))) return "has the unknown key \"" + std::string(key.str()) + "\"";
  }
  if (row.reason.empty()) return "has no reason";
  if (row.hits < 1) return "does not say how many parameters it settles (hits)";
  if (row.role != "in" && row.role != "out" && row.role != "inout") return "has no role (in, out, inout)";
  if (row.role != "in" && row.alloc != "caller" && row.alloc != "callee")
    return "does not say who allocates (caller, callee)";
  if (row.rank.empty()) return "has no rank (value, slot, buffer, string, address)";
  return {};
}

}  // namespace

bool matches_pattern(const std::string& pattern, const std::string& text) {
  const auto star = pattern.find('*');
  if (star == std::string::npos) return pattern == text;
  if (text.compare(0, star, pattern, 0, star) != 0) return false;
  const auto rest = pattern.substr(star + 1);
  for (auto at = star; at <= text.size(); ++at) {
    if (matches_pattern(rest, text.substr(at))) return true;
  }
  return false;
}

Overrides Overrides::read(const std::string& path, const std::string& release, Diagnostics& diagnostics) {
  Overrides overrides;
  const auto file = read_toml(path);
  for (const auto& [group, rows] : file) {
    if (!rows.is_table()) continue;
    for (const auto& [name, value] : *rows.as_table()) {
      const auto place = path + ":" + std::to_string(value.source().begin.line);
      if (!value.is_table()) {
        diagnostics.add("E207", place, "the row [\"" + std::string(group.str()) + "\"] names no parameter");
        break;
      }
      const auto row = row_of(std::string(group.str()), std::string(name.str()), *value.as_table());
      if (const auto fault = fault_of(row, *value.as_table()); !fault.empty()) {
        diagnostics.add("E207", place, "the row " + row.key + " " + fault);
      }
      const bool is_early = !row.from.empty() && is_before(release, row.from);
      const bool is_late = !row.until.empty() && is_before(row.until, release);
      if (!is_early && !is_late) overrides.rows_.push_back(row);
    }
  }
  return overrides;
}

OverrideRow* Overrides::find(const std::string& function, const std::string& parameter, Diagnostics& diagnostics) {
  OverrideRow* found = nullptr;
  const auto name = function + "." + parameter;
  for (auto& row : rows_) {
    for (const auto& pattern : row.match) {
      if (!matches_pattern(pattern, name)) continue;
      if (found != nullptr && found != &row) {
        diagnostics.add("E201", name, "two rows decide " + name + ": " + found->key + " and " + row.key);
      }
      if (found != &row) ++row.used;
      found = &row;
    }
  }
  return found;
}

void Overrides::check(const std::string& path, Diagnostics& diagnostics) const {
  for (const auto& row : rows_) {
    if (row.used != row.hits) {
      diagnostics.add("E202", path,
                      "the row " + row.key + " settles " + std::to_string(row.used) + " parameters, not " +
                          std::to_string(row.hits),
                      row.used == 0 ? "remove it" : "hits = " + std::to_string(row.used));
    } else if (row.redundant == row.used) {
      diagnostics.add("E203", path, "the row " + row.key + " changes nothing: the rules decide the same without it",
                      "remove it");
    }
  }
}

}  // namespace bindgen::plan
