// SPDX-License-Identifier: Apache-2.0
// Compares two views as maps from a name to one line of text.
#include "facts/agreement.hpp"

#include <map>
#include <string>
#include <vector>

namespace bindgen::facts {
namespace {

using Lines = std::map<std::string, std::string>;

void erase_all(std::string& text, const std::string& what) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at)) text.erase(at, what.size());
}

// C needs "struct cudaExtent" where C++ may say "cudaExtent".
std::string plain_type(std::string type) {
  for (const auto* keyword : {"struct ", "union ", "enum "}) erase_all(type, keyword);
  return type;
}

Lines function_lines(const Facts& facts) {
  Lines lines;
  for (const auto& function : facts.functions) {
    std::string line = plain_type(function.returns) + " (";
    for (const auto& param : function.params) line += plain_type(param.type) + " " + param.name + ", ";
    lines[function.link] = line + ")";
  }
  return lines;
}

Lines record_lines(const Facts& facts) {
  Lines lines;
  std::vector<std::string> nested;  // tags declared inside a union: of file scope in C, "Outer::Tag" in C++
  for (const auto& record : facts.records) {
    if (!record.nested_in.empty()) nested.push_back(record.nested_in + "::");
  }
  for (const auto& record : facts.records) {
    std::string line = std::to_string(record.size) + " bytes aligned to " + std::to_string(record.align) + ":";
    for (const auto& field : record.fields) {
      auto type = plain_type(field.type);
      for (const auto& outer : nested) erase_all(type, outer);
      line += " " + field.name + "@" + std::to_string(field.bits) + " " + type;
      if (field.array) line += "[" + std::to_string(*field.array) + "]";
    }
    lines[record.name] = line;
  }
  return lines;
}

Lines enumerator_lines(const Facts& facts) {
  Lines lines;
  for (const auto& entry : facts.enums) {
    for (const auto& [name, value] : entry.values) lines[name] = std::to_string(value);
  }
  return lines;
}

Lines constant_lines(const Facts& facts) {
  Lines lines;
  for (const auto& constant : facts.constants) lines[constant.name] = std::to_string(constant.value);
  return lines;
}

void compare(const std::string& section, const Lines& c, const Lines& cplusplus, const Lines& places, Reasons& known,
             Diagnostics& diagnostics) {
  const auto report = [&](const std::string& name, const std::string& in_c, const std::string& in_cplusplus) {
    if (in_c == in_cplusplus || known.explains(section, name)) return;
    const auto place = places.find(name);
    diagnostics.add("E130", place == places.end() ? name : place->second,
                    "of " + name + " C says \"" + in_c + "\", C++ says \"" + in_cplusplus + "\"",
                    "if it is known to be harmless, add to generator/data/cpp_differences.toml:\n  [" + section +
                        "]\n  " + name + " = \"...\"");
  };
  for (const auto& [name, line] : c) {
    const auto found = cplusplus.find(name);
    report(name, line, found == cplusplus.end() ? "nothing" : found->second);
  }
  for (const auto& [name, line] : cplusplus) {
    if (!c.count(name)) report(name, "nothing", line);
  }
}

}  // namespace

void check_agreement(const Facts& c, const Facts& cplusplus, const Positions& positions, Reasons& known,
                     Diagnostics& diagnostics) {
  Lines places;
  for (const auto& position : positions)
    places.emplace(position.name, position.header + ":" + std::to_string(position.line));
  compare("functions", function_lines(c), function_lines(cplusplus), places, known, diagnostics);
  compare("records", record_lines(c), record_lines(cplusplus), places, known, diagnostics);
  compare("enumerators", enumerator_lines(c), enumerator_lines(cplusplus), places, known, diagnostics);
  compare("constants", constant_lines(c), constant_lines(cplusplus), places, known, diagnostics);
  for (const auto& row : known.unused({"functions", "records", "enumerators", "constants"})) {
    diagnostics.add("E131", "generator/data/cpp_differences.toml", "row " + row + " matches no difference");
  }
}

}  // namespace bindgen::facts
