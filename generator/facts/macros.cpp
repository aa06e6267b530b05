// SPDX-License-Identifier: Apache-2.0
// Lets clang say what each macro is, by compiling three probes for it.
#include "facts/macros.hpp"

#include <algorithm>
#include <set>

#include "clang/cursor.hpp"

namespace bindgen::facts {
namespace {

using clang::Cursor;

struct Candidate {
  std::string name;
  std::string module;
  Cursor cursor;
};

// Object-like macros with a body, in CUDA's headers; the last definition of each name.
std::vector<Candidate> candidates(const clang::TranslationUnit& unit, const Headers& headers) {
  std::map<std::string, Candidate> by_name;
  for (const auto& cursor : unit.root().children()) {
    if (cursor.kind() != CXCursor_MacroDefinition || cursor.is_macro_builtin() || cursor.is_macro_function()) continue;
    const auto place = cursor.place();
    const auto module = headers.module_of(place.file);
    if (!module || !headers.cuda_name(place.file) || cursor.tokens().size() < 2) continue;
    const auto name = cursor.spelling();
    by_name.insert_or_assign(name, Candidate{name, *module, cursor});
  }
  std::vector<Candidate> list;
  for (auto& [name, candidate] : by_name) list.push_back(std::move(candidate));
  return list;
}

constexpr unsigned probes_per_macro = 3;

std::string probe_text(const std::string& umbrella, const std::vector<Candidate>& list) {
  std::string text = umbrella;
  for (std::size_t number = 0; number < list.size(); ++number) {
    const auto& name = list[number].name;
    const auto suffix = std::to_string(number);
    text += "static const void *bindgen_reference_" + suffix + " = (const void *)&" + name + ";\n";
    text += "static const long long bindgen_value_" + suffix + " = (long long)(" + name + ");\n";
    text += "typedef __typeof__(" + name + ") bindgen_type_" + suffix + ";\n";
  }
  return text;
}

// The function that an initialiser takes the address of, or empty.
std::string referenced_function(const Cursor& cursor) {
  if (cursor.kind() == CXCursor_DeclRefExpr) {
    const auto target = cursor.referenced();
    return target.kind() == CXCursor_FunctionDecl ? target.spelling() : "";
  }
  for (const auto& child : cursor.children()) {
    if (auto name = referenced_function(child); !name.empty()) return name;
  }
  return {};
}

// In `long long v = (long long)(NAME)`: the type of NAME's own expression, "CUstream" for CU_STREAM_LEGACY.
std::string type_of_probe(const Cursor& probe) {
  for (const auto& cast : probe.children()) {
    const auto inner = cast.children();
    if (cast.kind() == CXCursor_CStyleCastExpr && !inner.empty()) return inner.back().type().spelling();
  }
  return "";
}

// One word that names an enum or a record. (An attribute compiles as a type, too: C's implicit int.)
bool is_type_name(const Candidate& candidate, const Cursor& probe) {
  const auto kind = probe.underlying().canonical().kind();
  return candidate.cursor.tokens().size() == 2 && (kind == CXType_Enum || kind == CXType_Record);
}

struct Answers {
  std::map<unsigned, Cursor> by_line;  // probes that compiled
  unsigned first_line = 0;

  const Cursor* probe(std::size_t number, unsigned which) const {
    const auto found = by_line.find(first_line + static_cast<unsigned>(number) * probes_per_macro + which);
    return found == by_line.end() ? nullptr : &found->second;
  }
};

Answers compiled_probes(const clang::TranslationUnit& unit, const std::string& file, unsigned first_line) {
  std::set<unsigned> failed;
  for (const auto& problem : unit.problems()) {
    if (problem.is_error && problem.place.file == file) failed.insert(problem.place.line);
  }
  Answers answers;
  answers.first_line = first_line;
  for (const auto& cursor : unit.root().children()) {
    const auto place = cursor.place();
    if (place.file != file || place.line < first_line || failed.count(place.line)) continue;
    if (cursor.kind() == CXCursor_VarDecl || cursor.kind() == CXCursor_TypedefDecl)
      answers.by_line.insert_or_assign(place.line, cursor);
  }
  return answers;
}

}  // namespace

Macros read_macros(const clang::Index& index, const clang::TranslationUnit& unit, const Headers& headers, View view,
                   Diagnostics& diagnostics) {
  const auto list = candidates(unit, headers);
  const auto umbrella = headers.umbrella();
  const auto first_line = static_cast<unsigned>(std::count(umbrella.begin(), umbrella.end(), '\n')) + 1;
  const std::string file = "macros.c";
  const clang::TranslationUnit probes(index, file, probe_text(umbrella, list),
                                      parser_arguments(headers.folders(), view));
  const auto answers = compiled_probes(probes, file, first_line);
  Macros macros;
  for (std::size_t number = 0; number < list.size(); ++number) {
    const auto& candidate = list[number];
    const auto place = candidate.cursor.place();
    const auto add_position = [&](const char* kind) {
      macros.positions.push_back({kind, candidate.name, headers.cuda_name(place.file).value_or(""), place.line});
    };
    const auto* reference = answers.probe(number, 0);
    const auto* value = answers.probe(number, 1);
    const auto* type = answers.probe(number, 2);
    const auto function = reference ? referenced_function(*reference) : "";
    const auto known = value ? value->evaluated() : std::nullopt;
    if (!function.empty()) {
      macros.functions[candidate.name] = function;
    } else if (known && type) {
      const auto spelled = type_of_probe(*value);
      if (*known < 0 && spelled.rfind("unsigned long", 0) == 0) {
        diagnostics.add("E115", headers.place(place), candidate.name + " is larger than a signed 64-bit number");
      }
      macros.constants.push_back({candidate.name, candidate.module, spelled, *known});
      add_position("constant");
    } else if (type && is_type_name(candidate, *type)) {
      macros.types[candidate.name] = candidate.cursor.tokens().at(1);
      add_position("typedef");
    } else {
      macros.others[candidate.name] = headers.place(place);
    }
  }
  return macros;
}

namespace {

struct Expansion {
  std::string file;
  unsigned offset = 0;
  std::string name;
};

std::vector<Expansion> expansions_of(const std::map<std::string, std::string>& types,
                                     const clang::TranslationUnit& unit) {
  std::vector<Expansion> list;
  for (const auto& cursor : unit.root().children()) {
    if (cursor.kind() != CXCursor_MacroExpansion || !types.count(cursor.spelling())) continue;
    const auto place = cursor.place();
    list.push_back({place.file, place.offset, cursor.spelling()});
  }
  return list;
}

void replace_word(std::string& text, const std::string& word, const std::string& by) {
  const auto at = text.find(word);
  if (at != std::string::npos) text.replace(at, word.size(), by);
}

}  // namespace

void restore_type_names(const clang::TranslationUnit& unit, const Macros& macros, Facts& facts) {
  const auto expansions = expansions_of(macros.types, unit);
  std::map<std::string, Function*> by_link;
  for (auto& function : facts.functions) by_link[function.link] = &function;
  for (const auto& cursor : unit.top_level()) {
    const auto found = cursor.kind() == CXCursor_FunctionDecl ? by_link.find(cursor.spelling()) : by_link.end();
    if (found == by_link.end()) continue;
    const auto params = cursor.parameters();
    for (std::size_t number = 0; number < params.size(); ++number) {
      const auto begin = params[number].begin();
      const auto end = params[number].end();
      for (const auto& expansion : expansions) {
        const bool is_inside =
            expansion.file == begin.file && expansion.offset >= begin.offset && expansion.offset <= end.offset;
        if (is_inside)
          replace_word(found->second->params[number].type, macros.types.at(expansion.name), expansion.name);
      }
    }
  }
}

}  // namespace bindgen::facts
