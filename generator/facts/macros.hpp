// SPDX-License-Identifier: Apache-2.0
// What the object-like macros of the headers mean: other names of functions, other names of types, integer constants.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "clang/translation_unit.hpp"
#include "facts/headers.hpp"
#include "facts/types.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::facts {

struct Macros {
  std::map<std::string, std::string> functions;  // public name -> link name
  std::map<std::string, std::string> types;      // cudaStreamAttrID -> cudaLaunchAttributeID
  std::vector<Constant> constants;
  Positions positions;                        // of the constants and types
  std::map<std::string, std::string> others;  // attributes, compiler switches, unknown expressions -> place
};

// Clang evaluates each macro in a translation unit made for it; nothing is parsed by hand. Errors: E115 a value
// out of range.
Macros read_macros(const clang::Index& index, const clang::TranslationUnit& unit, const Headers& headers, View view,
                   Diagnostics& diagnostics);

// Puts the names that the headers spell back into the parameters' types, where they are macros for other types.
void restore_type_names(const clang::TranslationUnit& unit, const Macros& macros, Facts& facts);

}  // namespace bindgen::facts
