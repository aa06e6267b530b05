// SPDX-License-Identifier: Apache-2.0
// Every fact, rule and reason behind one function's signature, as text.
#pragma once

#include <string>

#include "plan/build.hpp"

namespace bindgen::report {

std::string explain(const plan::FunctionPlan& plan, const plan::FunctionDecisions& decisions,
                    const plan::Places& places);

// "cuMemAlloc(bytesize: int) -> tuple[CUresult, CUdeviceptr]"
std::string python_signature(const plan::FunctionPlan& plan);

}  // namespace bindgen::report
