// SPDX-License-Identifier: Apache-2.0
// Walks the types depth first, so that each declaration comes after those it needs.
#include "plan/declarations.hpp"

#include <algorithm>
#include <set>

namespace bindgen::plan {
namespace {

class Declarer {
 public:
  Declarer(const facts::Facts& facts, const TypeTable& table) : facts_(facts), table_(table) {}

  void need(const std::string& spelled) {
    const auto type = parse_type(spelled);
    if (type.is_function_pointer) return;
    const auto name = type.name();
    if (name.find("::") != std::string::npos) return;
    if (type.base != name)
      need_tag(type.base, name);
    else
      need_name(name);
  }

  void need_record(const facts::Record& record) {
    if (record.is_anonymous || !record.nested_in.empty()) return;
    if (done_.count("tag " + record.name)) return;
    if (!open_.insert(record.name).second) {
      if (forward_.insert(record.name).second) {
        list_.push_back({{"kind", "forward"},
                         {"name", record.name},
                         {"union", record.is_union},
                         {"library", library(record.module)}});
      }
      return;
    }
    need_members(record);
    done_.insert("tag " + record.name);
    auto json = members(record);
    json["kind"] = "record";
    json["name"] = record.name;
    json["size"] = record.size;
    json["align"] = record.align;
    json["overaligned"] = record.align > natural_align(record);
    json["library"] = library(record.module);
    list_.push_back(std::move(json));
  }

  std::vector<Json> take() { return std::move(list_); }

 private:
  static std::string library(const std::string& module) { return module == "shared" ? "driver" : module; }

  void need_tag(const std::string& base, const std::string& tag) {
    if (base.starts_with("enum ")) {
      if (const auto* found = table_.enumeration(tag)) need_enum(*found);
      return;
    }
    for (const auto& record : facts_.records) {
      if (record.name == tag) return need_record(record);
    }
  }

  void need_name(const std::string& name) {
    if (done_.count(name)) return;
    if (const auto* handle = table_.handle(name)) return add_handle(*handle);
    if (const auto* callback = table_.callback(name)) return add_callback(*callback);
    const auto* alias = table_.alias(name);
    if (const auto* own = table_.enumeration(name); own && own->name == name) return need_enum(*own);
    if (!alias) return;
    done_.insert(name);
    const auto open = alias->type.find('(');
    if (open != std::string::npos)
      need_function_type(alias->type);
    else
      need(alias->type);
    list_.push_back({{"kind", "typedef"}, {"name", name}, {"type", alias->type}, {"library", library(alias->module)}});
  }

  // "VdpStatus (VdpDevice, VdpFuncId, void **)"
  void need_function_type(const std::string& type) {
    std::string word;
    for (const char character : type + ")") {
      if (character == '(' || character == ')' || character == ',') {
        const auto start = word.find_first_not_of(' ');
        if (start != std::string::npos) need(word.substr(start));
        word.clear();
      } else {
        word += character;
      }
    }
  }

  void need_enum(const facts::Enum& fact) {
    const auto key = fact.tag.empty() ? fact.name : "tag " + fact.tag;
    if (!done_.insert(key).second) return;
    Json values = Json::array();
    for (const auto& [name, value] : fact.values) values.push_back(Json::array({name, value}));
    Json json{{"kind", "enum"},   {"name", fact.name},
              {"tag", nullptr},   {"underlying", fact.underlying},
              {"values", values}, {"library", library(fact.module)}};
    if (!fact.tag.empty()) json["tag"] = fact.tag;
    list_.push_back(std::move(json));
    // The enum's first typedef is no fact of its own; where tag and typedef share the name, declaring it does no harm.
    if (fact.tag.empty()) return;
    done_.insert(fact.name);
    list_.push_back(
        {{"kind", "typedef"}, {"name", fact.name}, {"type", "enum " + fact.tag}, {"library", library(fact.module)}});
  }

  void add_handle(const facts::Handle& fact) {
    done_.insert(fact.name);
    list_.push_back({{"kind", "handle"},
                     {"name", fact.name},
                     {"tag", fact.tag},
                     {"const", fact.is_const},
                     {"library", library(fact.module)}});
  }

  void add_callback(const facts::Callback& fact) {
    done_.insert(fact.name);
    need(fact.returns);
    Json params = Json::array();
    for (const auto& param : fact.params) {
      need(param.type);
      params.push_back({{"name", param.name}, {"type", param.type}});
    }
    list_.push_back({{"kind", "callback"},
                     {"name", fact.name},
                     {"returns", fact.returns},
                     {"params", params},
                     {"library", library(fact.module)}});
  }

  const facts::Record* nested(const facts::Field& field) const {
    const auto name = without_keyword(field.type);
    for (const auto& record : facts_.records) {
      if (record.name == name && (record.is_anonymous || !record.nested_in.empty())) return &record;
    }
    return nullptr;
  }

  void need_members(const facts::Record& record) {
    for (const auto& field : record.fields) {
      if (const auto* inner = nested(field))
        need_members(*inner);
      else
        need(field.type);
    }
  }

  // Members of unnamed type, or of a type declared inside this record, carry their own members.
  Json members(const facts::Record& record) const {
    Json fields = Json::array();
    for (const auto& field : record.fields) {
      const auto* inner = nested(field);
      Json entry{{"name", field.name}, {"type", field.type}, {"array", field.array.value_or(0)}, {"nested", nullptr}};
      if (inner) {
        entry["nested"] = members(*inner);
        entry["nested"]["tag"] = inner->nested_in.empty() ? Json(nullptr) : Json(inner->name);
      }
      fields.push_back(std::move(entry));
    }
    return {{"union", record.is_union}, {"fields", fields}};
  }

  std::uint64_t natural_align(const facts::Record& record) const {
    std::uint64_t align = 1;
    for (const auto& field : record.fields) align = std::max(align, align_of(field));
    return align;
  }

  std::uint64_t align_of(const facts::Field& field) const {
    if (const auto* inner = nested(field)) return inner->align;
    const auto type = parse_type(field.type);
    if (type.is_pointer() || table_.handle(type.name()) || table_.callback(type.name())) return 8;
    if (const auto* record = table_.record(type.name())) return record->align;
    if (table_.enumeration(type.name())) return 4;
    const auto native = native_of(table_.underlying(type.name()));
    return native.empty() ? 8 : native_size(native);
  }

  const facts::Facts& facts_;
  const TypeTable& table_;
  std::set<std::string> done_;
  std::set<std::string> open_;
  std::set<std::string> forward_;
  std::vector<Json> list_;
};

}  // namespace

std::vector<Json> declarations(const facts::Facts& facts, const std::vector<const facts::Function*>& functions,
                               const TypeTable& table) {
  Declarer declarer(facts, table);
  for (const auto& fact : facts.typedefs) declarer.need(fact.name);
  for (const auto& fact : facts.enums) declarer.need(fact.tag.empty() ? fact.name : "enum " + fact.tag);
  for (const auto& fact : facts.handles) declarer.need(fact.name);
  for (const auto& fact : facts.callbacks) declarer.need(fact.name);
  for (const auto& fact : facts.records) declarer.need_record(fact);
  for (const auto* function : functions) {
    declarer.need(function->returns);
    for (const auto& param : function->params) declarer.need(param.type);
  }
  return declarer.take();
}

}  // namespace bindgen::plan
