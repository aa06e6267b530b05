// SPDX-License-Identifier: Apache-2.0
// The groups into which the headers' documentation puts its declarations: their names only.
#pragma once

#include <string>
#include <vector>

namespace bindgen::facts {

// The groups of one header by position: `\defgroup NAME` or `\addtogroup NAME`, from the `@{` to the `@}`.
class DocGroups {
 public:
  explicit DocGroups(const std::string& text);

  // The innermost group around `offset`, or empty.
  std::string at(unsigned offset) const;

 private:
  struct Change {
    unsigned offset = 0;
    std::string group;  // from here on
  };
  std::vector<Change> changes_;
};

// What a declaration's own comment names with `\ingroup`, or empty.
std::string group_named_in(const std::string& comment);

}  // namespace bindgen::facts
