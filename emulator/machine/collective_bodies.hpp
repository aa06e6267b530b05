// SPDX-License-Identifier: Apache-2.0
// How values go between lanes once the lanes of a collective have met. The lanes may be in several activations (pieces).
#pragma once

#include "machine/scheduler.hpp"

namespace emulator {

/// d, p = shuffle(a, b, c). A lane that reads one that takes no part keeps its own value; in strict mode that is a finding.
void shuffle_up(const Piece* pieces, unsigned count, Warp& warp);
void shuffle_down(const Piece* pieces, unsigned count, Warp& warp);
void shuffle_butterfly(const Piece* pieces, unsigned count, Warp& warp);
void shuffle_index(const Piece* pieces, unsigned count, Warp& warp);

/// d = vote(p).
void vote_all(const Piece* pieces, unsigned count, Warp& warp);
void vote_any(const Piece* pieces, unsigned count, Warp& warp);
void vote_uniform(const Piece* pieces, unsigned count, Warp& warp);
void vote_ballot(const Piece* pieces, unsigned count, Warp& warp);

/// d = lanes with an equal value; match_all has the predicate in operand 1.
void match_any_32(const Piece* pieces, unsigned count, Warp& warp);
void match_any_64(const Piece* pieces, unsigned count, Warp& warp);
void match_all_32(const Piece* pieces, unsigned count, Warp& warp);
void match_all_64(const Piece* pieces, unsigned count, Warp& warp);

/// d = reduction of a over the lanes.
void reduce_add(const Piece* pieces, unsigned count, Warp& warp);
void reduce_min_unsigned(const Piece* pieces, unsigned count, Warp& warp);
void reduce_max_unsigned(const Piece* pieces, unsigned count, Warp& warp);
void reduce_min_signed(const Piece* pieces, unsigned count, Warp& warp);
void reduce_max_signed(const Piece* pieces, unsigned count, Warp& warp);
void reduce_and(const Piece* pieces, unsigned count, Warp& warp);
void reduce_or(const Piece* pieces, unsigned count, Warp& warp);
void reduce_xor(const Piece* pieces, unsigned count, Warp& warp);

}  // namespace emulator
