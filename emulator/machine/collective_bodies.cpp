// SPDX-License-Identifier: Apache-2.0
// Shuffles, votes, matches and reductions over lanes that have met.
#include "machine/collective_bodies.hpp"

#include <algorithm>
#include <array>

namespace emulator {
namespace {

constexpr auto make_lane_bits() {
  std::array<std::uint32_t, warp_size> bits{};
  for (unsigned lane = 0; lane < warp_size; ++lane) bits[lane] = 1u << lane;
  return bits;
}
/// Each lane's bit: a load and an `and` vectorise on every instruction set, shifts by the lane do not.
alignas(64) constexpr std::array<std::uint32_t, warp_size> lane_bit = make_lane_bits();

LaneMask lanes_of(const Piece* pieces, unsigned count) {
  LaneMask lanes = 0;
  for (unsigned i = 0; i < count; ++i) lanes |= pieces[i].lanes;
  return lanes;
}

/// The values of an operand in all pieces: in place where there is one piece, else gathered.
template <class T>
class Values {
 public:
  Values(const Piece* pieces, unsigned count, unsigned operand) {
    if (count == 1) {
      values_ = reinterpret_cast<const T*>(pieces->frame + pieces->op->operand[operand]);
      return;
    }
    std::fill_n(gathered_, warp_size, T{});
    for (unsigned i = 0; i < count; ++i) {
      const auto* from = reinterpret_cast<const T*>(pieces[i].frame + pieces[i].op->operand[operand]);
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        if ((pieces[i].lanes >> lane & 1u) != 0) gathered_[lane] = from[lane];
      }
    }
    values_ = gathered_;
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  T operator[](unsigned lane) const { return values_[lane]; }
  [[nodiscard]] const T* data() const { return values_; }

 private:
  const T* values_;
  T gathered_[warp_size];  // written only where there are several pieces
};

LaneMask predicate_of(const Piece* pieces, unsigned count, unsigned operand) {
  LaneMask bits = 0;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint32_t place = pieces[i].op->operand[operand];
    const LaneMask value = *reinterpret_cast<const LaneMask*>(pieces[i].frame + (place & ~1u)) ^ (0u - (place & 1u));
    bits |= value & pieces[i].lanes;
  }
  return bits;
}

void write_values(const Piece* pieces, unsigned count, unsigned operand, const std::uint32_t* values) {
  for (unsigned i = 0; i < count; ++i) {
    auto* to = reinterpret_cast<std::uint32_t*>(pieces[i].frame + pieces[i].op->operand[operand]);
    if (pieces[i].lanes == every_lane) {
      std::copy_n(values, warp_size, to);
      continue;
    }
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      to[lane] = (pieces[i].lanes & lane_bit[lane]) != 0 ? values[lane] : to[lane];
    }
  }
}

void write_same(const Piece* pieces, unsigned count, std::uint32_t value) {
  std::uint32_t values[warp_size];
  std::fill_n(values, warp_size, value);
  write_values(pieces, count, 0, values);
}

void write_bits(const Piece* pieces, unsigned count, unsigned operand, LaneMask bits) {
  for (unsigned i = 0; i < count; ++i) {
    auto& value = *reinterpret_cast<LaneMask*>(pieces[i].frame + pieces[i].op->operand[operand]);
    value = (value & ~pieces[i].lanes) | (bits & pieces[i].lanes);
  }
}

enum class Shuffle : std::uint8_t { up, down, butterfly, index };

/// Where each lane reads, or beyond 31 where it may not. Written for the compiler to vectorise.
template <Shuffle mode>
void source_lanes(const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* from, std::uint32_t* valid) {
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t segment = c[lane] >> 8 & 31u;
    const std::uint32_t low = lane & segment;
    const std::uint32_t bound = low | (c[lane] & 31u & ~segment);
    const std::uint32_t by = b[lane] & 31u;
    if constexpr (mode == Shuffle::up) {
      const auto place = static_cast<std::int32_t>(lane - by);
      valid[lane] = place >= static_cast<std::int32_t>(bound) ? every_lane : 0;
      from[lane] = static_cast<std::uint32_t>(place);
    } else {
      const std::uint32_t place = mode == Shuffle::down        ? lane + by
                                  : mode == Shuffle::butterfly ? lane ^ by
                                                               : low | (by & ~segment);
      valid[lane] = static_cast<std::int32_t>(place) <= static_cast<std::int32_t>(bound) ? every_lane : 0;
      from[lane] = place;
    }
    from[lane] = (from[lane] & valid[lane]) | (lane & ~valid[lane]);
  }
}

/// One bit a lane of words that are all ones or zero.
LaneMask mask_of(const std::uint32_t* words) {
  LaneMask bits = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) bits |= words[lane] & lane_bit[lane];
  return bits;
}

template <Shuffle mode>
void shuffle(const Piece* pieces, unsigned count, Warp& warp) {
  const LaneMask lanes = lanes_of(pieces, count);
  const Values<std::uint32_t> a(pieces, count, 2);
  const Values<std::uint32_t> b(pieces, count, 3);
  const Values<std::uint32_t> c(pieces, count, 4);
  std::uint32_t from[warp_size];
  std::uint32_t valid[warp_size];
  source_lanes<mode>(b.data(), c.data(), from, valid);
  LaneMask astray = 0;
  if (lanes != every_lane) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      if ((lanes >> from[lane] & 1u) != 0) continue;
      from[lane] = lane;
      astray |= LaneMask{1} << lane;
    }
  }
  std::uint32_t values[warp_size];
  for (unsigned lane = 0; lane < warp_size; ++lane) values[lane] = a[from[lane]];
  if ((astray & lanes) != 0 && warp.block->grid->strict) {
    raise_fault(warp, FaultKind::strict, astray & lanes);
    warp.fault->note = "the shuffle reads a lane that takes no part in it";
  }
  write_values(pieces, count, 0, values);
  write_bits(pieces, count, 1, mask_of(valid));
}

template <class T>
void match_any(const Piece* pieces, unsigned count) {
  const LaneMask lanes = lanes_of(pieces, count);
  const Values<T> a(pieces, count, 1);
  std::uint32_t values[warp_size] = {};
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    for (unsigned other = 0; other < warp_size; ++other) values[lane] |= LaneMask{a[other] == a[lane]} << other;
    values[lane] &= lanes;
  }
  write_values(pieces, count, 0, values);
}

template <class T>
void match_all(const Piece* pieces, unsigned count) {
  const LaneMask lanes = lanes_of(pieces, count);
  const Values<T> a(pieces, count, 2);
  const T first = a[static_cast<unsigned>(__builtin_ctz(lanes))];
  bool same = true;
  for (unsigned lane = 0; lane < warp_size; ++lane) same &= (lanes >> lane & 1u) == 0 || a[lane] == first;
  write_same(pieces, count, same ? lanes : 0);
  write_bits(pieces, count, 1, same ? every_lane : 0);
}

template <class T, class Operation>
void reduce(const Piece* pieces, unsigned count, Operation operation) {
  const LaneMask lanes = lanes_of(pieces, count);
  const Values<std::uint32_t> a(pieces, count, 1);
  auto result = static_cast<T>(a[static_cast<unsigned>(__builtin_ctz(lanes))]);
  for (LaneMask left = lanes & (lanes - 1); left != 0; left &= left - 1) {
    result = operation(result, static_cast<T>(a[static_cast<unsigned>(__builtin_ctz(left))]));
  }
  write_same(pieces, count, static_cast<std::uint32_t>(result));
}

}  // namespace

void shuffle_up(const Piece* pieces, unsigned count, Warp& warp) { shuffle<Shuffle::up>(pieces, count, warp); }
void shuffle_down(const Piece* pieces, unsigned count, Warp& warp) { shuffle<Shuffle::down>(pieces, count, warp); }
void shuffle_butterfly(const Piece* pieces, unsigned count, Warp& warp) {
  shuffle<Shuffle::butterfly>(pieces, count, warp);
}
void shuffle_index(const Piece* pieces, unsigned count, Warp& warp) { shuffle<Shuffle::index>(pieces, count, warp); }

void vote_all(const Piece* pieces, unsigned count, Warp&) {
  const bool holds = predicate_of(pieces, count, 1) == lanes_of(pieces, count);
  write_bits(pieces, count, 0, holds ? every_lane : 0);
}

void vote_any(const Piece* pieces, unsigned count, Warp&) {
  write_bits(pieces, count, 0, predicate_of(pieces, count, 1) != 0 ? every_lane : 0);
}

void vote_uniform(const Piece* pieces, unsigned count, Warp&) {
  const LaneMask bits = predicate_of(pieces, count, 1);
  write_bits(pieces, count, 0, bits == 0 || bits == lanes_of(pieces, count) ? every_lane : 0);
}

void vote_ballot(const Piece* pieces, unsigned count, Warp&) {
  write_same(pieces, count, predicate_of(pieces, count, 1));
}

void match_any_32(const Piece* pieces, unsigned count, Warp&) { match_any<std::uint32_t>(pieces, count); }
void match_any_64(const Piece* pieces, unsigned count, Warp&) { match_any<std::uint64_t>(pieces, count); }
void match_all_32(const Piece* pieces, unsigned count, Warp&) { match_all<std::uint32_t>(pieces, count); }
void match_all_64(const Piece* pieces, unsigned count, Warp&) { match_all<std::uint64_t>(pieces, count); }

void reduce_add(const Piece* pieces, unsigned count, Warp&) {
  reduce<std::uint32_t>(pieces, count, [](std::uint32_t x, std::uint32_t y) { return x + y; });
}
void reduce_min_unsigned(const Piece* pieces, unsigned count, Warp&) {
  reduce<std::uint32_t>(pieces, count, [](std::uint32_t x, std::uint32_t y) { return std::min(x, y); });
}
void reduce_max_unsigned(const Piece* pieces, unsigned count, Warp&) {
  reduce<std::uint32_t>(pieces, count, [](std::uint32_t x, std::uint32_t y) { return std::max(x, y); });
}
void reduce_min_signed(const Piece* pieces, unsigned count, Warp&) {
  reduce<std::int32_t>(pieces, count, [](std::int32_t x, std::int32_t y) { return std::min(x, y); });
}
void reduce_max_signed(const Piece* pieces, unsigned count, Warp&) {
  reduce<std::int32_t>(pieces, count, [](std::int32_t x, std::int32_t y) { return std::max(x, y); });
}
void reduce_and(const Piece* pieces, unsigned count, Warp&) {
  reduce<std::uint32_t>(pieces, count, [](std::uint32_t x, std::uint32_t y) { return x & y; });
}
void reduce_or(const Piece* pieces, unsigned count, Warp&) {
  reduce<std::uint32_t>(pieces, count, [](std::uint32_t x, std::uint32_t y) { return x | y; });
}
void reduce_xor(const Piece* pieces, unsigned count, Warp&) {
  reduce<std::uint32_t>(pieces, count, [](std::uint32_t x, std::uint32_t y) { return x ^ y; });
}

}  // namespace emulator
