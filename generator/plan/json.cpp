// SPDX-License-Identifier: Apache-2.0
// Writes plan.json: fixed keys in a fixed order, nothing left out, so that a template need not ask whether a key is
// there.
#include "plan/json.hpp"

namespace bindgen::plan {
namespace {

Json optional(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }
Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json to_json(const facts::Constant& constant) {
  return {{"name", constant.name}, {"module", constant.module}, {"value", constant.value}};
}

Json to_json(const HandleClass& handle) {
  return {{"id", handle.id},           {"name", handle.name},     {"module", handle.module},
          {"kind", handle.kind},       {"c_type", handle.c_type}, {"base", optional(handle.base)},
          {"accepts", handle.accepts}, {"none", handle.none}};
}

Json to_json(const EnumClass& entry) {
  Json values = Json::array();
  for (const auto& [name, value] : entry.values) values.push_back(Json::array({name, value}));
  return {{"id", entry.id},       {"name", entry.name},        {"module", entry.module}, {"c_type", entry.c_type},
          {"group", entry.group}, {"signed", entry.is_signed}, {"values", values}};
}

Json to_json(const FieldPlan& field) {
  return {{"name", field.name},
          {"offset", field.offset},
          {"kind", field.kind},
          {"type", optional(field.type)},
          {"count", field.count},
          {"hidden", field.is_hidden},
          {"readonly", field.is_readonly},
          {"count_field", optional(field.count_field)},
          {"c_type", field.c_type},
          {"initial", field.initial}};
}

Json to_json(const RecordClass& record) {
  Json fields = Json::array();
  for (const auto& field : record.fields) fields.push_back(to_json(field));
  return {{"id", record.id},         {"name", record.name},           {"module", record.module},
          {"c_type", record.c_type}, {"union", record.is_union},      {"size", record.size},
          {"align", record.align},   {"base", optional(record.base)}, {"nested", record.is_nested},
          {"fields", fields}};
}

Json to_json(const CallbackClass& callback) {
  Json arguments = Json::array();
  for (const auto& argument : callback.arguments) {
    arguments.push_back({{"name", argument.name},
                         {"kind", argument.kind},
                         {"c_type", argument.c_type},
                         {"type", optional(argument.type)},
                         {"annotation", argument.annotation}});
  }
  return {{"id", callback.id},          {"name", callback.name},           {"module", callback.module},
          {"named", callback.is_named}, {"prototype", callback.prototype}, {"returns", callback.returns},
          {"failed", callback.failed},  {"arguments", arguments}};
}

Json to_json(const ParameterPlan& param) {
  return {{"name", param.name},
          {"c_type", param.c_type},
          {"role", param.role},
          {"alloc", param.alloc},
          {"rank", param.rank},
          {"length_from", optional(param.length_from)},
          {"wrapper", optional(param.wrapper)},
          {"nullable", param.is_nullable},
          {"why", param.why}};
}

Json to_json(const Argument& argument) {
  Json json{{"python", argument.python}, {"convert", argument.convert}};
  for (const auto& [key, value] : argument.details.items()) json[key] = value;
  json["default"] = argument.default_value ? Json(*argument.default_value) : Json(nullptr);
  json["annotation"] = argument.annotation;
  return json;
}

Json to_json(const Output& output) {
  Json json{{"produce", output.produce}};
  for (const auto& [key, value] : output.details.items()) json[key] = value;
  json["annotation"] = output.annotation;
  return json;
}

Json to_json(const CallSlot& slot) {
  Json json{{"c_type", slot.c_type}, {"feed", slot.feed}, {"index", slot.index < 0 ? Json(nullptr) : Json(slot.index)}};
  if (!slot.part.empty()) json["part"] = slot.part;
  return json;
}

template <typename Entry>
Json list_of(const std::vector<Entry>& entries) {
  Json list = Json::array();
  for (const auto& entry : entries) list.push_back(to_json(entry));
  return list;
}

Json libraries() {
  return {
      {"driver", {{"status", "CUresult"}, {"success", "CUDA_SUCCESS"}, {"missing", "CUDA_ERROR_NOT_FOUND"}}},
      {"runtime",
       {{"status", "cudaError_t"}, {"success", "cudaSuccess"}, {"missing", "cudaErrorCallRequiresNewerDriver"}}},
      {"nvrtc", {{"status", "nvrtcResult"}, {"success", "NVRTC_SUCCESS"}, {"missing", "NVRTC_ERROR_INTERNAL_ERROR"}}}};
}

void append(std::string& text, const std::string& key, const Json& list, bool is_last) {
  text += " \"" + key + "\": [";
  for (std::size_t index = 0; index < list.size(); ++index) text += (index ? ",\n  " : "\n  ") + list[index].dump();
  text += is_last ? "\n ]\n" : "\n ],\n";
}

}  // namespace

Json to_json(const FunctionPlan& function) {
  Json json{{"name", function.name},
            {"module", function.module},
            {"link", function.link},
            {"ptds", or_null(function.ptds)},
            {"aliases", function.aliases},
            {"overload", or_null(function.overload)},
            {"status", or_null(function.status)},
            {"result", function.result},
            {"result_type", or_null(function.result_type)},
            {"bare", function.is_bare},
            {"gil", function.gil},
            {"since", optional(function.since)},
            {"abi_since", optional(function.abi_since)},
            {"deprecated", function.is_deprecated},
            {"group", or_null(function.group)},
            {"inline", function.is_inline},
            {"prototype", function.prototype},
            {"returns", function.returns}};
  json["params"] = list_of(function.params);
  json["arguments"] = list_of(function.arguments);
  json["outputs"] = list_of(function.outputs);
  json["call"] = list_of(function.call);
  json["callbacks"] = function.callbacks;
  return json;
}

std::string to_json_text(const Plan& plan) {
  std::string text = "{\n \"schema\": 1,\n \"release\": " + Json(plan.release).dump() + ",\n";
  text += " \"libraries\": " + libraries().dump() + ",\n";
  append(text, "constants", list_of(plan.constants), false);
  append(text, "handles", list_of(plan.handles), false);
  append(text, "enums", list_of(plan.enums), false);
  append(text, "records", list_of(plan.records), false);
  append(text, "callbacks", list_of(plan.callbacks), false);
  append(text, "types", Json(plan.types), false);
  append(text, "functions", list_of(plan.functions), true);
  return text + "}\n";
}

}  // namespace bindgen::plan
