// SPDX-License-Identifier: Apache-2.0
// libclang behind move-only values. This folder alone includes clang-c; nothing of it outlives its translation unit.
#pragma once

#include <clang-c/Index.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bindgen::clang {

// Where something stands after macro expansion. An empty file: nowhere (built in, or the command line).
struct Place {
  std::string file;
  unsigned line = 0;
  unsigned offset = 0;
};

struct ParseProblem {
  bool is_error = false;  // severity error or fatal; otherwise a warning
  Place place;
  std::string text;
};

struct Inclusion {
  std::string file;
  std::string included_from;  // empty for the main file
};

struct OffsetRange {
  unsigned begin = 0;
  unsigned end = 0;
};

class Cursor;

class Index {
 public:
  Index();
  ~Index();
  Index(Index&& other) noexcept : index_(std::exchange(other.index_, nullptr)) {}
  Index& operator=(Index&& other) noexcept;
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;
  CXIndex get() const { return index_; }

 private:
  CXIndex index_ = nullptr;
};

class TranslationUnit {
 public:
  // Parses `text` as a file called `name` that exists in memory only. Throws std::runtime_error where libclang gives
  // none.
  TranslationUnit(const Index& index, const std::string& name, const std::string& text,
                  const std::vector<std::string>& arguments);
  ~TranslationUnit();
  TranslationUnit(TranslationUnit&& other) noexcept : unit_(std::exchange(other.unit_, nullptr)) {}
  TranslationUnit& operator=(TranslationUnit&& other) noexcept;
  TranslationUnit(const TranslationUnit&) = delete;
  TranslationUnit& operator=(const TranslationUnit&) = delete;

  Cursor root() const;
  // What stands at the outermost level, and in extern "C" blocks there.
  std::vector<Cursor> top_level() const;
  std::vector<ParseProblem> problems() const;
  std::vector<Inclusion> inclusions() const;
  // Ranges of `file` that the preprocessor skipped.
  std::vector<OffsetRange> skipped(const std::string& file) const;
  CXTranslationUnit get() const { return unit_; }

 private:
  CXTranslationUnit unit_ = nullptr;
};

// libclang's string, copied and disposed.
std::string take(CXString string);
Place place_of(CXSourceLocation location);

}  // namespace bindgen::clang
