// SPDX-License-Identifier: Apache-2.0
// Where an entry's parameters lie in the parameter buffer.
#pragma once

#include "decode/module_draft.hpp"

namespace emulator::decode {

/// Each parameter at its own alignment, in order. Throws LoadError where they exceed what the target takes.
ParameterLayout lay_out_parameters(const ptx::Module& module, const ptx::Function& entry);

}  // namespace emulator::decode
