// SPDX-License-Identifier: Apache-2.0
// Filling device memory with a value of 8, 16 or 32 bits, in one or two dimensions.
#include <algorithm>
#include <cstring>

#include "driver/context.hpp"
#include "driver/holdings.hpp"

namespace emulator {
namespace {

struct Fill {
  std::byte* begin = nullptr;
  std::size_t pitch = 0;
  std::size_t width = 0;  // in bytes
  std::size_t height = 0;
  std::uint32_t value = 0;
  std::size_t unit = 1;

  void run() const {
    for (std::size_t row = 0; row < height; ++row) {
      std::byte* const line = begin + row * pitch;
      if (unit == 1) {
        std::memset(line, static_cast<int>(value), width);
        continue;
      }
      for (std::size_t offset = 0; offset < width; offset += unit) std::memcpy(line + offset, &value, unit);
    }
  }
};

template <class Value>
Fill fill_of(CUdeviceptr address, std::size_t pitch, Value value, std::size_t width, std::size_t height) {
  constexpr std::size_t unit = sizeof(Value);
  Fill fill;
  if (width == 0 || height == 0) return fill;
  require(address % unit == 0 && pitch % unit == 0);
  require(width <= SIZE_MAX / unit / height);
  fill = {nullptr, pitch, width * unit, height, value, unit};
  require(height == 1 || pitch >= fill.width);
  std::size_t span = 0;
  require(!__builtin_mul_overflow(pitch, height - 1, &span) && !__builtin_add_overflow(span, fill.width, &span));
  fill.begin = device_bytes(address, span);
  return fill;
}

void fill_now(Context& context, const Fill& fill) {
  const StreamReference stream = own_stream_of(context, nullptr);
  stream.context->run_synchronously(*stream.stream, [&] { fill.run(); });
}

void fill_later(Context& context, CUstream handle, const Fill& fill) {
  const StreamReference stream = own_stream_of(context, handle);
  if (fill.height != 0) stream.context->enqueue(*stream.stream, [fill] { fill.run(); });
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
  return context_call([&](Context& context) { fill_now(context, fill_of(dstDevice, 0, uc, N, 1)); });
}

CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N) {
  return context_call([&](Context& context) { fill_now(context, fill_of(dstDevice, 0, us, N, 1)); });
}

CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
  return context_call([&](Context& context) { fill_now(context, fill_of(dstDevice, 0, ui, N, 1)); });
}

CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height) {
  return context_call([&](Context& context) { fill_now(context, fill_of(dstDevice, dstPitch, uc, Width, Height)); });
}

CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height) {
  return context_call([&](Context& context) { fill_now(context, fill_of(dstDevice, dstPitch, us, Width, Height)); });
}

CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height) {
  return context_call([&](Context& context) { fill_now(context, fill_of(dstDevice, dstPitch, ui, Width, Height)); });
}

CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
  return context_call([&](Context& context) { fill_later(context, hStream, fill_of(dstDevice, 0, uc, N, 1)); });
}

CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
  return context_call([&](Context& context) { fill_later(context, hStream, fill_of(dstDevice, 0, us, N, 1)); });
}

CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
  return context_call([&](Context& context) { fill_later(context, hStream, fill_of(dstDevice, 0, ui, N, 1)); });
}

CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height,
                           CUstream hStream) {
  return context_call(
      [&](Context& context) { fill_later(context, hStream, fill_of(dstDevice, dstPitch, uc, Width, Height)); });
}

CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height,
                            CUstream hStream) {
  return context_call(
      [&](Context& context) { fill_later(context, hStream, fill_of(dstDevice, dstPitch, us, Width, Height)); });
}

CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height,
                            CUstream hStream) {
  return context_call(
      [&](Context& context) { fill_later(context, hStream, fill_of(dstDevice, dstPitch, ui, Width, Height)); });
}
}
