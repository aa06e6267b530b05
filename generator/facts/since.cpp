// SPDX-License-Identifier: Apache-2.0
// Pairs the versions in PFN_* names with the link names of a function.
#include "facts/since.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "clang/cursor.hpp"

namespace bindgen::facts {
namespace {

struct Versioned {
  std::string base;
  int version = 0;
};

// "cuMemAlloc" + "_v3020" -> both; "cuMemAlloc" alone counts as version 1, its first.
std::optional<Versioned> split_version(const std::string& name) {
  const auto mark = name.rfind("_v");
  if (mark == std::string::npos || mark + 2 == name.size()) return std::nullopt;
  const auto digits = name.substr(mark + 2);
  if (!std::all_of(digits.begin(), digits.end(), [](unsigned char digit) { return std::isdigit(digit); }))
    return std::nullopt;
  return Versioned{name.substr(0, mark), std::stoi(digits)};
}

std::map<std::string, std::set<int>> releases_by_base(const clang::TranslationUnit& unit) {
  std::map<std::string, std::set<int>> releases;
  const std::string prefix = "PFN_";
  for (const auto& cursor : unit.root().children()) {
    if (cursor.kind() != CXCursor_TypedefDecl) continue;
    const auto name = cursor.spelling();
    if (name.rfind(prefix, 0) != 0) continue;
    if (const auto versioned = split_version(name.substr(prefix.size())))
      releases[versioned->base].insert(versioned->version);
  }
  return releases;
}

}  // namespace

void add_releases(const clang::Index& index, const Headers& headers, Facts& facts, Diagnostics& diagnostics) {
  std::string text = headers.umbrella();
  for (const auto& header : headers.table().since) {
    if (!headers.find(header).empty()) text += "#include <" + header + ">\n";
  }
  const clang::TranslationUnit unit(index, "since.c", text, parser_arguments(headers.folders(), View::internal));
  headers.check(unit, "C, function pointer types", diagnostics);
  std::map<std::string, std::map<int, Function*>> by_base;
  for (auto& function : facts.functions) {
    const auto versioned = split_version(function.link).value_or(Versioned{function.link, 1});
    by_base[versioned.base][versioned.version] = &function;
  }
  for (const auto& [base, releases] : releases_by_base(unit)) {
    const auto found = by_base.find(base);
    if (found == by_base.end()) continue;
    if (found->second.size() != releases.size()) {
      diagnostics.add("E121", "cudaTypedefs.h",
                      base + " has " + std::to_string(releases.size()) + " releases but " +
                          std::to_string(found->second.size()) + " link names");
      continue;
    }
    auto release = releases.begin();
    for (auto& [version, function] : found->second) {
      function->since = {*release / 1000, *release % 1000 / 10};
      ++release;
    }
  }
}

}  // namespace bindgen::facts
