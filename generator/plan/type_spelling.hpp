// SPDX-License-Identifier: Apache-2.0
// Takes a C type apart as the facts spell it: its base name, constness and pointer levels.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bindgen::plan {

struct TypeSpelling {
  std::string text;                  // as the facts spell it
  std::string base;                  // with its keyword: "struct cudaExtent", "unsigned int"
  bool is_base_const = false;        // const char *
  std::vector<bool> pointers;        // innermost first; true: that pointer is const itself
  bool is_function_pointer = false;  // int (*)(void *, void *)

  std::size_t depth() const { return pointers.size(); }
  bool is_pointer() const { return depth() > 0 || is_function_pointer; }
  // What the outermost pointer points at may not be written: const T *, T *const *.
  bool is_pointee_const() const { return depth() == 1 ? is_base_const : depth() > 1 && pointers[depth() - 2]; }
  // Base without struct, union or enum.
  std::string name() const;
};

TypeSpelling parse_type(const std::string& text);

// "struct cudaExtent" -> "cudaExtent"
std::string without_keyword(const std::string& type);

}  // namespace bindgen::plan
