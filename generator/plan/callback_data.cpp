// SPDX-License-Identifier: Apache-2.0
// Reads callbacks.toml.
#include "plan/callback_data.hpp"

#include <filesystem>
#include <set>
#include <stdexcept>

#include "plan/toml.hpp"

namespace bindgen::plan {
namespace {

const std::set<std::string> lifetimes = {"enqueued", "once", "registered", "call", "graph"};

CallbackRow row_from(const toml::table& table) {
  const auto text = [&](const char* key) { return table[key].value_or(std::string{}); };
  CallbackRow row{text("lifetime"),
                  text("user_data"),
                  text("stream"),
                  text("key"),
                  text("until"),
                  text("graph"),
                  table["failed"].value_or(std::int64_t{0})};
  if (!lifetimes.count(row.lifetime)) throw std::runtime_error("callbacks.toml: no lifetime \"" + row.lifetime + "\"");
  return row;
}

}  // namespace

CallbackData read_callback_data(const std::string& folder) {
  CallbackData data;
  const auto path = folder + "/callbacks.toml";
  if (!std::filesystem::exists(path)) return data;
  const auto file = read_toml(path);
  const auto each = [&](const char* key, const auto& use) {
    const auto* rows = file[key].as_array();
    if (rows == nullptr) return;
    for (const auto& row : *rows) {
      require_reason(*row.as_table(), "callbacks.toml");
      for (const auto& name : strings_at(*row.as_table(), "given")) use(name, *row.as_table());
    }
  };
  each("callback", [&](const std::string& name, const toml::table& row) { data.given[name] = row_from(row); });
  each("member", [&](const std::string& name, const toml::table& row) {
    data.members[name] = row["user_data"].value_or(std::string{});
  });
  return data;
}

}  // namespace bindgen::plan
