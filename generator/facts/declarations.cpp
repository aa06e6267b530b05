// SPDX-License-Identifier: Apache-2.0
// Walks the top level of a translation unit and writes down what it declares.
#include "facts/declarations.hpp"

#include <algorithm>

#include "facts/comments.hpp"
#include "facts/groups.hpp"
#include "facts/json.hpp"

namespace bindgen::facts {
namespace {

using clang::Cursor;
using clang::Type;

bool is_known_kind(CXTypeKind kind) {
  switch (kind) {
    case CXType_Void:
    case CXType_Bool:
    case CXType_Char_U:
    case CXType_UChar:
    case CXType_UShort:
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong:
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_Short:
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong:
    case CXType_Float:
    case CXType_Double:
    case CXType_Pointer:
    case CXType_Record:
    case CXType_Enum:
    case CXType_FunctionProto:
    case CXType_ConstantArray:
    case CXType_IncompleteArray: return true;
    default: return false;
  }
}

Type without_pointers(Type type) {
  while (type.kind() == CXType_Pointer) type = type.pointee().canonical();
  return type;
}

// A record or enum without a tag is called by its typedef: "nvrtcResult", where a tagged one is "enum X_enum".
// C++ says "nvrtcResult" of both, and needs no tags here.
bool is_tagless(const Cursor& declaration) {
  if (declaration.is_anonymous()) return true;
  if (clang_getCursorLanguage(declaration.get()) == CXLanguage_CPlusPlus) return false;
  const auto text = declaration.type().spelling();
  return text.rfind("enum ", 0) != 0 && text.rfind("struct ", 0) != 0 && text.rfind("union ", 0) != 0;
}

// C and C++ spell a tag alike here; from libclang 16 on an unnamed one would be spelled with its file's path.
std::string tag_of(const Cursor& declaration) { return is_tagless(declaration) ? "" : declaration.spelling(); }

class Reader {
 public:
  Reader(const Headers& headers, Diagnostics& diagnostics) : headers_(headers), diagnostics_(diagnostics) {}

  void read(const Cursor& cursor) {
    const auto module = headers_.module_of(cursor.place().file);
    if (!module) return;
    module_ = *module;
    switch (cursor.kind()) {
      case CXCursor_FunctionDecl: read_function(cursor); break;
      case CXCursor_EnumDecl: read_enum(cursor); break;
      case CXCursor_StructDecl:
      case CXCursor_UnionDecl: read_top_record(cursor); break;
      case CXCursor_TypedefDecl: read_typedef(cursor); break;
      default: break;  // variables, empty declarations: nothing that can be called or held
    }
  }

  // Enums get their typedef's name once all typedefs are known.
  Declarations finish() {
    for (auto& entry : out_.facts.enums) {
      const auto found = typedef_of_tag_.find(entry.tag);
      if (!entry.tag.empty() && found != typedef_of_tag_.end()) rename_enum(entry, found->second);
    }
    return std::move(out_);
  }

 private:
  std::string module_for(const std::string& name) const {
    return headers_.table().shared.count(name) ? "shared" : module_;
  }

  void error(const char* code, const Cursor& cursor, const std::string& message, const std::string& remedy = {}) {
    diagnostics_.add(code, headers_.place(cursor.place()), message, remedy);
  }

  void position(const char* kind, const std::string& name, const Cursor& cursor) {
    const auto place = cursor.place();
    auto header = headers_.cuda_name(place.file);
    if (!header) header = headers_.shim_name(place.file);
    out_.positions.push_back({kind, name, header.value_or(""), place.line});
  }

  void check_kind(const Cursor& cursor, const Type& type) {
    const auto kind = without_pointers(type.canonical()).kind();
    if (!is_known_kind(kind))
      error("E114", cursor,
            "type \"" + type.spelling() + "\" of " + cursor.spelling() + " has a kind unknown to the generator (" +
                type.canonical().kind_name() + ")");
  }

  // A callback without a name of its own has no class in the output, so each one is known by its function.
  void check_inline_callback(const Cursor& owner, const std::string& param, const Type& type,
                             const std::string& spelled) {
    const bool is_inline = type.kind() == CXType_Pointer && type.pointee().canonical().kind() == CXType_FunctionProto &&
                           spelled.find('(') != std::string::npos;
    const auto known = headers_.table().inline_callbacks.find(owner.spelling() + "." + param);
    if (!is_inline || (known != headers_.table().inline_callbacks.end() && known->second == spelled)) return;
    error("E117", owner, owner.spelling() + "." + param + " is a callback written in place, \"" + spelled + "\"",
          "once it is handled, add to generator/data/headers.toml:\n  [inline_callbacks]\n  \"" + owner.spelling() +
              "." + param + "\" = \"" + spelled + "\"");
  }

  void rename_enum(Enum& entry, const std::string& name) {
    for (auto& position : out_.positions) {
      if (position.kind == "enum" && position.name == entry.name) position.name = name;
    }
    entry.name = name;
  }

  // The header may name a type by a macro (cudaStreamAttrID); macros.hpp puts that name back.
  std::vector<Parameter> parameters(const Cursor& owner, const std::vector<Cursor>& cursors,
                                    const std::vector<Type>& types) {
    std::vector<Parameter> params;
    for (std::size_t number = 0; number < types.size(); ++number) {
      const auto name = number < cursors.size() ? cursors[number].spelling() : "";
      const auto spelled = types[number].spelling();
      check_kind(owner, types[number]);
      check_inline_callback(owner, name, types[number], spelled);
      params.push_back({name, spelled, "none"});
    }
    return params;
  }

  void read_function(const Cursor& cursor) {
    Function fact;
    fact.name = fact.link = cursor.spelling();
    if (!seen_functions_.insert(fact.link).second) return;
    fact.module = module_for(fact.link);
    fact.returns = cursor.type().result().spelling();
    check_kind(cursor, cursor.type().result());
    if (clang_isFunctionTypeVariadic(clang_getCursorType(cursor.get())))
      error("E116", cursor, fact.link + " takes a variable number of arguments");
    const auto cursors = cursor.parameters();
    std::vector<Type> types;
    for (const auto& param : cursors) types.push_back(param.type());
    fact.params = parameters(cursor, cursors, types);
    fact.is_deprecated = cursor.is_deprecated();
    fact.is_inline = cursor.is_inline();
    position("function", fact.link, cursor);
    out_.facts.functions.push_back(std::move(fact));
  }

  void read_enum(const Cursor& cursor) {
    if (!cursor.is_definition() || cursor.is_anonymous()) return;
    Enum fact;
    fact.tag = tag_of(cursor);
    fact.name = fact.tag.empty() ? cursor.type().spelling() : fact.tag;
    fact.module = module_for(fact.name);
    fact.underlying = cursor.enum_integer().spelling();
    const auto kind = cursor.enum_integer().canonical().kind();
    const bool is_unsigned = kind == CXType_ULong || kind == CXType_ULongLong;
    for (const auto& child : cursor.children()) {
      if (child.kind() != CXCursor_EnumConstantDecl) continue;
      const auto value = child.enum_value();
      if (is_unsigned && value < 0) error("E115", child, child.spelling() + " is larger than a signed 64-bit number");
      fact.values.emplace_back(child.spelling(), value);
    }
    position("enum", fact.name, cursor);
    out_.facts.enums.push_back(std::move(fact));
  }

  void read_top_record(const Cursor& cursor) {
    if (!cursor.is_definition()) return;
    if (is_tagless(cursor)) {
      error("E113", cursor, "a struct without a tag has no name that C and C++ share",
            "teach facts/declarations.cpp to call it by its typedef");
      return;
    }
    read_record(cursor, cursor.spelling(), "");
  }

  void read_record(const Cursor& cursor, const std::string& name, const std::string& nested_in) {
    Record fact;
    fact.name = name;
    fact.module = module_for(name);
    fact.size = static_cast<std::uint64_t>(std::max(0LL, cursor.type().size()));
    fact.align = static_cast<std::uint64_t>(std::max(0LL, cursor.type().align()));
    fact.is_union = cursor.kind() == CXCursor_UnionDecl;
    fact.is_anonymous = cursor.is_anonymous();
    fact.nested_in = nested_in;
    position("record", name, cursor);
    std::vector<std::pair<Cursor, std::string>> inner;
    unsigned unnamed = 0;
    for (const auto& field : cursor.type().fields()) fact.fields.push_back(read_field(field, name, unnamed, inner));
    // A tag declared inside is a record of its own in C, wherever its braces stand.
    for (const auto& child : cursor.children()) {
      if (child.is_record() && child.is_definition() && !child.is_anonymous())
        inner.emplace_back(child, child.spelling());
    }
    out_.facts.records.push_back(std::move(fact));
    for (const auto& [declaration, inner_name] : inner)
      read_record(declaration, inner_name, declaration.is_anonymous() ? "" : name);
  }

  Field read_field(const Cursor& cursor, const std::string& owner, unsigned& unnamed,
                   std::vector<std::pair<Cursor, std::string>>& inner) {
    Field field;
    field.bits = static_cast<std::uint64_t>(std::max(0LL, cursor.field_offset_bits()));
    if (cursor.is_bit_field()) error("E110", cursor, owner + "." + cursor.spelling() + " is a bit-field");
    auto type = cursor.type();
    if (type.canonical().kind() == CXType_IncompleteArray) {
      error("E111", cursor, owner + "." + cursor.spelling() + " is an array without a length");
    }
    if (type.canonical().kind() == CXType_ConstantArray) {
      const auto array = type.kind() == CXType_ConstantArray ? type : type.canonical();
      field.array = static_cast<std::uint64_t>(array.array_size());
      type = array.element();
      if (type.canonical().kind() == CXType_ConstantArray)
        error("E112", cursor, owner + "." + cursor.spelling() + " is an array of arrays");
    }
    check_kind(cursor, type);
    const auto declaration = type.canonical().declaration();
    if (!declaration.is_record() || !declaration.is_anonymous()) {
      field.name = cursor.spelling();
      field.type = type.spelling();
      return field;
    }
    // From libclang 16 on the implicit member of an unnamed struct is spelled with the struct's place in the file.
    const bool is_member_named = clang_Cursor_isAnonymousRecordDecl(declaration.get()) == 0;
    field.name = is_member_named ? cursor.spelling() : "";
    field.type = owner + "::" + (is_member_named ? field.name : "@" + std::to_string(unnamed++));
    inner.emplace_back(declaration, field.type);
    return field;
  }

  void read_typedef(const Cursor& cursor) {
    const auto name = cursor.spelling();
    if (!seen_typedefs_.insert(name).second) return;
    const auto type = cursor.underlying();
    const auto named = type.unelaborated();
    const auto declaration =
        type.kind() == CXType_Typedef ? Cursor(clang_getNullCursor()) : type.canonical().declaration();
    if (named.kind() == CXType_Enum && name_enum(name, declaration)) return;
    if (type.kind() == CXType_Pointer && read_pointer_typedef(cursor, name, type)) return;
    if (declaration.is_record() && is_tagless(declaration)) return;  // reported where it is defined
    check_kind(cursor, type);
    position("typedef", name, cursor);
    out_.facts.typedefs.push_back({name, module_for(name), type.spelling()});
  }

  // The first typedef of an enum is its name: CUresult for cudaError_enum, cudaError_t for cudaError. It is no fact of
  // its own.
  bool name_enum(const std::string& name, const Cursor& declaration) {
    const auto tag = tag_of(declaration);
    return tag.empty() || typedef_of_tag_.emplace(tag, name).second;
  }

  bool read_pointer_typedef(const Cursor& cursor, const std::string& name, const Type& type) {
    const auto pointee = type.pointee();
    const auto target = pointee.canonical();
    if (target.kind() == CXType_FunctionProto) {
      std::vector<Cursor> names;
      for (const auto& child : cursor.children()) {
        if (child.kind() == CXCursor_ParmDecl) names.push_back(child);
      }
      position("callback", name, cursor);
      out_.facts.callbacks.push_back(
          {name, module_for(name), target.result().spelling(), parameters(cursor, names, function_arguments(pointee))});
      return true;
    }
    const auto declaration = target.declaration();
    const bool is_spelled_tag = pointee.unelaborated().kind() == CXType_Record;
    if (!declaration.is_record() || !is_spelled_tag || !declaration.definition().is_null()) return false;
    position("handle", name, cursor);
    out_.facts.handles.push_back({name, module_for(name), declaration.spelling(), pointee.is_const()});
    return true;
  }

  // Through parentheses and attributes to the prototype as spelled, so that typedefs of arguments are kept.
  static std::vector<Type> function_arguments(const Type& pointee) {
    const auto spelled = pointee.arguments();
    return spelled.empty() ? pointee.canonical().arguments() : spelled;
  }

  const Headers& headers_;
  Diagnostics& diagnostics_;
  Declarations out_;
  std::string module_;
  std::set<std::string> seen_functions_;
  std::set<std::string> seen_typedefs_;
  std::map<std::string, std::string> typedef_of_tag_;
};

// What the comments of one header say.
struct Documentation {
  Documentation(const std::string& text, const std::vector<clang::OffsetRange>& skipped)
      : comments(text, skipped), groups(text) {}
  DocComments comments;
  DocGroups groups;
};

}  // namespace

Declarations read_declarations(const clang::TranslationUnit& unit, const Headers& headers, Diagnostics& diagnostics) {
  Reader reader(headers, diagnostics);
  for (const auto& cursor : unit.top_level()) reader.read(cursor);
  return reader.finish();
}

void read_comments(const clang::TranslationUnit& unit, const Headers& headers, Declarations& declarations) {
  std::map<std::string, Function*> by_link;
  for (auto& function : declarations.facts.functions) by_link[function.link] = &function;
  std::map<std::string, Documentation> by_file;
  for (const auto& cursor : unit.top_level()) {
    if (cursor.kind() != CXCursor_FunctionDecl) continue;
    const auto place = cursor.begin();
    const auto found = by_link.find(cursor.spelling());
    if (!headers.cuda_name(place.file) || found == by_link.end()) continue;
    auto documentation = by_file.find(place.file);
    if (documentation == by_file.end()) {
      documentation = by_file.emplace(place.file, Documentation(read_text(place.file), unit.skipped(place.file))).first;
    }
    if (found->second->group.empty()) found->second->group = documentation->second.groups.at(place.offset);
    const auto comment = documentation->second.comments.before(place.offset);
    if (!comment) continue;
    const auto own_group = group_named_in(*comment);
    if (!own_group.empty()) found->second->group = own_group;
    std::vector<std::string> names;
    for (const auto& param : found->second->params) names.push_back(param.name);
    const auto classes = doc_classes(*comment, names);
    for (auto& param : found->second->params) param.doc = classes.at(param.name);
    by_link.erase(found);  // the first declaration's comment counts
  }
}

}  // namespace bindgen::facts
