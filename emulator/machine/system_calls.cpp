// SPDX-License-Identifier: Apache-2.0
// printf, assert, malloc and free, lane by lane.
#include "machine/system_calls.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "machine/print_format.hpp"
#include "memory/lane_access.hpp"

namespace emulator {

namespace {

/// Longest text that an assertion's message shows of a name.
constexpr std::uint64_t longest_name = 4096;

unsigned first_lane(LaneMask mask) { return static_cast<unsigned>(std::countr_zero(mask)); }

LaneMask only(unsigned lane) { return LaneMask{1} << lane; }

template <class T>
T read_argument(const Warp& warp, const CallSite& call, std::size_t index, unsigned lane) {
  const ParameterSlot& slot = call.arguments[index];
  T value;
  std::memcpy(&value, warp.frame + slot.offset + std::size_t{lane} * slot.stride, sizeof(T));
  return value;
}

/// A call may leave its result unused.
template <class T>
void write_result(const Warp& warp, const CallSite& call, unsigned lane, T value) {
  if (call.results.empty() || call.results[0].bytes < sizeof(T)) return;
  const ParameterSlot& slot = call.results[0];
  std::memcpy(warp.frame + slot.offset + std::size_t{lane} * slot.stride, &value, sizeof(T));
}

Outcome refuse_read(Warp& warp, unsigned lane, std::uint64_t address, std::uint32_t size, const char* what) {
  raise_access_fault(warp, FaultKind::illegal_address, only(lane), address, size, false);
  const std::string nearest = std::move(warp.fault->note);
  warp.fault->note = nearest.empty() ? what : std::string(what) + "; " + nearest;
  return Outcome::fault;
}

/// The characters at a generic address up to a NUL or the limit; nothing where memory ends before.
std::optional<std::string_view> text_at(Warp& warp, unsigned lane, std::uint64_t address, std::uint64_t limit) {
  const std::uint64_t extent = readable_extent(warp, lane, address);
  if (extent == 0) return limit == 0 ? std::optional<std::string_view>("") : std::nullopt;
  const auto* begin = reinterpret_cast<const char*>(readable_bytes(warp, lane, address, extent));
  const std::uint64_t most = std::min(extent, limit);
  const void* end = std::memchr(begin, 0, most);
  if (end != nullptr) return std::string_view(begin, static_cast<const char*>(end));
  return most == limit ? std::optional(std::string_view(begin, most)) : std::nullopt;
}

/// Arguments of one lane's printf.
class LaneArguments final : public PrintArguments {
 public:
  LaneArguments(Warp& warp, unsigned lane, std::uint64_t block) : warp_(warp), lane_(lane), block_(block) {}
  const std::byte* argument(std::uint64_t offset, std::uint64_t bytes) override {
    return readable_bytes(warp_, lane_, block_ + offset, bytes);
  }
  std::optional<std::string_view> string(std::uint64_t address, std::uint64_t limit) override {
    // What does not fit the buffer is dropped: no need to look further for its end.
    return text_at(warp_, lane_, address, std::min<std::uint64_t>(limit, warp_.block->grid->prints->capacity() + 1));
  }

 private:
  Warp& warp_;
  unsigned lane_;
  std::uint64_t block_;
};

/// printf of one lane with a format that was parsed.
Outcome print_lane(Warp& warp, const CallSite& call, unsigned lane, const std::vector<PrintPiece>& format) {
  const auto block = read_argument<std::uint64_t>(warp, call, 1, lane);
  LaneArguments arguments(warp, lane, block);
  const PrintResult result = format_print(format, arguments);
  switch (result.status) {
    case PrintResult::Status::bad_argument:
      return refuse_read(warp, lane, block + result.address, 4, "an argument of printf");
    case PrintResult::Status::bad_string: return refuse_read(warp, lane, result.address, 1, "a string given to printf");
    case PrintResult::Status::bad_format: write_result<std::int32_t>(warp, call, lane, -1); return Outcome::next;
    case PrintResult::Status::done: break;
  }
  warp.block->grid->prints->add(result.text);
  write_result(warp, call, lane, result.arguments);
  return Outcome::next;
}

Outcome print(Warp& warp, const CallSite& call, LaneMask mask) {
  std::uint64_t parsed_address = 0;
  std::vector<PrintPiece> format;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    const auto address = read_argument<std::uint64_t>(warp, call, 0, lane);
    if (address == 0) {
      write_result<std::int32_t>(warp, call, lane, -1);
      continue;
    }
    if (address != parsed_address) {
      const std::optional<std::string_view> text =
          text_at(warp, lane, address, std::numeric_limits<std::uint64_t>::max());
      if (!text) return refuse_read(warp, lane, address, 1, "the format given to printf");
      format = parse_print_format(*text);
      parsed_address = address;
    }
    const Outcome outcome = print_lane(warp, call, lane, format);
    if (outcome != Outcome::next) return outcome;
  }
  return Outcome::next;
}

std::string bracketed(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return "[" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + "]";
}

/// Arguments: message, file, line, function, size of a character.
Outcome fail_assertion(Warp& warp, const CallSite& call, LaneMask mask) {
  std::string lines;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    const auto name = [&](std::size_t index) {
      const auto text = text_at(warp, lane, read_argument<std::uint64_t>(warp, call, index, lane), longest_name);
      return std::string(text.value_or("?"));
    };
    const Dim3& block = warp.block->index;
    if (!lines.empty()) lines += '\n';
    lines += name(1) + ":" + std::to_string(read_argument<std::uint32_t>(warp, call, 2, lane)) + ": " + name(3) +
             ": block: " + bracketed(block.x, block.y, block.z) +
             ", thread: " + bracketed(warp.thread_x[lane], warp.thread_y[lane], warp.thread_z[lane]) + " Assertion `" +
             name(0) + "` failed.";
  }
  raise_fault(warp, FaultKind::assertion, mask);
  warp.fault->note = std::move(lines);
  return Outcome::fault;
}

Outcome allocate(Warp& warp, const CallSite& call, LaneMask mask) {
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    const auto bytes = read_argument<std::uint64_t>(warp, call, 0, lane);
    write_result(warp, call, lane, warp.block->grid->heap->allocate(bytes));
  }
  return Outcome::next;
}

Outcome give_back(Warp& warp, const CallSite& call, LaneMask mask) {
  forget_allocations(warp);
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    const auto address = read_argument<std::uint64_t>(warp, call, 0, lane);
    if (warp.block->grid->heap->free(address)) continue;
    return refuse_read(warp, lane, address, 1, "free() of an address that malloc() did not give");
  }
  return Outcome::next;
}

/// Bytes of the arguments that a system call is declared with.
bool is_declared_with(const CallSite& call, std::initializer_list<std::uint32_t> bytes) {
  return std::equal(call.arguments.begin(), call.arguments.end(), bytes.begin(), bytes.end(),
                    [](const ParameterSlot& slot, std::uint32_t expected) { return slot.bytes >= expected; });
}

Outcome refuse_call(Warp& warp, LaneMask mask) {
  raise_fault(warp, FaultKind::illegal_instruction, mask);
  warp.fault->note = "the function is declared with other parameters than the device's own";
  return Outcome::fault;
}

}  // namespace

Outcome run_system_call(Warp& warp, const CallSite& call, LaneMask mask) noexcept {
  switch (call.system) {
    case SystemCall::vprintf: return is_declared_with(call, {8, 8}) ? print(warp, call, mask) : refuse_call(warp, mask);
    case SystemCall::assertfail:
      return is_declared_with(call, {8, 8, 4, 8, 8}) ? fail_assertion(warp, call, mask) : refuse_call(warp, mask);
    case SystemCall::malloc: return is_declared_with(call, {8}) ? allocate(warp, call, mask) : refuse_call(warp, mask);
    case SystemCall::free: return is_declared_with(call, {8}) ? give_back(warp, call, mask) : refuse_call(warp, mask);
    case SystemCall::none: break;
  }
  return refuse_call(warp, mask);
}

}  // namespace emulator
