// SPDX-License-Identifier: Apache-2.0
// The C++ view of the headers must say what the C view says.
#pragma once

#include "facts/reasons.hpp"
#include "facts/types.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::facts {

// Functions (link names, parameter types), layouts, enumerators and constants. E130: a difference that `known` does not
// name, at its place in `positions`; E131: a row of `known` that matches no difference. Facts of the C view are those
// before unused ones were dropped.
void check_agreement(const Facts& c, const Facts& cplusplus, const Positions& positions, Reasons& known,
                     Diagnostics& diagnostics);

}  // namespace bindgen::facts
