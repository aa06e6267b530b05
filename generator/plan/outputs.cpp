// SPDX-License-Identifier: Apache-2.0
// Picks how an output is made from what the call wrote.
#include "plan/conversions.hpp"

namespace bindgen::plan {
namespace {

Output make(const std::string& produce, Json details, const std::string& annotation) {
  Output output;
  output.produce = produce;
  output.details = std::move(details);
  output.annotation = annotation;
  return output;
}

}  // namespace

Output Signature::output(std::size_t parameter) const {
  const auto& decision = decisions_[parameter];
  const auto& type = decision.resolved;
  if (is_capacity(parameter)) {
    return make("capacity_count", {{"native", type.name}, {"capacity_from", argument_of_[parameter]}}, "int");
  }
  if (decision.plan.role == "inout") {
    const bool is_number = type.category == Category::number;
    return make("inout", {{"from_argument", argument_of_[parameter]}}, is_number ? "int" : type.name);
  }
  if (!decision.produce.empty()) return row_output(parameter);
  return pointer_output(parameter);
}

Output Signature::pointer_output(std::size_t parameter) const {
  const auto& decision = decisions_[parameter];
  const auto& type = decision.resolved;
  if (decision.attribute && type.category == Category::nothing) {
    const auto size = parameter_named("dataSize");
    return make("attribute_value",
                {{"table", decisions_[*decision.attribute].resolved.id},
                 {"attribute", argument_of_[*decision.attribute]},
                 {"size", size ? Json(argument_of_[*size]) : Json(nullptr)}},
                "Any");
  }
  const bool is_opaque = type.category == Category::handle || type.category == Category::record;
  const std::string kind = type.category == Category::handle ? "handle" : "record";
  // const CUgraphNode **: an array of the driver's own, as long as the function's count output says.
  if (type.depth == 2 && is_opaque) {
    for (std::size_t at = parameter; at < decisions_.size(); ++at) {
      const auto& count = decisions_[at].resolved;
      if (count.category == Category::number && count.depth == 1 && output_of_[at] >= 0) {
        return make("callee_" + kind + "_array", {{"type", type.id}, {"length", output_of_[at]}},
                    "list[" + type.name + "]");
      }
    }
  }
  if (const auto room = capacity(); room && type.depth == 1 && is_opaque) {
    return make(kind + "_array",
                {{"type", type.id}, {"capacity_from", argument_of_[*room]}, {"length", argument_of_[*room]}},
                "list[" + type.name + "]");
  }
  // Directly before its count: functions, numFunctions.
  if (decision.counted_by == parameter + 1 && type.depth == 1 && is_opaque) {
    const auto count = *decision.counted_by;
    decisions_[parameter].plan.alloc = "caller";
    decisions_[parameter].plan.rank = "buffer";
    return make(kind + "_array", {{"type", type.id}, {"capacity_from", nullptr}, {"length", argument_of_[count]}},
                "list[" + type.name + "]");
  }
  // cudaGLGetDevices: int *pCudaDevices, unsigned int cudaDeviceCount.
  if (decision.counted_by == parameter + 1 && type.depth == 1 && type.category == Category::number) {
    decisions_[parameter].plan.alloc = "caller";
    decisions_[parameter].plan.rank = "buffer";
    return make("number_array", {{"native", type.name}, {"length", argument_of_[*decision.counted_by]}}, "list[int]");
  }
  decisions_[parameter].plan.length_from.reset();
  if (type.depth == 2 && type.category == Category::nothing) return make("address", Json::object(), "int");
  if (type.depth == 2 && type.category == Category::number && type.name == "char")
    return make("string", Json::object(), "bytes | None");
  if (type.depth == 1) return slot_output(decision);
  refuse(parameter);
  return make("number", {{"native", "ulonglong"}}, "int");
}

Output Signature::slot_output(const Decision& decision) const {
  const auto& type = decision.resolved;
  switch (type.category) {
    case Category::number: {
      const bool is_float = type.name == "float" || type.name == "double";
      return make(is_float ? "float" : "number", {{"native", type.name}}, is_float ? "float" : "int");
    }
    case Category::enumeration: return make("enumeration", {{"type", type.id}}, type.name);
    case Category::handle: return make("handle", {{"type", type.id}}, type.name);
    default: return make("record", {{"type", type.id}}, type.name);
  }
}

Output Signature::row_output(std::size_t parameter) const {
  const auto& decision = decisions_[parameter];
  const auto& type = decision.resolved;
  const auto& produce = decision.produce;
  Json details = Json::object();
  std::string annotation = "int";
  if (produce == "record_array" || produce == "handle_array") {
    details = {{"type", type.id}, {"capacity_from", nullptr}};
    annotation = "list[" + type.name + "]";
  } else if (produce == "number_array") {
    details = {{"native", type.name}};
    annotation = "list[int]";
  } else if (produce == "name_buffer" || produce == "raw_bytes") {
    annotation = "bytes";
  } else if (produce == "color") {
    annotation = "tuple[float, float, float, float]";
  } else if (produce == "archs") {
    annotation = "list[int]";
  } else if (produce == "attribute_values") {
    annotation = "list[Any]";
    details = {{"table", nullptr}, {"attributes", nullptr}, {"sizes", nullptr}, {"count", nullptr}};
    for (std::size_t at = 0; at < decisions_.size(); ++at) {
      if (decisions_[at].convert == "attribute_sizes") details["sizes"] = argument_of_[at];
      if (decisions_[at].convert != "attribute_list") continue;
      details["table"] = decisions_[at].resolved.id;
      details["attributes"] = argument_of_[at];
      const auto counted = rules::PointerParameter(function_, at, context_.table, context_.data.rules).counted_by();
      if (counted) details["count"] = argument_of_[*counted];
    }
  }
  for (const auto& [key, value] : decision.details.items()) {
    const auto named = value.is_string() ? parameter_named(value.get<std::string>()) : std::nullopt;
    details[key] = named ? Json(argument_of_[*named]) : value;
  }
  return make(produce, details, annotation);
}

}  // namespace bindgen::plan
