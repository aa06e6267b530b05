// SPDX-License-Identifier: Apache-2.0
// Owns a libclang index and translation units.
#include "clang/translation_unit.hpp"

#include <exception>
#include <stdexcept>

#include "clang/cursor.hpp"

namespace bindgen::clang {

std::string take(CXString string) {
  const char* text = clang_getCString(string);
  std::string copy = text ? text : "";
  clang_disposeString(string);
  return copy;
}

Place place_of(CXSourceLocation location) {
  CXFile file = nullptr;
  Place place;
  clang_getExpansionLocation(location, &file, &place.line, nullptr, &place.offset);
  if (file) place.file = take(clang_getFileName(file));
  return place;
}

Index::Index() : index_(clang_createIndex(0, 0)) {
  if (!index_) throw std::runtime_error("libclang gives no index");
}

Index::~Index() {
  if (index_) clang_disposeIndex(index_);
}

Index& Index::operator=(Index&& other) noexcept {
  std::swap(index_, other.index_);
  return *this;
}

TranslationUnit::TranslationUnit(const Index& index, const std::string& name, const std::string& text,
                                 const std::vector<std::string>& arguments) {
  std::vector<const char*> raw;
  for (const auto& argument : arguments) raw.push_back(argument.c_str());
  CXUnsavedFile memory{name.c_str(), text.c_str(), text.size()};
  const auto status =
      clang_parseTranslationUnit2(index.get(), name.c_str(), raw.data(), static_cast<int>(raw.size()), &memory, 1,
                                  CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing, &unit_);
  if (status != CXError_Success || !unit_) {
    throw std::runtime_error("libclang cannot parse " + name + " (status " + std::to_string(status) + ")");
  }
}

TranslationUnit::~TranslationUnit() {
  if (unit_) clang_disposeTranslationUnit(unit_);
}

TranslationUnit& TranslationUnit::operator=(TranslationUnit&& other) noexcept {
  std::swap(unit_, other.unit_);
  return *this;
}

Cursor TranslationUnit::root() const { return Cursor(clang_getTranslationUnitCursor(unit_)); }

std::vector<Cursor> TranslationUnit::top_level() const {
  std::vector<Cursor> list;
  for (const auto& cursor : root().children()) {
    if (cursor.kind() == CXCursor_LinkageSpec ||
        cursor.kind() == CXCursor_UnexposedDecl) {  // which one depends on libclang's release
      for (const auto& child : cursor.children()) list.push_back(child);
    } else {
      list.push_back(cursor);
    }
  }
  return list;
}

std::vector<ParseProblem> TranslationUnit::problems() const {
  std::vector<ParseProblem> problems;
  const unsigned count = clang_getNumDiagnostics(unit_);
  for (unsigned number = 0; number < count; ++number) {
    CXDiagnostic diagnostic = clang_getDiagnostic(unit_, number);
    ParseProblem problem;
    problem.is_error = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
    problem.place = place_of(clang_getDiagnosticLocation(diagnostic));
    problem.text = take(clang_getDiagnosticSpelling(diagnostic));
    clang_disposeDiagnostic(diagnostic);
    problems.push_back(std::move(problem));
  }
  return problems;
}

std::vector<Inclusion> TranslationUnit::inclusions() const {
  struct Collected {
    std::vector<Inclusion> list;
    std::exception_ptr failure;
  } collected;
  const auto visit = [](CXFile file, CXSourceLocation* stack, unsigned depth, CXClientData data) {
    auto& target = *static_cast<Collected*>(data);
    try {
      Inclusion inclusion{take(clang_getFileName(file)), {}};
      if (depth > 0) inclusion.included_from = place_of(stack[0]).file;
      target.list.push_back(std::move(inclusion));
    } catch (...) {
      target.failure = std::current_exception();
    }
  };
  clang_getInclusions(unit_, visit, &collected);
  if (collected.failure) std::rethrow_exception(collected.failure);
  return std::move(collected.list);
}

std::vector<OffsetRange> TranslationUnit::skipped(const std::string& file) const {
  std::vector<OffsetRange> ranges;
  CXFile handle = clang_getFile(unit_, file.c_str());
  if (!handle) return ranges;
  CXSourceRangeList* list = clang_getSkippedRanges(unit_, handle);
  if (!list) return ranges;
  for (unsigned number = 0; number < list->count; ++number) {
    ranges.push_back({place_of(clang_getRangeStart(list->ranges[number])).offset,
                      place_of(clang_getRangeEnd(list->ranges[number])).offset});
  }
  clang_disposeSourceRangeList(list);
  return ranges;
}

}  // namespace bindgen::clang
