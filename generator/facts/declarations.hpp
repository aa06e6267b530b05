// SPDX-License-Identifier: Apache-2.0
// Declarations of one parsed view of the headers, as facts.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "clang/cursor.hpp"
#include "facts/headers.hpp"
#include "facts/types.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::facts {

// Functions have link names only here (name == link); macros.hpp knows the public ones.
struct Declarations {
  Facts facts;
  Positions positions;
};

// Everything that CUDA's headers and the shims declare. Errors: E110 bit-field, E111 flexible array, E112 array of
// arrays, E113 tagless struct, E114 unknown type kind, E115 value out of range, E116 variadic function, E117 unnamed
// callback.
Declarations read_declarations(const clang::TranslationUnit& unit, const Headers& headers, Diagnostics& diagnostics);

// Fills in the documentation group of all functions, and the documentation classes of those that have a comment.
void read_comments(const clang::TranslationUnit& unit, const Headers& headers, Declarations& declarations);

}  // namespace bindgen::facts
