// SPDX-License-Identifier: Apache-2.0
// Liveness of values by blocks, then intervals of ops, then a linear scan that hands out room.
#include "decode/liveness.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>

namespace emulator::decode {
namespace {

constexpr std::uint32_t never = 0xffffffffu;

/// Ops [begin, end) that run one after the other.
struct Block {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::vector<std::uint32_t> successors;
};

/// One bit a value that crosses blocks.
class BitRows {
 public:
  BitRows(std::size_t rows, std::size_t bits) : words_((bits + 63) / 64), data_(rows * words_) {}
  void set(std::size_t row, std::size_t bit) { data_[row * words_ + bit / 64] |= std::uint64_t{1} << bit % 64; }
  [[nodiscard]] const std::uint64_t* row(std::size_t index) const { return data_.data() + index * words_; }
  [[nodiscard]] std::uint64_t* row(std::size_t index) { return data_.data() + index * words_; }
  [[nodiscard]] std::size_t words() const { return words_; }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> data_;
};

bool falls_through(const DraftOp& op) { return op.flow == Flow::next || op.op.guard != all_lanes; }

void for_targets(const Body& body, const DraftOp& op, auto&& take) {
  if (op.flow == Flow::branch) take(op.op.aux);
  if (op.flow != Flow::table) return;
  for (const std::uint32_t target : body.tables[op.op.aux]) take(target);
}

/// Cuts the ops into blocks; `block_of` gives the block of an op.
std::vector<Block> make_blocks(const Body& body, std::vector<std::uint32_t>& block_of) {
  const std::size_t count = body.ops.size();
  std::vector<bool> leads(count + 1, false);
  leads[0] = true;
  for (std::size_t i = 0; i < count; ++i) {
    if (body.ops[i].flow == Flow::next) continue;
    leads[i + 1] = true;
    for_targets(body, body.ops[i], [&](std::uint32_t target) { leads[target] = true; });
  }
  std::vector<Block> blocks;
  block_of.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (leads[i]) blocks.push_back({.begin = i, .end = i, .successors = {}});
    block_of[i] = static_cast<std::uint32_t>(blocks.size() - 1);
    blocks.back().end = i + 1;
  }
  for (Block& block : blocks) {
    const DraftOp& last = body.ops[block.end - 1];
    for_targets(body, last, [&](std::uint32_t target) { block.successors.push_back(block_of[target]); });
    if (falls_through(last) && block.end < count) block.successors.push_back(block_of[block.end]);
  }
  return blocks;
}

/// First and last op at which a place must keep what it holds.
struct Interval {
  std::uint32_t place = 0;  ///< index
  std::uint32_t first = never;
  std::uint32_t last = 0;

  void extend(std::uint32_t op) {
    first = std::min(first, op);
    last = std::max(last, op);
  }
};

class Scan {
 public:
  Scan(FrameDraft& frame, const Body& body) : frame_(frame), body_(body), blocks_(make_blocks(body, block_of_)) {
    intervals_.resize(frame.size());
    for (std::size_t i = 0; i < intervals_.size(); ++i) intervals_[i].place = static_cast<std::uint32_t>(i);
  }

  std::uint32_t run() {
    number_crossing_values();
    find_live_values();
    find_parameter_intervals();
    std::erase_if(intervals_, [](const Interval& interval) { return interval.first == never; });
    std::sort(intervals_.begin(), intervals_.end(), [](const Interval& a, const Interval& b) {
      return std::pair(a.first, a.place) < std::pair(b.first, b.place);
    });
    share();
    return most_alive();
  }

 private:
  [[nodiscard]] bool is_value(Place place) const { return frame_.info(place).kind == PlaceKind::value; }

  /// Calls read(place) for what the op reads, then write(place) for what it overwrites in all lanes.
  void for_places(const DraftOp& op, auto&& read, auto&& write) const {
    if (is_value(op.op.guard)) read(op.op.guard >> 1);
    for (unsigned i = 0; i < 6; ++i) {
      const Place place = op.op.operand[i];
      if (!is_value(place)) continue;
      const bool is_written = (op.written >> i & 1u) != 0;
      // A guarded write leaves some lanes as they were.
      if (!is_written || op.op.guard != all_lanes) read(place >> 1);
    }
    for (unsigned i = 0; i < 6; ++i) {
      if ((op.written >> i & 1u) != 0 && is_value(op.op.operand[i])) write(op.op.operand[i] >> 1);
    }
  }

  /// Numbers the values that some block reads before it writes them: only these can be alive between blocks.
  void number_crossing_values() {
    number_.assign(frame_.size(), never);
    std::vector<std::uint32_t> written_in(frame_.size(), never);
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
      for (std::uint32_t i = blocks_[b].begin; i < blocks_[b].end; ++i) {
        for_places(
            body_.ops[i],
            [&](std::uint32_t place) {
              if (written_in[place] == b || number_[place] != never) return;
              number_[place] = static_cast<std::uint32_t>(crossing_.size());
              crossing_.push_back(place);
            },
            [&](std::uint32_t place) { written_in[place] = b; });
      }
    }
  }

  void find_live_values() {
    const std::size_t bits = crossing_.size();
    BitRows used(blocks_.size(), bits);
    BitRows written(blocks_.size(), bits);
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
      for (std::uint32_t i = blocks_[b].begin; i < blocks_[b].end; ++i) {
        for_places(
            body_.ops[i],
            [&](std::uint32_t place) {
              intervals_[place].extend(i);
              const std::uint32_t bit = number_[place];
              if (bit != never && (written.row(b)[bit / 64] >> bit % 64 & 1u) == 0) used.set(b, bit);
            },
            [&](std::uint32_t place) {
              intervals_[place].extend(i);
              if (number_[place] != never) written.set(b, number_[place]);
            });
      }
    }
    spread(used, written);
  }

  /// Backward data flow: `used` becomes what is alive at the beginning of each block.
  /// Then intervals cover whole blocks.
  void spread(BitRows& used, const BitRows& written) {
    const std::size_t words = used.words();
    std::vector<std::uint64_t> out(words);
    const auto alive_after = [&](const Block& block) {
      std::fill(out.begin(), out.end(), 0);
      for (const std::uint32_t next : block.successors) {
        for (std::size_t w = 0; w < words; ++w) out[w] |= used.row(next)[w];
      }
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = blocks_.size(); b-- > 0;) {
        alive_after(blocks_[b]);
        for (std::size_t w = 0; w < words; ++w) {
          const std::uint64_t now = used.row(b)[w] | (out[w] & ~written.row(b)[w]);
          changed |= now != used.row(b)[w];
          used.row(b)[w] = now;
        }
      }
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      extend_all(used.row(b), words, blocks_[b].begin);
      alive_after(blocks_[b]);
      extend_all(out.data(), words, blocks_[b].end - 1);
    }
  }

  void extend_all(const std::uint64_t* row, std::size_t words, std::uint32_t op) {
    for (std::size_t w = 0; w < words; ++w) {
      for (std::uint64_t rest = row[w]; rest != 0; rest &= rest - 1) {
        const auto bit = w * 64 + static_cast<std::size_t>(__builtin_ctzll(rest));
        intervals_[crossing_[bit]].extend(op);
      }
    }
  }

  /// A call's parameter variables live in one block, from the first store to the call, from the call to the last load.
  void find_parameter_intervals() {
    const auto last_op = static_cast<std::uint32_t>(body_.ops.size() - 1);
    const auto mention = [&](Place place, std::uint32_t op) {
      if (frame_.info(place).kind == PlaceKind::parameter) intervals_[place >> 1].extend(op);
    };
    for (std::uint32_t i = 0; i <= last_op; ++i) {
      const DraftOp& op = body_.ops[i];
      for (const Place place : op.op.operand) mention(place, i);
      if (op.call == no_call) continue;
      for (const Place place : body_.calls[op.call].arguments) mention(place, i);
      for (const Place place : body_.calls[op.call].results) mention(place, i);
    }
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
      Interval& interval = intervals_[i];
      if (interval.first == never || frame_.info(static_cast<Place>(i << 1)).kind != PlaceKind::parameter) continue;
      if (block_of_[interval.first] != block_of_[interval.last]) interval = {interval.place, 0, last_op};
    }
    for (const Place place : body_.own_parameters) intervals_[place >> 1] = {place >> 1, 0, last_op};
  }

  /// Hands out room in the order of intervals: room of the same size whose owner's interval has ended comes first.
  void share() {
    using Ending = std::pair<std::uint32_t, std::uint32_t>;  // last op, place that owns the room
    std::map<std::uint64_t, std::priority_queue<Ending, std::vector<Ending>, std::greater<>>> taken;
    for (const Interval& interval : intervals_) {
      const Place place = interval.place << 1;
      const PlaceInfo& info = frame_.info(place);
      const std::uint64_t size = info.kind == PlaceKind::parameter ? 1024 + info.value : info.bits;
      auto& queue = taken[size];
      std::uint32_t owner = interval.place;
      if (!queue.empty() && queue.top().first < interval.first) {
        owner = queue.top().second;
        queue.pop();
        frame_.share(place, owner << 1);
      }
      queue.emplace(interval.last, owner);
    }
  }

  [[nodiscard]] std::uint32_t most_alive() const {
    std::vector<std::int32_t> change(body_.ops.size() + 1, 0);
    for (const Interval& interval : intervals_) {
      const PlaceInfo& info = frame_.info(interval.place << 1);
      if (info.kind != PlaceKind::value || info.bits == 1) continue;
      const std::int32_t units = info.bits == 64 ? 2 : 1;
      change[interval.first] += units;
      change[interval.last + 1] -= units;
    }
    std::int32_t alive = 0;
    std::int32_t most = 0;
    for (const std::int32_t each : change) most = std::max(most, alive += each);
    return static_cast<std::uint32_t>(most);
  }

  FrameDraft& frame_;
  const Body& body_;
  std::vector<std::uint32_t> block_of_;
  std::vector<Block> blocks_;
  std::vector<Interval> intervals_;      ///< by place at first
  std::vector<std::uint32_t> number_;    ///< by place: bit in the data flow's rows
  std::vector<std::uint32_t> crossing_;  ///< by bit: place
};

}  // namespace

std::uint32_t share_room(FrameDraft& frame, const Body& body) { return Scan(frame, body).run(); }

}  // namespace emulator::decode
