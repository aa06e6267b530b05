// SPDX-License-Identifier: Apache-2.0
// What a spelled type is to Python: a number, an enum, a handle, a record, and of which class.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "facts/types.hpp"
#include "plan/type_spelling.hpp"

namespace bindgen::plan {

enum class Category { number, enumeration, handle, record, nothing, unknown };

struct ResolvedType {
  Category category = Category::unknown;
  std::string name;       // of the class, or the native type: "uint", "size"
  std::string id;         // of the class in the module asked for
  std::size_t depth = 0;  // pointer levels around it
};

// A number's name in the plan: "unsigned int" -> "uint"; empty where it is none.
std::string native_of(const std::string& c_type);
// Bytes of a native number.
std::uint64_t native_size(const std::string& native);

class TypeTable {
 public:
  explicit TypeTable(const facts::Facts& facts);

  // module: whose classes are meant, where two modules have one of the name.
  ResolvedType resolve(const TypeSpelling& type, const std::string& module) const;
  ResolvedType resolve(const std::string& type, const std::string& module) const {
    return resolve(parse_type(type), module);
  }

  // Follows typedefs: CUdevice -> int; a name without typedef is its own end.
  std::string underlying(const std::string& name) const;
  bool is_integer_like(const std::string& typedef_name) const;
  const facts::Record* record(const std::string& name) const;     // by tag or typedef
  const facts::Enum* enumeration(const std::string& name) const;  // by tag or typedef
  const facts::Handle* handle(const std::string& name) const;
  const facts::Callback* callback(const std::string& name) const;
  const facts::Typedef* alias(const std::string& name) const;
  // Ids: the name, or module_name where a name is a class of two modules.
  void add_class(const std::string& module, const std::string& name);
  std::string id_of(const std::string& name, const std::string& module) const;

 private:
  std::map<std::string, const facts::Typedef*> typedefs_;
  std::map<std::string, const facts::Handle*> handles_;
  std::map<std::string, const facts::Callback*> callbacks_;
  std::map<std::string, const facts::Enum*> enums_;
  std::map<std::string, const facts::Record*> records_;
  std::map<std::string, std::string> handle_of_tag_;  // "cudaGraphicsResource" -> cudaGraphicsResource_t
  std::map<std::string, std::set<std::string>> modules_of_class_;
};

}  // namespace bindgen::plan
