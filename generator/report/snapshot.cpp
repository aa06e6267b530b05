// SPDX-License-Identifier: Apache-2.0
// Compares two snapshots line by line, each line under the name of what it tells.
#include "report/snapshot.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "facts/json.hpp"
#include "plan/decisions.hpp"

namespace bindgen::report {
namespace {

struct Key {
  std::string kind;
  std::string name;
  std::string link;
  auto operator<=>(const Key&) const = default;
};

std::map<Key, std::string> lines_of(const facts::Facts& facts) {
  std::map<Key, std::string> lines;
  std::istringstream stream(facts::to_jsonl(facts));
  for (std::string line; std::getline(stream, line);) {
    const auto json = nlohmann::json::parse(line);
    lines[{json.value("kind", ""), json.value("name", ""), json.value("link", "")}] = line;
  }
  return lines;
}

}  // namespace

void check_snapshot(const Snapshot& committed, const Snapshot& read, const std::string& release,
                    Diagnostics& diagnostics) {
  const auto before = lines_of(committed.facts);
  const auto now = lines_of(read.facts);
  const plan::Places old_places(committed.positions);
  const plan::Places places(read.positions);
  const auto remedy = "where the headers are the right ones:\n  ./dev generate " + release;
  bool differ = false;
  const auto report = [&](const char* code, const std::string& place, const std::string& message) {
    differ = true;
    diagnostics.add(code, place, message, remedy);
  };
  for (const auto& [key, line] : now) {
    const auto what = "the " + key.kind + " " + key.name;
    const auto found = before.find(key);
    if (found == before.end())
      report("E150", places.of(key.kind, key.name), what + " is not in the committed facts:\n  " + line);
    else if (found->second != line)
      report("E151", places.of(key.kind, key.name),
             what + " is not as committed:\n  was " + found->second + "\n  now " + line);
  }
  for (const auto& [key, line] : before) {
    if (!now.count(key))
      report("E152", old_places.of(key.kind, key.name),
             "the " + key.kind + " " + key.name + " is committed and not in the headers:\n  " + line);
  }
  if (!differ && facts::to_jsonl(committed.positions) != facts::to_jsonl(read.positions))
    diagnostics.add("E153", "positions.jsonl", "the facts are as committed and stand on other lines", remedy);
}

}  // namespace bindgen::report
