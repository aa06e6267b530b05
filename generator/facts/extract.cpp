// SPDX-License-Identifier: Apache-2.0
// Joins what the views of the headers say into one set of facts.
#include "facts/extract.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "facts/agreement.hpp"
#include "facts/declarations.hpp"
#include "facts/json.hpp"
#include "facts/macros.hpp"
#include "facts/reasons.hpp"
#include "facts/since.hpp"
#include "facts/witness.hpp"

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
    const bool is_twin =
        found != macros.functions.end() && found->second != function.link && symbols.count(found->second);
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

// The words of a type: "const struct cudaExtent *" -> const, struct, cudaExtent.
void add_words(const std::string& type, std::set<std::string>& words) {
  std::string word;
  for (const char letter : type + " ") {
    if (std::isalnum(static_cast<unsigned char>(letter)) || letter == '_') {
      word += letter;
    } else if (!word.empty()) {
      words.insert(word);
      word.clear();
    }
  }
}

std::set<std::string> words_used(const Facts& facts, const std::set<std::string>& not_by) {
  std::set<std::string> words;
  for (const auto& fact : facts.typedefs) {
    if (!not_by.count(fact.name)) add_words(fact.type, words);
  }
  for (const auto& fact : facts.records) {
    if (not_by.count(fact.name)) continue;
    for (const auto& field : fact.fields) add_words(field.type, words);
  }
  const auto add_params = [&](const auto& fact) {
    add_words(fact.returns, words);
    for (const auto& param : fact.params) add_words(param.type, words);
  };
  for (const auto& fact : facts.callbacks) add_params(fact);
  for (const auto& fact : facts.functions) add_params(fact);
  return words;
}

// Drops the records and typedefs of [only_used] headers that no other fact names, and returns the records' names.
std::vector<std::string> drop_unused(Declarations& declarations, const std::set<std::string>& headers) {
  std::set<std::string> unused;
  for (const auto& position : declarations.positions) {
    if (headers.count(position.header)) unused.insert(position.name);
  }
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& word : words_used(declarations.facts, unused)) grew = unused.erase(word) > 0 || grew;
  }
  const auto is_unused = [&](const auto& fact) { return unused.count(fact.name) > 0; };
  std::vector<std::string> names;
  for (const auto& record : declarations.facts.records) {
    if (is_unused(record)) names.push_back(record.name);
  }
  std::erase_if(declarations.facts.records, is_unused);
  std::erase_if(declarations.facts.typedefs, is_unused);
  std::erase_if(declarations.positions,
                [&](const Position& position) { return headers.count(position.header) && is_unused(position); });
  std::sort(names.begin(), names.end());
  return names;
}

int kind_order(const std::string& kind) {
  static const std::vector<std::string> order = {"constant", "typedef", "handle",  "callback",
                                                 "enum",     "record",  "function"};
  return static_cast<int>(std::find(order.begin(), order.end(), kind) - order.begin());
}

void sort_positions(Positions& positions) {
  std::sort(positions.begin(), positions.end(), [](const Position& left, const Position& right) {
    return std::make_tuple(kind_order(left.kind), left.name, left.header, left.line) <
           std::make_tuple(kind_order(right.kind), right.name, right.header, right.line);
  });
}

std::set<std::string> link_names(const Facts& facts) {
  std::set<std::string> names;
  for (const auto& function : facts.functions) names.insert(function.link);
  return names;
}

// Every view of one extraction needs the same things.
struct Views {
  const clang::Index& index;
  const Headers& headers;
  Reasons& exclusions;
  Diagnostics& diagnostics;
  Diagnostics reported;  // what the standard view declares has been checked there: other views do not repeat its errors
};

// A macro named like the API's must be a function, a type or a number, or be known by name to be neither.
void check_other_macros(Views& views, const Macros& macros) {
  for (const auto& [name, place] : macros.others) {
    const bool is_api_name = name.rfind("CU", 0) == 0 || name.rfind("cu", 0) == 0 || name.rfind("NVRTC", 0) == 0 ||
                             name.rfind("nvrtc", 0) == 0;
    if (!is_api_name || views.exclusions.explains("macros", name)) continue;
    views.diagnostics.add(
        "E120", place, "the macro " + name + " is neither a function, nor a type, nor a number known to the compiler",
        "if it is nothing for the output, add to generator/data/exclusions.toml:\n  [macros]\n  " + name +
            " = \"...\"");
  }
}

Declarations standard_view(Views& views, Extraction& result) {
  const auto unit = parse(views.index, views.headers, View::standard);
  views.headers.check(unit, "C", views.diagnostics);
  auto declarations = read_declarations(unit, views.headers, views.diagnostics);
  read_comments(unit, views.headers, declarations);
  auto macros = read_macros(views.index, unit, views.headers, View::standard, views.diagnostics);
  restore_type_names(unit, macros, declarations.facts);
  name_functions(declarations, macros);
  add_macros(declarations, macros);
  check_other_macros(views, macros);
  if (views.diagnostics.empty())
    check_witness(views.headers, View::standard, link_names(declarations.facts), views.exclusions, views.diagnostics);
  result.headers = headers_read(views.headers, unit.inclusions());
  return declarations;
}

void per_thread_view(Views& views, Declarations& declarations) {
  const auto unit = parse(views.index, views.headers, View::per_thread);
  views.headers.check(unit, "C, per-thread default stream", views.diagnostics);
  const auto seen = read_declarations(unit, views.headers, views.reported);
  add_twins(declarations.facts, seen.facts,
            read_macros(views.index, unit, views.headers, View::per_thread, views.reported));
  auto known = link_names(declarations.facts);
  for (const auto& function : declarations.facts.functions) known.insert(function.ptds);
  check_witness(views.headers, View::per_thread, known, views.exclusions, views.diagnostics);
}

void internal_view(Views& views, Declarations& declarations) {
  const auto unit = parse(views.index, views.headers, View::internal);
  views.headers.check(unit, "C, internal", views.diagnostics);
  auto internal = read_declarations(unit, views.headers, views.reported);
  read_comments(unit, views.headers, internal);
  add_internal(declarations, internal);
  auto known = link_names(declarations.facts);
  for (const auto& function : declarations.facts.functions) known.insert(function.ptds);
  check_witness(views.headers, View::internal, known, views.exclusions, views.diagnostics);
}

void cplusplus_view(Views& views, const Declarations& c, const std::string& data_folder) {
  const auto unit = parse(views.index, views.headers, View::cplusplus);
  views.headers.check(unit, "C++", views.diagnostics);
  auto cplusplus = read_declarations(unit, views.headers, views.reported);
  auto macros = read_macros(views.index, unit, views.headers, View::cplusplus, views.reported);
  restore_type_names(unit, macros, cplusplus.facts);
  add_macros(cplusplus, macros);
  auto known = Reasons::read(data_folder + "/cpp_differences.toml");
  auto positions = c.positions;
  positions.insert(positions.end(), cplusplus.positions.begin(), cplusplus.positions.end());
  check_agreement(c.facts, cplusplus.facts, positions, known, views.diagnostics);
}

}  // namespace

Extraction extract(const Headers& headers, const std::string& data_folder, Diagnostics& diagnostics) {
  const clang::Index index;
  auto exclusions = Reasons::read(data_folder + "/exclusions.toml");
  Views views{index, headers, exclusions, diagnostics, {}};
  Extraction result;
  auto declarations = standard_view(views, result);
  if (!diagnostics.empty()) return result;  // headers that do not parse would be reported once per view
  cplusplus_view(views, declarations, data_folder);
  per_thread_view(views, declarations);
  internal_view(views, declarations);
  add_releases(index, headers, declarations.facts, diagnostics);
  for (const auto& row : exclusions.unused({"macros", "prototypes"}))
    diagnostics.add("E133", "generator/data/exclusions.toml", "row " + row + " matches nothing in the headers",
                    "remove it");
  result.unused = drop_unused(declarations, headers.table().only_used);
  sort(declarations.facts);
  sort_positions(declarations.positions);
  result.facts = std::move(declarations.facts);
  result.positions = std::move(declarations.positions);
  return result;
}

}  // namespace bindgen::facts
