// SPDX-License-Identifier: Apache-2.0
// What handlers of control flow, barriers and collectives ask of the scheduler. Handlers for them live in machine/, written against this.
#pragma once

#include <cstdint>

#include "machine/warp.hpp"

namespace emulator {

/// Spends fairness budget of the running group: taken backward branches, failed cas, volatile or acquire loads, nanosleep.
/// Cheap when no other group waits. Handlers of atomics and volatile loads call it; the loop then rotates.
void spend_budget(Warp& warp, std::uint32_t amount);

}  // namespace emulator
