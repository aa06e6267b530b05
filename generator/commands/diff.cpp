// SPDX-License-Identifier: Apache-2.0
// cuda-bindgen diff: what a release adds, removes and changes.
#include "report/diff.hpp"

#include <iostream>

#include "commands.hpp"
#include "facts/json.hpp"

namespace bindgen {

int run_diff(const DiffOptions& options) {
  const auto older = facts::read_facts(options.snapshots + "/" + options.from);
  const auto newer = facts::read_facts(options.snapshots + "/" + options.to);
  std::cout << report::diff(older, newer, options.from, options.to);
  return 0;
}

}  // namespace bindgen
