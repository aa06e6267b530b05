// SPDX-License-Identifier: Apache-2.0
// Headers in, facts out: every view of the headers is parsed once, compared, and joined.
#pragma once

#include <string>
#include <vector>

#include "facts/headers.hpp"
#include "facts/types.hpp"
#include "report/diagnostic.hpp"

namespace bindgen::facts {

struct Extraction {
  Facts facts;
  Positions positions;
  std::vector<std::string> headers;  // paths of CUDA headers that were read, ordered by their names
  std::vector<std::string> unused;   // records that nothing uses, of headers.toml's [only_used]
};

// The facts are complete only if `diagnostics` stays empty.
Extraction extract(const Headers& headers, const std::string& data_folder, Diagnostics& diagnostics);

}  // namespace bindgen::facts
