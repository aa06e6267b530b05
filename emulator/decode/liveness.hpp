// SPDX-License-Identifier: Apache-2.0
// Which values of a function are alive where: values that never are at once share room in the frame.
#pragma once

#include <cstdint>
#include <vector>

#include "decode/function_draft.hpp"

namespace emulator::decode {

/// A function's ops with places as operands; branches' aux and the tables are indices of ops.
struct Body {
  const std::vector<DraftOp>& ops;
  const std::vector<std::vector<std::uint32_t>>& tables;
  const std::vector<CallDraft>& calls;
  const std::vector<Place>& own_parameters;  ///< alive throughout
};

/// Lets values and parameter variables share room. A thread's view decides, so it holds in divergent code too:
/// lanes never look into each other's registers except at the op where all of them are. What may be read before it is
/// written keeps room of its own from the start, where the frame is zero.
/// Answers how many registers of 32 bits are alive at once at most.
std::uint32_t share_room(FrameDraft& frame, const Body& body);

}  // namespace emulator::decode
