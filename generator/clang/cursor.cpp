// SPDX-License-Identifier: Apache-2.0
// Walks libclang's cursors; a callback never lets an exception out into C.
#include "clang/cursor.hpp"

#include <exception>

namespace bindgen::clang {
namespace {

struct Collected {
  std::vector<Cursor> list;
  std::exception_ptr failure;

  void add(CXCursor cursor) noexcept {
    try {
      list.emplace_back(cursor);
    } catch (...) {
      failure = std::current_exception();
    }
  }
  std::vector<Cursor> taken() {
    if (failure) std::rethrow_exception(failure);
    return std::move(list);
  }
};

}  // namespace

Type Type::unelaborated() const { return kind() == CXType_Elaborated ? Type(clang_Type_getNamedType(type_)) : *this; }

Cursor Type::declaration() const { return Cursor(clang_getTypeDeclaration(type_)); }

std::vector<Type> Type::arguments() const {
  std::vector<Type> list;
  const int count = clang_getNumArgTypes(type_);
  for (int number = 0; number < count; ++number)
    list.emplace_back(clang_getArgType(type_, static_cast<unsigned>(number)));
  return list;
}

std::vector<Cursor> Type::fields() const {
  Collected collected;
  const auto visit = [](CXCursor field, CXClientData data) {
    static_cast<Collected*>(data)->add(field);
    return CXVisit_Continue;
  };
  clang_Type_visitFields(type_, visit, &collected);
  return collected.taken();
}

std::vector<Cursor> Cursor::children() const {
  Collected collected;
  const auto visit = [](CXCursor child, CXCursor, CXClientData data) {
    static_cast<Collected*>(data)->add(child);
    return CXChildVisit_Continue;
  };
  clang_visitChildren(cursor_, visit, &collected);
  return collected.taken();
}

std::vector<Cursor> Cursor::parameters() const {
  std::vector<Cursor> list;
  const int count = clang_Cursor_getNumArguments(cursor_);
  for (int number = 0; number < count; ++number)
    list.emplace_back(clang_Cursor_getArgument(cursor_, static_cast<unsigned>(number)));
  return list;
}

std::optional<long long> Cursor::evaluated() const {
  CXEvalResult result = clang_Cursor_Evaluate(cursor_);
  if (!result) return std::nullopt;
  std::optional<long long> value;
  if (clang_EvalResult_getKind(result) == CXEval_Int) value = clang_EvalResult_getAsLongLong(result);
  clang_EvalResult_dispose(result);
  return value;
}

std::vector<std::string> Cursor::tokens() const {
  std::vector<std::string> list;
  CXTranslationUnit unit = clang_Cursor_getTranslationUnit(cursor_);
  CXToken* tokens = nullptr;
  unsigned count = 0;
  clang_tokenize(unit, clang_getCursorExtent(cursor_), &tokens, &count);
  for (unsigned number = 0; number < count; ++number)
    list.push_back(take(clang_getTokenSpelling(unit, tokens[number])));
  clang_disposeTokens(unit, tokens, count);
  return list;
}

}  // namespace bindgen::clang
