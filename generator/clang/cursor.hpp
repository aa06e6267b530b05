// SPDX-License-Identifier: Apache-2.0
// Cursors and types: what libclang knows about a declaration, as small values valid while their translation unit lives.
#pragma once

#include <clang-c/Index.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clang/translation_unit.hpp"

namespace bindgen::clang {

class Type {
 public:
  explicit Type(CXType type) : type_(type) {}
  CXTypeKind kind() const { return type_.kind; }
  std::string kind_name() const { return take(clang_getTypeKindSpelling(type_.kind)); }
  std::string spelling() const { return take(clang_getTypeSpelling(type_)); }
  Type canonical() const { return Type(clang_getCanonicalType(type_)); }
  Type pointee() const { return Type(clang_getPointeeType(type_)); }
  Type element() const { return Type(clang_getArrayElementType(type_)); }
  Type result() const { return Type(clang_getResultType(type_)); }
  Type unelaborated() const;  // `struct X` without the keyword's wrapper
  Cursor declaration() const;
  bool is_const() const { return clang_isConstQualifiedType(type_) != 0; }
  long long array_size() const { return clang_getArraySize(type_); }
  long long size() const { return clang_Type_getSizeOf(type_); }    // bytes; negative: incomplete
  long long align() const { return clang_Type_getAlignOf(type_); }  // bytes
  std::vector<Type> arguments() const;
  std::vector<Cursor> fields() const;  // of a record, unnamed members included

 private:
  CXType type_;
};

class Cursor {
 public:
  explicit Cursor(CXCursor cursor) : cursor_(cursor) {}
  CXCursorKind kind() const { return clang_getCursorKind(cursor_); }
  std::string spelling() const { return take(clang_getCursorSpelling(cursor_)); }
  Type type() const { return Type(clang_getCursorType(cursor_)); }
  Type underlying() const { return Type(clang_getTypedefDeclUnderlyingType(cursor_)); }
  Type enum_integer() const { return Type(clang_getEnumDeclIntegerType(cursor_)); }
  Place place() const { return place_of(clang_getCursorLocation(cursor_)); }
  Place begin() const { return place_of(clang_getRangeStart(clang_getCursorExtent(cursor_))); }
  Place end() const { return place_of(clang_getRangeEnd(clang_getCursorExtent(cursor_))); }
  std::vector<Cursor> children() const;
  std::vector<Cursor> parameters() const;  // of a function declaration
  Cursor referenced() const { return Cursor(clang_getCursorReferenced(cursor_)); }
  Cursor definition() const { return Cursor(clang_getCursorDefinition(cursor_)); }
  Cursor semantic_parent() const { return Cursor(clang_getCursorSemanticParent(cursor_)); }
  Cursor lexical_parent() const { return Cursor(clang_getCursorLexicalParent(cursor_)); }
  bool is_null() const { return clang_Cursor_isNull(cursor_) != 0; }
  bool is_definition() const { return clang_isCursorDefinition(cursor_) != 0; }
  bool is_record() const { return kind() == CXCursor_StructDecl || kind() == CXCursor_UnionDecl; }
  bool is_bit_field() const { return clang_Cursor_isBitField(cursor_) != 0; }
  bool is_anonymous() const { return clang_Cursor_isAnonymous(cursor_) != 0; }  // neither a tag nor a typedef names it
  bool is_deprecated() const { return clang_getCursorAvailability(cursor_) == CXAvailability_Deprecated; }
  bool is_inline() const { return clang_Cursor_isFunctionInlined(cursor_) != 0; }
  bool is_macro_function() const { return clang_Cursor_isMacroFunctionLike(cursor_) != 0; }
  bool is_macro_builtin() const { return clang_Cursor_isMacroBuiltin(cursor_) != 0; }
  bool is_same(const Cursor& other) const { return clang_equalCursors(cursor_, other.cursor_) != 0; }
  long long field_offset_bits() const { return clang_Cursor_getOffsetOfField(cursor_); }
  long long enum_value() const { return clang_getEnumConstantDeclValue(cursor_); }
  unsigned long long enum_value_unsigned() const { return clang_getEnumConstantDeclUnsignedValue(cursor_); }
  std::optional<long long> evaluated() const;  // a variable's initialiser, where it is an integer known at compile time
  std::vector<std::string> tokens() const;
  CXCursor get() const { return cursor_; }

 private:
  CXCursor cursor_;
};

}  // namespace bindgen::clang
