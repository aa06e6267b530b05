// SPDX-License-Identifier: Apache-2.0
// Callback types as classes of the plan: what Python's callable receives, and what C expects back.
#pragma once

#include <string>

#include "facts/types.hpp"
#include "plan/functions.hpp"

namespace bindgen::plan {

// One class per named callback type, and one per callback that a planned function's parameter spells in place.
void add_callback_classes(const facts::Facts& facts, const std::vector<const facts::Function*>& functions,
                          const FunctionData& data, const TypeTable& table, const Places& places, Plan& plan,
                          Diagnostics& diagnostics);

// The class of a parameter that is a callback; nullptr for any other.
const CallbackClass* callback_class(const Plan& plan, const facts::Function& function, const Decision& decision);

// "Callable[[CUstream, CUresult, Any], object]"
std::string callable_annotation(const CallbackClass& callback);

// Whether the class has, in itself or in a member, a member that is a callback.
bool has_callback_member(const Plan& plan, const std::string& record_id);

// E220, with the row to paste.
void refuse_callback(const std::string& place, const std::string& name, const std::string& c_type,
                     const std::string& row, Diagnostics& diagnostics);

}  // namespace bindgen::plan
