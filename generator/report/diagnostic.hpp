// SPDX-License-Identifier: Apache-2.0
// An error of the generator: a stable code, where, what, and what to do about it; and the list that collects them.
#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace bindgen {

struct Diagnostic {
  std::string code;     // "E101"; E1xx: headers and facts, E2xx and up: plan
  std::string place;    // "cuda.h:18211", or the data file and row
  std::string message;  // one sentence, no full stop
  std::string remedy;   // paste-ready lines, or empty
};

// `cuda.h:18211: E200: message`, then the remedy indented by two.
std::string to_text(const Diagnostic& diagnostic);

// Errors are collected, so that one run shows them all; nothing is printed before the end.
class Diagnostics {
 public:
  void add(Diagnostic diagnostic) { entries_.push_back(std::move(diagnostic)); }
  void add(std::string code, std::string place, std::string message, std::string remedy = {}) {
    entries_.push_back({std::move(code), std::move(place), std::move(message), std::move(remedy)});
  }
  bool empty() const { return entries_.empty(); }
  const std::vector<Diagnostic>& entries() const { return entries_; }
  bool has(const std::string& code) const;
  // Prints every entry in the order of (place's file, line, code), and returns the exit status: 0 if there is none, 1
  // otherwise.
  int print(std::ostream& stream) const;

 private:
  std::vector<Diagnostic> entries_;
};

}  // namespace bindgen
