// SPDX-License-Identifier: Apache-2.0
// Decides each member's kind from its type, or from a row where the type does not say.
#include "plan/fields.hpp"

#include <algorithm>
#include <cctype>

#include "plan/callbacks.hpp"
#include "plan/record_classes.hpp"

namespace bindgen::plan {
namespace {

std::string number_kind(const std::string& native) {
  if (native == "float") return "f32";
  if (native == "double") return "f64";
  const bool is_unsigned = native.starts_with('u') || native == "size";
  return (is_unsigned ? "u" : "i") + std::to_string(8 * native_size(native));
}

// The kind of a pointer member that its type alone settles; empty where a row must say.
std::string pointer_kind(const ResolvedType& type, const TypeSpelling& spelled, const std::string& name) {
  if (type.category == Category::nothing && type.depth == 1) return "address";
  if (type.category == Category::nothing && type.depth == 2)
    return name == "kernelParams" ? "kernel_parameters" : "pointer";
  if (type.category == Category::number && type.name == "char" && spelled.is_base_const) return "text_pointer";
  return {};
}

class FieldReader {
 public:
  FieldReader(const facts::Record& owner, const std::string& module, const ClassData& data, const TypeTable& table,
              Diagnostics& diagnostics)
      : owner_(owner), module_(module), data_(data), table_(table), diagnostics_(diagnostics) {}

  void read(const facts::Record& record, std::uint64_t base) {
    for (const auto& field : record.fields) {
      const auto offset = base + field.bits / 8;
      const auto* anonymous = field.name.empty() ? table_.record(field.type) : nullptr;
      if (anonymous)
        read(*anonymous, offset);
      else
        add(field, offset);
    }
  }

  std::vector<FieldPlan> take() { return std::move(fields_); }

 private:
  void add(const facts::Field& field, std::uint64_t offset) {
    FieldPlan plan;
    plan.name = field.name;
    plan.offset = offset;
    plan.c_type = field.type;
    plan.count = field.array.value_or(0);
    plan.is_hidden = is_hidden_member(field.name);
    decide(field, plan);
    if (const auto row = data_.field_kinds.find(owner_.name + "." + field.name); row != data_.field_kinds.end()) {
      if (!row->second.kind.empty()) plan.kind = row->second.kind;
      plan.is_readonly = row->second.is_readonly;
      plan.initial = row->second.initial;
    }
    if (plan.kind.empty()) refuse(field);
    fields_.push_back(std::move(plan));
  }

  void decide(const facts::Field& field, FieldPlan& plan) const {
    const auto spelled = parse_type(field.type);
    auto type = table_.resolve(spelled, module_);
    if (field.type.find("::") != std::string::npos) {
      const auto name = record_class_name(field.type);
      type = {Category::record, name, table_.id_of(name, module_), 0};
    }
    const bool is_opaque = type.category == Category::handle || type.category == Category::record;
    if (type.category != Category::number && type.category != Category::nothing) plan.type = type.id;
    if (type.depth > 0) {
      const auto list = data_.list_members.find(owner_.name + "." + field.name);
      if (is_opaque && list != data_.list_members.end()) {
        plan.kind = type.category == Category::record ? "record_list" : "handle_list";
        if (!list->second.empty()) plan.count_field = list->second;
      } else {
        plan.kind = pointer_kind(type, spelled, field.name);
      }
    } else if (type.category == Category::number) {
      const bool is_byte = type.name == "char" || type.name == "uchar";
      plan.kind = is_byte && field.array ? "bytes" : number_kind(type.name);
    } else if (type.category == Category::enumeration) {
      plan.kind = "enumeration";
    } else if (is_opaque) {
      plan.kind = type.category == Category::record ? "record" : "handle";
      if (table_.callback(type.name)) decide_callback(field, plan);
    }
  }

  void decide_callback(const facts::Field& field, FieldPlan& plan) const {
    const auto member = owner_.name + "." + field.name;
    plan.kind = "callback";
    if (const auto row = data_.callback_members.find(member); row != data_.callback_members.end()) {
      plan.count_field = row->second;
    } else {
      refuse_callback(owner_.name, member, field.type,
                      "  [[member]]\n  given     = [\"" + member + "\"]\n  user_data = \"...\"\n  reason    = \"...\"",
                      diagnostics_);
    }
  }

  void refuse(const facts::Field& field) const {
    const auto member = owner_.name + "." + field.name;
    diagnostics_.add("E210", owner_.name, "cannot decide what the member " + member + " is (" + field.type + ")",
                     "add to generator/data/classes.toml under [list_members], where it is a list:\n  \"" + member +
                         "\" = \"<member that counts it, or empty>\"\nor under [field_kinds]:\n  \"" + member +
                         "\" = { kind = \"pointer\", reason = \"...\" }");
  }

  const facts::Record& owner_;
  const std::string& module_;
  const ClassData& data_;
  const TypeTable& table_;
  Diagnostics& diagnostics_;
  std::vector<FieldPlan> fields_;
};

}  // namespace

bool is_hidden_member(const std::string& name) {
  if (name == "padding" || name == "pad") return true;
  if (!name.starts_with("reserved")) return false;
  return std::all_of(name.begin() + 8, name.end(), [](unsigned char digit) { return std::isdigit(digit) != 0; });
}

std::vector<FieldPlan> fields_of(const facts::Record& record, const std::string& module, const ClassData& data,
                                 const TypeTable& table, Diagnostics& diagnostics) {
  FieldReader reader(record, module, data, table, diagnostics);
  reader.read(record, 0);
  return reader.take();
}

}  // namespace bindgen::plan
