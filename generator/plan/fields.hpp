// SPDX-License-Identifier: Apache-2.0
// A record's members as rows of the record engine.
#pragma once

#include "facts/types.hpp"
#include "plan/data.hpp"
#include "plan/type_table.hpp"
#include "plan/types.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::plan {

// Truly anonymous members are flattened: their members stand in the parent, offsets added.
std::vector<FieldPlan> fields_of(const facts::Record& record, const std::string& module, const ClassData& data,
                                 const TypeTable& table, Diagnostics& diagnostics);

// reserved, reserved2, padding, pad: not in repr.
bool is_hidden_member(const std::string& name);

}  // namespace bindgen::plan
