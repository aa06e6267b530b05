// SPDX-License-Identifier: Apache-2.0
// Writes, reads and compares directions.lock.
#include "plan/lock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "facts/json.hpp"
#include "plan/data.hpp"

namespace bindgen::plan {
namespace {

std::string line_of(const std::string& name, const Decision& decision) {
  const auto& plan = decision.plan;
  return fmt::format("{:<58} {:<48} {:<6} {:<7} {:<8} {}", name, plan.c_type, plan.role, plan.alloc, plan.rank,
                     decision.rule);
}

std::string function_of(const std::string& name) { return name.substr(0, name.find('.')); }

}  // namespace

std::vector<LockLine> lock_lines(const PlanResult& result) {
  std::vector<LockLine> lines;
  for (const auto& function : result.decisions) {
    for (const auto& decision : function.parameters) {
      if (!decision.plan.is_pointer) continue;
      const auto name = function.function->name + "." + decision.plan.name;
      lines.push_back({name, line_of(name, decision), decision.is_weak});
    }
  }
  std::sort(lines.begin(), lines.end(),
            [](const LockLine& left, const LockLine& right) { return left.name < right.name; });
  return lines;
}

std::map<std::string, std::string> read_lock(const std::string& path) {
  std::map<std::string, std::string> lines;
  if (!std::filesystem::exists(path)) return lines;
  std::istringstream stream(facts::read_text(path));
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line[0] != '#') lines[line.substr(0, line.find(' '))] = line;
  }
  return lines;
}

std::map<std::string, std::string> read_previous_lock(const std::string& snapshots, const std::string& release) {
  std::string newest;
  for (const auto& entry : std::filesystem::directory_iterator(snapshots)) {
    const auto name = entry.path().filename().string();
    if (!std::filesystem::exists(entry.path() / "directions.lock") || !is_before(name, release)) continue;
    if (newest.empty() || is_before(newest, name)) newest = name;
  }
  if (newest.empty()) return {};
  return read_lock(snapshots + "/" + newest + "/directions.lock");
}

std::string lock_text(const std::string& release, const std::map<std::string, std::string>& lines) {
  std::string text = "# Directions of the pointer parameters of CUDA " + release +
                     ": type, role, who allocates, rank, rule. Written by `cuda-bindgen accept`.\n";
  for (const auto& [name, line] : lines) text += line + "\n";
  return text;
}

LockDifference compare(const std::map<std::string, std::string>& accepted, const std::vector<LockLine>& now) {
  LockDifference difference;
  std::set<std::string> seen;
  for (const auto& line : now) {
    seen.insert(line.name);
    const auto before = accepted.find(line.name);
    if (before == accepted.end())
      (line.is_weak ? difference.provisional : difference.added).push_back(line);
    else if (before->second != line.text)
      difference.changed.emplace_back(before->second, line);
  }
  for (const auto& [name, line] : accepted) {
    if (!seen.count(name)) difference.gone.push_back(name);
  }
  return difference;
}

void refuse(const LockDifference& difference, const std::string& release, const Places& places,
            Diagnostics& diagnostics) {
  const auto accept = "cuda-bindgen accept --release " + release + " ";
  const auto add = [&](const LockLine& line, const std::string& what) {
    diagnostics.add("E230", places.of("function", function_of(line.name)), what + " and not accepted:\n  " + line.text,
                    "where it is right:\n  " + accept + line.name);
  };
  for (const auto& line : difference.provisional) add(line, line.name + " is new, decided by a weak rule");
  for (const auto& line : difference.added) add(line, line.name + " is new");
  for (const auto& [before, line] : difference.changed) {
    diagnostics.add("E231", places.of("function", function_of(line.name)),
                    line.name + " is decided otherwise than accepted:\n  was " + before + "\n  now " + line.text,
                    "where it is right:\n  " + accept + line.name);
  }
  for (const auto& name : difference.gone) {
    diagnostics.add("E232", "directions.lock", name + " is in the lock, and no parameter has that name",
                    "cuda-bindgen accept --release " + release);
  }
}

}  // namespace bindgen::plan
