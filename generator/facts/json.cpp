// SPDX-License-Identifier: Apache-2.0
// Writes and reads facts.jsonl and positions.jsonl.
#include "facts/json.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <tuple>

namespace bindgen::facts {
namespace {

using Json = nlohmann::ordered_json;

Json params_to_json(const std::vector<Parameter>& params, bool with_doc) {
  auto list = Json::array();
  for (const auto& param : params) {
    Json entry{{"name", param.name}, {"type", param.type}};
    if (with_doc) entry["doc"] = param.doc;
    list.push_back(std::move(entry));
  }
  return list;
}

Json to_json(const Constant& fact) {
  return {
      {"kind", "constant"}, {"name", fact.name}, {"module", fact.module}, {"type", fact.type}, {"value", fact.value}};
}

Json to_json(const Typedef& fact) {
  return {{"kind", "typedef"}, {"name", fact.name}, {"module", fact.module}, {"type", fact.type}};
}

Json to_json(const Handle& fact) {
  Json json{{"kind", "handle"}, {"name", fact.name}, {"module", fact.module}, {"tag", fact.tag}};
  if (fact.is_const) json["const"] = true;
  return json;
}

Json to_json(const Callback& fact) {
  Json json{{"kind", "callback"}, {"name", fact.name}, {"module", fact.module}, {"returns", fact.returns}};
  json["params"] = params_to_json(fact.params, false);
  return json;
}

Json to_json(const Enum& fact) {
  Json json{{"kind", "enum"}, {"name", fact.name}};
  if (!fact.tag.empty()) json["tag"] = fact.tag;
  json["module"] = fact.module;
  json["underlying"] = fact.underlying;
  auto values = Json::array();
  for (const auto& [name, value] : fact.values) values.push_back(Json::array({name, value}));
  json["values"] = std::move(values);
  return json;
}

Json to_json(const Record& fact) {
  Json json{
      {"kind", "record"}, {"name", fact.name}, {"module", fact.module}, {"size", fact.size}, {"align", fact.align}};
  auto fields = Json::array();
  for (const auto& field : fact.fields) {
    Json entry{{"name", field.name}, {"bits", field.bits}, {"type", field.type}};
    if (field.array) entry["array"] = *field.array;
    fields.push_back(std::move(entry));
  }
  json["fields"] = std::move(fields);
  if (fact.is_union) json["union"] = true;
  if (fact.is_anonymous) json["anonymous"] = true;
  if (!fact.nested_in.empty()) json["nested_in"] = fact.nested_in;
  return json;
}

Json to_json(const Function& fact) {
  Json json{{"kind", "function"},
            {"name", fact.name},
            {"link", fact.link},
            {"module", fact.module},
            {"returns", fact.returns}};
  json["params"] = params_to_json(fact.params, true);
  if (!fact.ptds.empty()) json["ptds"] = fact.ptds;
  if (fact.since) json["since"] = *fact.since;
  if (fact.is_deprecated) json["deprecated"] = true;
  if (fact.is_inline) json["inline"] = true;
  if (!fact.visibility.empty()) json["visibility"] = fact.visibility;
  if (fact.is_macro) json["macro"] = true;
  if (!fact.group.empty()) json["group"] = fact.group;
  return json;
}

template <typename Fact>
void append(std::string& text, const std::vector<Fact>& list) {
  for (const auto& fact : list) text += to_json(fact).dump() + "\n";
}

std::vector<Parameter> params_from_json(const Json& list) {
  std::vector<Parameter> params;
  for (const auto& entry : list) params.push_back({entry.at("name"), entry.at("type"), entry.value("doc", "none")});
  return params;
}

Constant constant_from_json(const Json& json) {
  return {json.at("name"), json.at("module"), json.at("type"), json.at("value")};
}

Typedef typedef_from_json(const Json& json) { return {json.at("name"), json.at("module"), json.at("type")}; }

Handle handle_from_json(const Json& json) {
  return {json.at("name"), json.at("module"), json.at("tag"), json.value("const", false)};
}

Callback callback_from_json(const Json& json) {
  return {json.at("name"), json.at("module"), json.at("returns"), params_from_json(json.at("params"))};
}

Enum enum_from_json(const Json& json) {
  Enum fact{json.at("name"), json.value("tag", ""), json.at("module"), json.at("underlying"), {}};
  for (const auto& entry : json.at("values")) fact.values.emplace_back(entry.at(0), entry.at(1));
  return fact;
}

Record record_from_json(const Json& json) {
  Record fact{json.at("name"),
              json.at("module"),
              json.at("size"),
              json.at("align"),
              {},
              json.value("union", false),
              json.value("anonymous", false),
              json.value("nested_in", "")};
  for (const auto& entry : json.at("fields")) {
    Field field{entry.at("name"), entry.at("bits"), entry.at("type"), std::nullopt};
    if (entry.contains("array")) field.array = entry.at("array").get<std::uint64_t>();
    fact.fields.push_back(std::move(field));
  }
  return fact;
}

Function function_from_json(const Json& json) {
  Function fact{json.at("name"),
                json.at("link"),
                json.at("module"),
                json.at("returns"),
                params_from_json(json.at("params")),
                json.value("ptds", ""),
                std::nullopt,
                json.value("deprecated", false),
                json.value("inline", false),
                json.value("visibility", ""),
                json.value("macro", false),
                json.value("group", "")};
  if (json.contains("since")) fact.since = json.at("since").get<std::array<int, 2>>();
  return fact;
}

void add_from_json(Facts& facts, const Json& json) {
  const std::string kind = json.at("kind");
  if (kind == "constant")
    facts.constants.push_back(constant_from_json(json));
  else if (kind == "typedef")
    facts.typedefs.push_back(typedef_from_json(json));
  else if (kind == "handle")
    facts.handles.push_back(handle_from_json(json));
  else if (kind == "callback")
    facts.callbacks.push_back(callback_from_json(json));
  else if (kind == "enum")
    facts.enums.push_back(enum_from_json(json));
  else if (kind == "record")
    facts.records.push_back(record_from_json(json));
  else if (kind == "function")
    facts.functions.push_back(function_from_json(json));
  else
    throw std::runtime_error("unknown kind \"" + kind + "\"");
}

// Calls `take` with each line's JSON; an exception leaves with the line's place in front.
template <typename Take>
void for_each_line(const std::string& text, const std::string& source, Take take) {
  std::istringstream stream(text);
  std::string line;
  for (unsigned number = 1; std::getline(stream, line); ++number) {
    if (line.empty()) continue;
    try {
      take(Json::parse(line));
    } catch (const std::exception& error) {
      throw std::runtime_error(source + ":" + std::to_string(number) + ": " + error.what());
    }
  }
}

template <typename Fact>
void sort_by_name(std::vector<Fact>& list) {
  std::sort(list.begin(), list.end(), [](const Fact& left, const Fact& right) { return left.name < right.name; });
}

}  // namespace

void sort(Facts& facts) {
  sort_by_name(facts.constants);
  sort_by_name(facts.typedefs);
  sort_by_name(facts.handles);
  sort_by_name(facts.callbacks);
  sort_by_name(facts.enums);
  sort_by_name(facts.records);
  std::sort(facts.functions.begin(), facts.functions.end(), [](const Function& left, const Function& right) {
    return std::tie(left.name, left.visibility, left.link) < std::tie(right.name, right.visibility, right.link);
  });
}

std::string to_jsonl(const Facts& facts) {
  std::string text;
  append(text, facts.constants);
  append(text, facts.typedefs);
  append(text, facts.handles);
  append(text, facts.callbacks);
  append(text, facts.enums);
  append(text, facts.records);
  append(text, facts.functions);
  return text;
}

std::string to_jsonl(const Positions& positions) {
  std::string text;
  for (const auto& position : positions) {
    text += Json{{"kind", position.kind}, {"name", position.name}, {"header", position.header}, {"line", position.line}}
                .dump() +
            "\n";
  }
  return text;
}

Facts facts_from_jsonl(const std::string& text, const std::string& source) {
  Facts facts;
  for_each_line(text, source, [&](const Json& json) { add_from_json(facts, json); });
  return facts;
}

Positions positions_from_jsonl(const std::string& text, const std::string& source) {
  Positions positions;
  for_each_line(text, source, [&](const Json& json) {
    positions.push_back({json.at("kind"), json.at("name"), json.at("header"), json.at("line")});
  });
  return positions;
}

Facts read_facts(const std::string& folder) {
  const auto path = folder + "/facts.jsonl";
  return facts_from_jsonl(read_text(path), path);
}

Positions read_positions(const std::string& folder) {
  const auto path = folder + "/positions.jsonl";
  return positions_from_jsonl(read_text(path), path);
}

std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_text(const std::string& path, const std::string& text) {
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder);
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error("cannot write " + path);
}

}  // namespace bindgen::facts
