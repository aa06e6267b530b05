// SPDX-License-Identifier: Apache-2.0
// The rows of overrides.toml: parameters that no rule decides rightly.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/types.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::plan {

struct OverrideRow {
  std::string key;                 // as the file has it: ["nvrtcGet*".buffers]
  std::string id;                  // nvrtcGet*.buffers
  std::vector<std::string> match;  // function.parameter, with * as wildcard
  std::string role;
  std::string alloc;
  std::string rank;
  std::string length_from;  // a parameter's C name
  std::string convert;      // how an argument is read, where its type does not say
  std::string produce;      // how an output is made, where its type does not say
  Json details = Json::object();
  std::string from;   // the first release it is for, "13.1"; empty: all
  std::string until;  // the last one
  long hits = 0;
  std::string reason;
  long used = 0;
  long redundant = 0;  // parameters for which the rules say the same without it
};

class Overrides {
 public:
  // Throws std::runtime_error where the file cannot be read; a row without what it needs is an error E207.
  static Overrides read(const std::string& path, const std::string& release, Diagnostics& diagnostics);

  // The row for this parameter, counted as used; two rows for one parameter are an error E201.
  OverrideRow* find(const std::string& function, const std::string& parameter, Diagnostics& diagnostics);
  // E202: a row that matches nothing or another number than it says; E203: one that changes nothing.
  void check(const std::string& path, Diagnostics& diagnostics) const;
  const std::vector<OverrideRow>& rows() const { return rows_; }

 private:
  std::vector<OverrideRow> rows_;
};

// "cuda*Node.params" holds for "cudaGraphNode.params".
bool matches_pattern(const std::string& pattern, const std::string& text);

}  // namespace bindgen::plan
