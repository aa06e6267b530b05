// SPDX-License-Identifier: Apache-2.0
// Which headers are read, where they lie, and how the parser is told so that nothing else is found.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clang/translation_unit.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::facts {

// generator/data/headers.toml
struct HeaderTable {
  std::vector<std::string> umbrella;
  std::vector<std::string> defines;
  std::vector<std::string> since;
  std::map<std::string, std::string> modules;
  std::map<std::string, std::string> inline_callbacks;  // "function.parameter" -> type
  std::set<std::string> only_used;
  std::set<std::string> shared;
};
HeaderTable read_header_table(const std::string& path);

struct HeaderFolders {
  std::vector<std::string> cuda;  // searched in this order
  std::string shims;
  std::string resource;  // clang's resource directory
  std::vector<std::string> libc;
};
// What the C library's headers are found under on this machine.
std::vector<std::string> default_libc_folders();

enum class View { standard, per_thread, internal, cplusplus };
std::vector<std::string> parser_arguments(const HeaderFolders& folders, View view);

class Headers {
 public:
  Headers(HeaderTable table, HeaderFolders folders);

  const HeaderTable& table() const { return table_; }
  const HeaderFolders& folders() const { return folders_; }
  // The text that includes every header of the umbrella.
  std::string umbrella() const;
  // Path -> name relative to its CUDA folder ("crt/host_defines.h"), or nothing where it lies in none.
  std::optional<std::string> cuda_name(const std::string& path) const;
  std::optional<std::string> shim_name(const std::string& path) const;
  // The module of a declaration in this file; nothing for a file that is neither CUDA's nor a shim.
  std::optional<std::string> module_of(const std::string& path) const;
  // E101 parser errors, E102 missing headers, E103 headers from elsewhere.
  void check(const clang::TranslationUnit& unit, const std::string& what, Diagnostics& diagnostics) const;
  std::string place(const clang::Place& place) const;
  std::string find(const std::string& header) const;  // its path, or empty

 private:
  HeaderTable table_;
  HeaderFolders folders_;
};

}  // namespace bindgen::facts
