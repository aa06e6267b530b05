// SPDX-License-Identifier: Apache-2.0
// Compares two sets of facts kind by kind, name by name.
#include "report/diff.hpp"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "plan/functions.hpp"

namespace bindgen::report {
namespace {

using Shapes = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

std::string members(const facts::Record& record, const facts::Field& field) {
  const auto array = field.array ? fmt::format("[{}]", *field.array) : "";
  return fmt::format("{}{} {}{} at {}", record.is_union ? "| " : "", field.type, field.name, array, field.bits / 8);
}

Shapes shapes_of(const facts::Facts& facts) {
  Shapes shapes;
  for (const auto& fact : facts.constants) shapes[{"constant", fact.name}] = {std::to_string(fact.value)};
  for (const auto& fact : facts.typedefs) shapes[{"typedef", fact.name}] = {fact.type};
  for (const auto& fact : facts.handles) shapes[{"handle", fact.name}] = {fact.tag};
  for (const auto& fact : facts.callbacks) {
    auto text = fact.returns + " (";
    for (const auto& param : fact.params) text += (text.ends_with('(') ? "" : ", ") + param.type;
    shapes[{"callback", fact.name}] = {text + ")"};
  }
  for (const auto& fact : facts.enums) {
    auto& lines = shapes[{"enum", fact.name}];
    for (const auto& [name, value] : fact.values) lines.push_back(name + " = " + std::to_string(value));
  }
  for (const auto& fact : facts.records) {
    auto& lines = shapes[{"record", fact.name}];
    lines.push_back(fmt::format("size {}, alignment {}", fact.size, fact.align));
    for (const auto& field : fact.fields) lines.push_back(members(fact, field));
  }
  for (const auto& fact : facts.functions) {
    if (fact.visibility.empty()) shapes[{"function", fact.name}] = {plan::prototype_of(fact)};
  }
  return shapes;
}

std::vector<std::string> missing_in(const std::vector<std::string>& lines, const std::vector<std::string>& other) {
  std::map<std::string, int> counts;
  for (const auto& line : other) ++counts[line];
  std::vector<std::string> missing;
  for (const auto& line : lines) {
    if (counts[line]-- <= 0) missing.push_back(line);
  }
  return missing;
}

}  // namespace

std::string diff(const facts::Facts& older, const facts::Facts& newer, const std::string& from, const std::string& to) {
  const auto before = shapes_of(older);
  const auto after = shapes_of(newer);
  std::string added, removed, changed;
  int counts[3] = {0, 0, 0};
  for (const auto& [key, lines] : after) {
    const auto found = before.find(key);
    if (found == before.end()) {
      added += fmt::format("+ {} {}{}\n", key.first, key.second, key.first == "function" ? ": " + lines.front() : "");
      ++counts[0];
    } else if (found->second != lines) {
      changed += fmt::format("~ {} {}\n", key.first, key.second);
      for (const auto& line : missing_in(found->second, lines)) changed += "    - " + line + "\n";
      for (const auto& line : missing_in(lines, found->second)) changed += "    + " + line + "\n";
      ++counts[2];
    }
  }
  for (const auto& [key, lines] : before) {
    if (after.count(key)) continue;
    removed += fmt::format("- {} {}\n", key.first, key.second);
    ++counts[1];
  }
  return fmt::format("CUDA {} -> {}: {} added, {} removed, {} changed\n", from, to, counts[0], counts[1], counts[2]) +
         added + removed + changed;
}

}  // namespace bindgen::report
