// SPDX-License-Identifier: Apache-2.0
// Small readers over toml++ that name the file and key where a value is missing or of another type.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

namespace bindgen::plan {

// All throw std::runtime_error.
toml::table read_toml(const std::string& path);
const toml::table& table_at(const toml::table& parent, const std::string& key);
std::vector<std::string> strings_at(const toml::table& parent, const std::string& key);
std::string text_of(const toml::node& node, const std::string& place);
// Every exception says why it is one.
void require_reason(const toml::table& row, const std::string& place);

}  // namespace bindgen::plan
