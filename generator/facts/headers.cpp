// SPDX-License-Identifier: Apache-2.0
// Finds the headers, keeps every other folder out, and checks that none crept in.
#include "facts/headers.hpp"

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>

namespace bindgen::facts {
namespace {

std::vector<std::string> strings(const toml::table& table, const char* key) {
  std::vector<std::string> list;
  const auto* array = table[key].as_array();
  if (!array) throw std::runtime_error(std::string("no list \"") + key + "\"");
  for (const auto& entry : *array) list.push_back(entry.value<std::string>().value());
  return list;
}

std::string without_slash(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder;
}

std::optional<std::string> relative(const std::string& path, const std::string& folder) {
  if (folder.empty()) return std::nullopt;
  const auto from_root =
      path.size() > folder.size() && path.compare(0, folder.size(), folder) == 0 && path[folder.size()] == '/';
  if (!from_root) return std::nullopt;
  return std::filesystem::path(path.substr(folder.size() + 1)).lexically_normal().string();
}

// The headers of the C standard, which CUDA's may take from the C library or the compiler. Any other name is a leak.
bool is_standard_header(const std::string& path) {
  static const std::set<std::string> names = {"assert.h", "ctype.h",  "errno.h",  "float.h",   "inttypes.h", "limits.h",
                                              "math.h",   "memory.h", "stdarg.h", "stdbool.h", "stddef.h",   "stdint.h",
                                              "stdio.h",  "stdlib.h", "string.h", "time.h"};
  return names.count(std::filesystem::path(path).filename().string()) != 0;
}

}  // namespace

HeaderTable read_header_table(const std::string& path) {
  const auto parsed = toml::parse_file(path);
  HeaderTable table;
  table.umbrella = strings(parsed, "umbrella");
  table.defines = strings(parsed, "defines");
  table.since = strings(parsed, "since");
  const auto pairs = [&](const char* section, std::map<std::string, std::string>& target) {
    for (const auto& [key, value] : *parsed[section].as_table())
      target[std::string(key.str())] = value.value<std::string>().value();
  };
  pairs("modules", table.modules);
  pairs("inline_callbacks", table.inline_callbacks);
  for (const auto& name : strings(*parsed["only_used"].as_table(), "headers")) table.only_used.insert(name);
  for (const auto& name : strings(*parsed["shared"].as_table(), "names")) table.shared.insert(name);
  return table;
}

std::vector<std::string> default_libc_folders() {
  std::vector<std::string> folders;
  for (const auto* folder : {"/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu", "/usr/include"}) {
    if (std::filesystem::is_directory(folder)) folders.emplace_back(folder);
  }
  return folders;
}

std::vector<std::string> parser_arguments(const HeaderFolders& folders, View view) {
  std::vector<std::string> arguments = {"-nostdinc", "-ferror-limit=0", "-w", "-target", "x86_64-unknown-linux-gnu"};
  if (view == View::cplusplus) {
    arguments.insert(arguments.end(), {"-x", "c++", "-std=c++17"});
  } else {
    arguments.insert(arguments.end(), {"-x", "c", "-std=gnu11"});
  }
  if (view == View::per_thread) arguments.emplace_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM");
  if (view == View::internal) arguments.emplace_back("-D__CUDA_API_VERSION_INTERNAL");
  const auto add_folder = [&](const std::string& folder) { arguments.insert(arguments.end(), {"-isystem", folder}); };
  for (const auto& folder : folders.cuda) add_folder(folder);
  add_folder(folders.shims);
  add_folder(folders.resource + "/include");
  for (const auto& folder : folders.libc) add_folder(folder);
  return arguments;
}

Headers::Headers(HeaderTable table, HeaderFolders folders) : table_(std::move(table)), folders_(std::move(folders)) {
  for (auto& folder : folders_.cuda) folder = without_slash(folder);
  for (auto& folder : folders_.libc) folder = without_slash(folder);
  folders_.shims = without_slash(folders_.shims);
  folders_.resource = without_slash(folders_.resource);
}

std::string Headers::umbrella() const {
  std::string text;
  for (const auto& name : table_.defines) text += "#define " + name + "\n";
  for (const auto& header : table_.umbrella) text += "#include <" + header + ">\n";
  return text;
}

std::optional<std::string> Headers::cuda_name(const std::string& path) const {
  for (const auto& folder : folders_.cuda) {
    if (auto name = relative(path, folder)) return name;
  }
  return std::nullopt;
}

std::optional<std::string> Headers::shim_name(const std::string& path) const { return relative(path, folders_.shims); }

std::optional<std::string> Headers::module_of(const std::string& path) const {
  if (shim_name(path)) return "interop";
  const auto name = cuda_name(path);
  if (!name) return std::nullopt;
  const auto found = table_.modules.find(*name);
  return found == table_.modules.end() ? "runtime" : found->second;
}

std::string Headers::find(const std::string& header) const {
  for (const auto& folder : folders_.cuda) {
    if (std::filesystem::is_regular_file(folder + "/" + header)) return folder + "/" + header;
  }
  const auto shim = folders_.shims + "/" + header;
  return std::filesystem::is_regular_file(shim) ? shim : "";
}

std::string Headers::place(const clang::Place& place) const {
  if (place.file.empty()) return "";
  auto name = cuda_name(place.file);
  if (!name) name = shim_name(place.file);
  return name.value_or(std::filesystem::path(place.file).filename().string()) + ":" + std::to_string(place.line);
}

void Headers::check(const clang::TranslationUnit& unit, const std::string& what, Diagnostics& diagnostics) const {
  for (const auto& header : table_.umbrella) {
    if (find(header).empty())
      diagnostics.add("E102", header, "header not found in the folders given",
                      "pass its folder with --headers or --also");
  }
  for (const auto& problem : unit.problems()) {
    if (problem.is_error)
      diagnostics.add("E101", place(problem.place), "the parser reports (" + what + "): " + problem.text);
  }
  for (const auto& inclusion : unit.inclusions()) {
    const auto known = [&](const std::string& path) { return cuda_name(path) || shim_name(path); };
    const bool asked_by_cuda = known(inclusion.included_from) || inclusion.included_from == "umbrella.c";
    if (inclusion.included_from.empty() || !asked_by_cuda || known(inclusion.file)) continue;
    if (is_standard_header(inclusion.file)) continue;
    diagnostics.add("E103", place({inclusion.included_from, 1, 0}),
                    "includes " + inclusion.file + ", which lies outside the header folders",
                    "pass the folder of this release's own copy with --also");
  }
}

}  // namespace bindgen::facts
