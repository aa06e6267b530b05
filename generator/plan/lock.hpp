// SPDX-License-Identifier: Apache-2.0
// directions.lock: one line per pointer parameter, read by whoever reviews a release or a rule.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plan/build.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::plan {

struct LockLine {
  std::string name;  // cuMemAlloc.dptr
  std::string text;  // the whole line
  bool is_weak = false;
};

// In the order of the names.
std::vector<LockLine> lock_lines(const PlanResult& result);

// An accepted lock by parameter name; empty where there is no file.
std::map<std::string, std::string> read_lock(const std::string& path);
// The lock of the newest older release in the folder: what is the same there needs no second look in a listing.
std::map<std::string, std::string> read_previous_lock(const std::string& snapshots, const std::string& release);
std::string lock_text(const std::string& release, const std::map<std::string, std::string>& lines);

struct LockDifference {
  std::vector<LockLine> provisional;                      // new, from a weak rule
  std::vector<LockLine> added;                            // new, from a strong rule or a row
  std::vector<std::pair<std::string, LockLine>> changed;  // accepted text, text now
  std::vector<std::string> gone;                          // names that no parameter has any more
};
LockDifference compare(const std::map<std::string, std::string>& accepted, const std::vector<LockLine>& now);

// E230 to E232: what a check of the committed tree refuses.
void refuse(const LockDifference& difference, const std::string& release, const Places& places,
            Diagnostics& diagnostics);

}  // namespace bindgen::plan
