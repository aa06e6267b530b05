// SPDX-License-Identifier: Apache-2.0
// Joins what the views of the headers say into one set of facts.
#include "facts/extract.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "facts/declarations.hpp"
#include "facts/json.hpp"
#include "facts/macros.hpp"
#include "facts/since.hpp"

namespace bindgen::facts {
namespace {

clang::TranslationUnit parse(const clang::Index& index, const Headers& headers, View view) {
  return {index, "umbrella.c", headers.umbrella(), parser_arguments(headers.folders(), view)};
}

// Public names, from the macros that rename functions.
void name_functions(Declarations& declarations, const Macros& macros) {
  std::map<std::string, std::string> public_of;
  for (const auto& [name, link] : macros.functions) public_of[link] = name;
  for (auto& function : declarations.facts.functions) {
    const auto found = public_of.find(function.link);
    if (found == public_of.end() || found->second == function.link) continue;
    function.name = found->second;
    function.is_macro = true;
  }
  for (auto& position : declarations.positions) {
    const auto found = public_of.find(position.name);
    if (position.kind == "function" && found != public_of.end()) position.name = found->second;
  }
}

// Twins with a per-thread default stream. One that has its body in the header (cuGetProcAddress_v2_ptsz) is no symbol.
void add_twins(Facts& facts, const Facts& per_thread, const Macros& macros) {
  std::set<std::string> symbols;
  for (const auto& function : per_thread.functions) {
    if (!function.is_inline) symbols.insert(function.link);
  }
  for (auto& function : facts.functions) {
    const auto found = macros.functions.find(function.name);
    const bool is_twin = found != macros.functions.end() && found->second != function.link && symbols.count(found->second);
    if (is_twin) function.ptds = found->second;
  }
}

// Prototypes of older ABIs, visible only to the library's own builds. Twins are known already.
void add_internal(Declarations& declarations, const Declarations& internal) {
  std::set<std::string> known;
  for (const auto& function : declarations.facts.functions) known.insert({function.link, function.ptds});
  for (auto function : internal.facts.functions) {
    if (function.is_inline || known.count(function.link)) continue;
    function.visibility = "internal";
    for (const auto& position : internal.positions) {
      if (position.kind == "function" && position.name == function.link) declarations.positions.push_back(position);
    }
    declarations.facts.functions.push_back(std::move(function));
  }
}

void add_macros(Declarations& declarations, Macros& macros) {
  declarations.facts.constants = std::move(macros.constants);
  for (const auto& [name, type] : macros.types) declarations.facts.typedefs.push_back({name, "runtime", type});
  declarations.positions.insert(declarations.positions.end(), macros.positions.begin(), macros.positions.end());
}

std::vector<std::string> headers_read(const Headers& headers, const std::vector<clang::Inclusion>& inclusions) {
  std::map<std::string, std::string> by_name;
  for (const auto& inclusion : inclusions) {
    if (const auto name = headers.cuda_name(inclusion.file)) by_name[*name] = inclusion.file;
  }
  std::vector<std::string> paths;
  for (const auto& [name, path] : by_name) paths.push_back(path);
  return paths;
}

int kind_order(const std::string& kind) {
  static const std::vector<std::string> order = {"constant", "typedef", "handle", "callback", "enum", "record", "function"};
  return static_cast<int>(std::find(order.begin(), order.end(), kind) - order.begin());
}

void sort_positions(Positions& positions) {
  std::sort(positions.begin(), positions.end(), [](const Position& left, const Position& right) {
    return std::make_tuple(kind_order(left.kind), left.name, left.header, left.line) <
           std::make_tuple(kind_order(right.kind), right.name, right.header, right.line);
  });
}

}  // namespace

Extraction extract(const Headers& headers, const std::string& data_folder, Diagnostics& diagnostics) {
  (void)data_folder;
  const clang::Index index;
  Extraction result;
  Declarations declarations;
  {
    const auto unit = parse(index, headers, View::standard);
    headers.check(unit, "C", diagnostics);
    declarations = read_declarations(unit, headers, diagnostics);
    read_comments(unit, headers, declarations);
    auto macros = read_macros(index, unit, headers, View::standard, diagnostics);
    restore_type_names(unit, macros, declarations.facts);
    name_functions(declarations, macros);
    add_macros(declarations, macros);
    result.other_macros = std::move(macros.others);
    result.headers = headers_read(headers, unit.inclusions());
  }
  Diagnostics seen_already;  // the same headers once more: what they declare has been checked
  {
    const auto unit = parse(index, headers, View::per_thread);
    headers.check(unit, "C, per-thread default stream", diagnostics);
    const auto per_thread = read_declarations(unit, headers, seen_already);
    add_twins(declarations.facts, per_thread.facts, read_macros(index, unit, headers, View::per_thread, seen_already));
  }
  {
    const auto unit = parse(index, headers, View::internal);
    headers.check(unit, "C, internal", diagnostics);
    auto internal = read_declarations(unit, headers, seen_already);
    read_comments(unit, headers, internal);
    add_internal(declarations, internal);
  }
  add_releases(index, headers, declarations.facts, diagnostics);
  sort(declarations.facts);
  sort_positions(declarations.positions);
  result.facts = std::move(declarations.facts);
  result.positions = std::move(declarations.positions);
  return result;
}

}  // namespace bindgen::facts
