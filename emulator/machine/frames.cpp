// SPDX-License-Identifier: Apache-2.0
// Frames are carved from chunks and kept in one list a function.
#include "machine/frames.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace emulator {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 19;
constexpr std::size_t kept_chunks = 16;
/// A bound for recursion with a huge stack limit: each level takes registers of 32 lanes.
constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr std::align_val_t frame_alignment{64};

void write_constants(const Function& function, std::byte* base) {
  const LaneMask always = every_lane;
  std::memcpy(base + guard_always, &always, sizeof always);
  for (const FrameConstant& constant : function.constants) {
    if (constant.bytes == 8) {
      std::fill_n(reinterpret_cast<std::uint64_t*>(base + constant.offset), warp_size, constant.value);
    } else {
      const auto value = static_cast<std::uint32_t>(constant.value);
      std::fill_n(reinterpret_cast<std::uint32_t*>(base + constant.offset), warp_size, value);
    }
  }
}

}  // namespace

void FrameArena::FreeMemory::operator()(std::byte* memory) const { ::operator delete[](memory, frame_alignment); }

Frame* FrameArena::take(const Function& function) noexcept {
  Frame* frame = function.index < unused_.size() ? unused_[function.index] : nullptr;
  if (frame != nullptr) {
    unused_[function.index] = frame->caller;
  } else {
    try {
      frame = make(function);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  std::memset(frame->base() + function.register_begin, 0, function.frame_bytes - function.register_begin);
  return frame;
}

void FrameArena::give(Frame* frame) noexcept {
  Frame*& head = unused_[frame->function->index];
  frame->caller = head;
  head = frame;
}

void FrameArena::reset() noexcept {
  unused_.clear();
  if (chunks_.size() > kept_chunks) chunks_.resize(kept_chunks);
  chunk_ = 0;
  used_ = 0;
}

Frame* FrameArena::make(const Function& function) {
  if (function.index >= unused_.size()) unused_.resize(function.index + 1, nullptr);
  const std::size_t registers = std::max<std::size_t>(function.frame_bytes, 64);
  auto* frame = new (carve(sizeof(Frame) + (registers + 63) / 64 * 64)) Frame;
  frame->function = &function;
  write_constants(function, frame->base());
  return frame;
}

std::byte* FrameArena::carve(std::size_t bytes) {
  while (chunk_ < chunks_.size() && chunks_[chunk_].size - used_ < bytes) {
    ++chunk_;
    used_ = 0;
  }
  if (chunk_ == chunks_.size()) {
    const std::size_t size = std::max(bytes, chunk_bytes);
    if (chunks_.size() * chunk_bytes + size > most_bytes) throw std::bad_alloc();
    auto* memory = static_cast<std::byte*>(::operator new[](size, frame_alignment));
    chunks_.push_back(Chunk{std::unique_ptr<std::byte[], FreeMemory>(memory), size});
  }
  std::byte* place = chunks_[chunk_].memory.get() + used_;
  used_ += bytes;
  return place;
}

}  // namespace emulator
