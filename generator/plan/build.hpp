// SPDX-License-Identifier: Apache-2.0
// Facts and data in, plan and errors out.
#pragma once

#include <string>

#include "facts/types.hpp"
#include "plan/types.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::plan {

Plan build_plan(const facts::Facts& facts, const facts::Positions& positions, const std::string& data_folder,
                const std::string& release, Diagnostics& diagnostics);

}  // namespace bindgen::plan
