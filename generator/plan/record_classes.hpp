// SPDX-License-Identifier: Apache-2.0
// Record classes: one per C tag, a subclass per typedef, one per member of unnamed type; and their fields.
#pragma once

#include "facts/types.hpp"
#include "plan/data.hpp"
#include "plan/type_table.hpp"
#include "plan/types.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::plan {

void register_record_classes(const facts::Facts& facts, TypeTable& table);
void add_record_classes(const facts::Facts& facts, const ClassData& data, const TypeTable& table, Plan& plan,
                        Diagnostics& diagnostics);

// "CUDA_RESOURCE_DESC_st::res::array" -> "CUDA_RESOURCE_DESC_st_res_array"
std::string record_class_name(const std::string& fact_name);

}  // namespace bindgen::plan
