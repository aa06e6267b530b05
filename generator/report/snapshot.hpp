// SPDX-License-Identifier: Apache-2.0
// Holds what headers say against the committed snapshot of their release.
#pragma once

#include "facts/types.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::report {

/// The facts of one release and where they stand.
struct Snapshot {
  facts::Facts facts;
  facts::Positions positions;
};

/// E150: a fact that the committed ones have not; E151: one that is another; E152: one that is gone; E153: only lines
/// moved.
void check_snapshot(const Snapshot& committed, const Snapshot& read, const std::string& release,
                    Diagnostics& diagnostics);

}  // namespace bindgen::report
