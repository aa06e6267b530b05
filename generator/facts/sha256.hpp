// SPDX-License-Identifier: Apache-2.0
// SHA-256, by which a snapshot names the headers it came from.
#pragma once

#include <string>

namespace bindgen::facts {

std::string sha256(const std::string& bytes);  // lower-case hexadecimal

}  // namespace bindgen::facts
