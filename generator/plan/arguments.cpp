// SPDX-License-Identifier: Apache-2.0
// Picks the conversion by which an argument is read.
#include "plan/conversions.hpp"

namespace bindgen::plan {
namespace {

Argument make(const std::string& convert, Json details, const std::string& annotation) {
  Argument argument;
  argument.convert = convert;
  argument.details = std::move(details);
  argument.annotation = annotation;
  return argument;
}

std::string number_annotation(const std::string& native) {
  return native == "float" || native == "double" ? "float" : "int";
}

std::string or_none(const std::string& annotation, bool nullable) {
  return nullable ? annotation + " | None" : annotation;
}

}  // namespace

Argument Signature::argument(std::size_t parameter) const {
  const auto& decision = decisions_[parameter];
  Argument argument;
  if (option_parts_.count(parameter))
    argument = option_argument(parameter);
  else if (!decision.convert.empty())
    argument = row_argument(parameter);
  else if (is_callback(parameter))
    argument = callback_argument(parameter);
  else if (const auto callback = callback_of_user_data(parameter))
    argument = user_data_argument(*callback);
  else if (decision.plan.role == "inout")
    argument = both_argument(parameter);
  else if (decision.plan.is_pointer)
    argument = pointer_argument(parameter);
  else
    argument = value_argument(decision);
  const auto user = attribute_users_.find(parameter);
  if (user != attribute_users_.end()) {
    argument.convert = "attribute";
    argument.details = {{"table", decision.resolved.id}, {"nullable", false}};
  }
  argument.python = python_name(parameter);
  // What a signature says of None is also the parameter's own mark.
  decisions_[parameter].plan.is_nullable = argument.details.value("nullable", false);
  return argument;
}

Argument Signature::value_argument(const Decision& decision) const {
  const auto& type = decision.resolved;
  switch (type.category) {
    case Category::number:
      return make("number", {{"native", type.name}, {"nullable", false}}, number_annotation(type.name));
    case Category::enumeration: return make("enumeration", {{"type", type.id}, {"nullable", false}}, type.name);
    case Category::handle: {
      const bool nullable = is_handle_nullable(type.id);
      return make("handle", {{"type", type.id}, {"nullable", nullable}}, or_none(type.name, nullable));
    }
    default:
      return make("record", {{"type", type.id}, {"by_value", true}, {"inout", false}, {"nullable", false}}, type.name);
  }
}

bool Signature::is_handle_nullable(const std::string& id) const {
  for (const auto& handle : context_.plan.handles) {
    if (handle.id == id) return handle.none != "refuse";
  }
  return true;
}

Argument Signature::pointer_argument(std::size_t parameter) const {
  const auto& decision = decisions_[parameter];
  const auto& type = decision.resolved;
  if (decision.rule == "attribute-value") {
    const auto enumeration = *decision.attribute;
    return make(
        "attribute_set",
        {{"table", decisions_[enumeration].resolved.id}, {"attribute", python_name(enumeration)}, {"nullable", false}},
        "Any");
  }
  if (decision.rule == "kernel-parameters") return make("kernel_parameters", {{"nullable", true}}, "Any");
  if (decision.type.is_function_pointer || (type.category == Category::nothing && type.depth == 1))
    return address_argument(parameter);
  if (type.category == Category::nothing) return list_argument(parameter, "address_list");
  if (type.name == "char" && type.category == Category::number) {
    return type.depth == 1 ? make("string", {{"nullable", false}}, "bytes") : list_argument(parameter, "string_list");
  }
  if (type.depth != 1) {
    refuse(parameter);
    return make("number", {{"native", "ulonglong"}}, "int");
  }
  if (decision.rule == "pointer-to-handle") {
    // One handle's slot, or with a count beside it as many handles.
    const auto count = count_name(parameter);
    const std::string list = count.is_null() ? "" : " | Sequence[" + type.name + "]";
    return make("handle_pointer", {{"type", type.id}, {"count", count}, {"zero_after", false}, {"nullable", true}},
                type.name + list + " | int | None");
  }
  const bool is_list = decision.counted_by || type.category != Category::record;
  if (!is_list)
    return make("record", {{"type", type.id}, {"by_value", false}, {"inout", false}, {"nullable", true}},
                type.name + " | None");
  switch (type.category) {
    case Category::record: return list_argument(parameter, "record_list");
    case Category::enumeration: return list_argument(parameter, "enumeration_list");
    case Category::handle: {
      // cuuint64_t arrays without a count, as a tensor map's, are numbers; CUdeviceptr arrays are handles.
      const bool is_number = context_.table.is_integer_like(type.name) && !decision.counted_by;
      return list_argument(parameter, is_number ? "number_list" : "handle_list");
    }
    default: return list_argument(parameter, "number_list");
  }
}

Json Signature::count_name(std::size_t parameter) const {
  const auto& decision = decisions_[parameter];
  const auto from = decision.plan.length_from ? parameter_named(*decision.plan.length_from) : decision.counted_by;
  return from && argument_of_[*from] >= 0 ? Json(python_name(*from)) : Json(nullptr);
}

Argument Signature::list_argument(std::size_t parameter, const std::string& convert) const {
  const auto& decision = decisions_[parameter];
  const auto& type = decision.resolved;
  Json details = Json::object();
  std::string element = type.name;
  bool nullable = true;
  if (convert == "number_list") {
    const bool is_number = type.category == Category::number;
    const bool is_tensor = parameter_named(context_.data.tensor_rank).has_value();
    details["native"] = is_number ? type.name : native_of(context_.table.underlying(type.name));
    details["handle_type"] = is_number ? Json(nullptr) : Json(type.id);
    details["max_length"] = is_tensor ? Json(context_.data.tensor_limit) : Json(nullptr);
    element = is_number ? number_annotation(type.name) : type.name + " | int";
    nullable = is_tensor;
  } else if (convert == "string_list") {
    element = "bytes";
  } else if (convert == "address_list") {
    element = "Any";
  } else {
    details["type"] = type.id;
  }
  const auto rank = convert == "number_list" ? parameter_named(context_.data.tensor_rank) : std::nullopt;
  const auto count = count_name(parameter);
  details["count"] = count;
  details["check_count"] = !count.is_null();
  if (rank) {
    const auto fewer = context_.data.tensor_fewer.find(decision.fact->name);
    details["rank"] = python_name(*rank);
    details["fewer"] = fewer == context_.data.tensor_fewer.end() ? 0 : fewer->second;
  }
  if (convert == "record_list") {
    details["single"] = false;
    details["optional"] = context_.data.optional_elements.contains(type.id);
  }
  details["nullable"] = nullable;
  return make(convert, details, or_none("Sequence[" + element + "]", nullable));
}

Argument Signature::address_argument(std::size_t parameter) const {
  const auto& decision = decisions_[parameter];
  Json details{{"access", "none"}, {"bytes", nullptr}, {"nullable", true}};
  const auto row = context_.data.addresses.find(function_.name + "." + decision.fact->name);
  if (row != context_.data.addresses.end()) {
    details["access"] = row->second.access;
    details["bytes"] = row->second.bytes;
    for (std::size_t at = 0; at < decisions_.size(); ++at) {
      if (decisions_[at].fact->name == row->second.bytes) details["bytes"] = python_name(at);
    }
  }
  return make("address", details, "Any");
}

Argument Signature::option_argument(std::size_t parameter) const {
  const auto& [composite, part] = option_parts_.at(parameter);
  Json details{{"composite", composite}};
  std::string table;
  for (const auto& [at, entry] : option_parts_) {
    if (entry.first != composite) continue;
    if (entry.second == "jit_keys") {
      details["table"] = decisions_[at].resolved.id;
      details["python_options"] = python_name(at);
      table = decisions_[at].resolved.name;
    }
    if (entry.second == "jit_values") details["python_values"] = python_name(at);
    if (entry.second == "jit_count") details["python_count"] = python_name(at);
  }
  details["nullable"] = part != "jit_count";
  if (part == "jit_count") details["native"] = decisions_[parameter].resolved.name;
  if (part == "jit_keys") return make(part, details, "Sequence[" + table + "] | None");
  return make(part, details, part == "jit_values" ? "Sequence[Any] | None" : "int");
}

Argument Signature::both_argument(std::size_t parameter) const {
  const auto& decision = decisions_[parameter];
  const auto& type = decision.resolved;
  if (is_capacity(parameter)) {
    auto argument = make("capacity", {{"native", type.name}, {"nullable", false}}, "int");
    argument.default_value = 0;
    return argument;
  }
  if (type.category == Category::record && type.depth == 1) {
    return make("record", {{"type", type.id}, {"by_value", false}, {"inout", true}, {"nullable", true}},
                type.name + " | None");
  }
  if (type.category == Category::number && type.depth == 1) {
    return make("inout_number", {{"native", type.name}, {"nullable", false}}, number_annotation(type.name));
  }
  refuse(parameter);
  return make("number", {{"native", "ulonglong"}}, "int");
}

// A conversion that reads one value or slot, as a row asks for it.
std::optional<Argument> Signature::row_slot_argument(std::size_t parameter) const {
  const auto& type = decisions_[parameter].resolved;
  const auto& convert = decisions_[parameter].convert;
  if (convert == "handle_pointer") {
    return make(convert, {{"type", type.id}, {"count", nullptr}, {"zero_after", false}, {"nullable", true}},
                type.name + " | int | None");
  }
  if (convert == "inout_handle") return make(convert, {{"type", type.id}, {"nullable", true}}, type.name + " | None");
  if (convert == "inout_enumeration") return make(convert, {{"type", type.id}, {"nullable", false}}, type.name);
  if (convert == "inout_number") {
    return make(convert, {{"native", type.name}, {"nullable", false}}, number_annotation(type.name));
  }
  if (convert == "record") {
    return make(convert, {{"type", type.id}, {"by_value", false}, {"inout", false}, {"nullable", true}},
                type.name + " | None");
  }
  if (convert == "color") return make(convert, {{"nullable", false}}, "Sequence[float] | float");
  if (convert == "extra") return make(convert, {{"nullable", false}}, "int");
  return std::nullopt;
}

Argument Signature::row_argument(std::size_t parameter) const {
  const auto& decision = decisions_[parameter];
  const auto& convert = decision.convert;
  Argument argument;
  if (convert == "attribute_list" || convert == "attribute_sizes") {
    const bool is_list = convert == "attribute_list";
    argument = make(convert, {{"nullable", is_list}},
                    is_list ? "Sequence[" + decision.resolved.name + "] | None" : "Sequence[int]");
    if (is_list) argument.details["table"] = decision.resolved.id;
    const auto counted =
        rules::PointerParameter(function_, parameter, context_.table, context_.data.rules).counted_by();
    argument.details["count"] = counted ? Json(python_name(*counted)) : Json(nullptr);
  } else if (convert.ends_with("_list")) {
    argument = list_argument(parameter, convert);
  } else if (convert == "out_buffer") {
    const auto query = function_.name + "Size";
    const auto known = context_.by_name.count(query) ? Json(query) : Json(nullptr);
    argument = make(convert, {{"size", nullptr}, {"size_query", known}, {"nullable", false}}, "bytes | bytearray");
  } else if (auto slot = row_slot_argument(parameter)) {
    argument = std::move(*slot);
  } else {
    refuse(parameter);
  }
  add_row_details(parameter, argument);
  return argument;
}

// A row names parameters by their C names; Python is told its own.
void Signature::add_row_details(std::size_t parameter, Argument& argument) const {
  for (const auto& [key, value] : decisions_[parameter].details.items()) {
    const auto named = value.is_string() ? parameter_named(value.get<std::string>()) : std::nullopt;
    argument.details[key] = named ? Json(python_name(*named)) : value;
  }
  const bool nullable = argument.details.value("nullable", false);
  if (nullable && !argument.annotation.ends_with(" | None")) argument.annotation += " | None";
  if (argument.details.value("single", false)) {
    const auto& name = decisions_[parameter].resolved.name;
    argument.annotation = "Sequence[" + name + "] | " + name + " | None";
  }
}

}  // namespace bindgen::plan
