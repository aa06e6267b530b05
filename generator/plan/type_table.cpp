// SPDX-License-Identifier: Apache-2.0
// Looks types up among the facts and follows their typedefs.
#include "plan/type_table.hpp"

namespace bindgen::plan {
namespace {

struct Native {
  const char* c_type;
  const char* name;
  std::uint64_t size;
};

constexpr Native natives[] = {
    {"int", "int", 4},
    {"unsigned int", "uint", 4},
    {"unsigned", "uint", 4},
    {"int32_t", "int", 4},
    {"uint32_t", "uint", 4},
    {"khronos_int32_t", "int", 4},
    {"short", "short", 2},
    {"unsigned short", "ushort", 2},
    {"char", "char", 1},
    {"signed char", "char", 1},
    {"unsigned char", "uchar", 1},
    {"uint8_t", "uchar", 1},
    {"size_t", "size", 8},
    {"long", "long", 8},
    {"unsigned long", "ulonglong", 8},
    {"long long", "longlong", 8},
    {"unsigned long long", "ulonglong", 8},
    {"int64_t", "longlong", 8},
    {"uint64_t", "ulonglong", 8},
    {"float", "float", 4},
    {"double", "double", 8},
};

template <typename Map>
auto find_in(const Map& map, const std::string& name) -> typename Map::mapped_type {
  const auto found = map.find(name);
  return found == map.end() ? nullptr : found->second;
}

}  // namespace

std::string native_of(const std::string& c_type) {
  for (const auto& native : natives) {
    if (c_type == native.c_type) return native.name;
  }
  return {};
}

std::uint64_t native_size(const std::string& native) {
  for (const auto& known : natives) {
    if (native == known.name) return known.size;
  }
  return 0;
}

TypeTable::TypeTable(const facts::Facts& facts) {
  for (const auto& fact : facts.typedefs) typedefs_[fact.name] = &fact;
  for (const auto& fact : facts.callbacks) callbacks_[fact.name] = &fact;
  for (const auto& fact : facts.handles) {
    handles_[fact.name] = &fact;
    if (!fact.is_const) handle_of_tag_.emplace(fact.tag, fact.name);
  }
  for (const auto& fact : facts.enums) {
    enums_[fact.name] = &fact;
    if (!fact.tag.empty()) enums_[fact.tag] = &fact;
  }
  for (const auto& fact : facts.records) records_[fact.name] = &fact;
}

const facts::Typedef* TypeTable::alias(const std::string& name) const { return find_in(typedefs_, name); }
const facts::Handle* TypeTable::handle(const std::string& name) const { return find_in(handles_, name); }
const facts::Callback* TypeTable::callback(const std::string& name) const { return find_in(callbacks_, name); }

std::string TypeTable::underlying(const std::string& name) const {
  std::string current = name;
  // A typedef may bear the name of its own tag: typedef struct dim3 dim3.
  for (const auto* next = alias(current); next != nullptr && without_keyword(next->type) != current;
       next = alias(current)) {
    current = without_keyword(next->type);
  }
  return current;
}

bool TypeTable::is_integer_like(const std::string& typedef_name) const {
  const auto native = native_of(underlying(typedef_name));
  return alias(typedef_name) != nullptr && !native.empty() && native != "float" && native != "double";
}

const facts::Record* TypeTable::record(const std::string& name) const { return find_in(records_, underlying(name)); }

const facts::Enum* TypeTable::enumeration(const std::string& name) const {
  if (const auto* direct = find_in(enums_, name)) return direct;
  return find_in(enums_, underlying(name));
}

void TypeTable::add_class(const std::string& module, const std::string& name) {
  modules_of_class_[name].insert(module);
}

std::string TypeTable::id_of(const std::string& name, const std::string& module) const {
  const auto found = modules_of_class_.find(name);
  if (found == modules_of_class_.end() || found->second.size() < 2) return name;
  return module + "_" + name;
}

ResolvedType TypeTable::resolve(const TypeSpelling& type, const std::string& module) const {
  const auto name = type.name();
  const auto as = [&](Category category, const std::string& what, std::size_t depth) {
    return ResolvedType{category, what, category == Category::number ? what : id_of(what, module), depth};
  };
  if (type.is_function_pointer) return {Category::handle, {}, {}, 0};
  if (name == "void") return as(Category::nothing, name, type.depth());
  if (const auto native = native_of(name); !native.empty()) return as(Category::number, native, type.depth());
  if (handle(name) || callback(name)) return as(Category::handle, name, type.depth());
  if (const auto by_tag = handle_of_tag_.find(name); by_tag != handle_of_tag_.end() && type.depth() > 0) {
    return as(Category::handle, by_tag->second, type.depth() - 1);
  }
  if (const auto* found = enumeration(name)) {
    // A typedef of its own is a class of its own; the tag and the first typedef are the enum itself.
    return as(Category::enumeration, alias(name) && name != found->tag ? name : found->name, type.depth());
  }
  if (record(name)) return as(Category::record, name, type.depth());
  if (is_integer_like(name)) return as(Category::handle, name, type.depth());
  // Interop typedefs of pointers and functions: EGLImageKHR, VdpGetProcAddress *.
  if (const auto* found = alias(name)) {
    if (parse_type(found->type).is_function_pointer && type.depth() > 0)
      return as(Category::handle, name, type.depth() - 1);
    if (parse_type(found->type).depth() == 1) return as(Category::handle, name, type.depth());
  }
  return {};
}

}  // namespace bindgen::plan
