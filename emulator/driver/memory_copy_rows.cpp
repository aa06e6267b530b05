// SPDX-License-Identifier: Apache-2.0
// Copies of rows and slices: cuMemcpy2D and cuMemcpy3D in their forms.
#include "driver/copy_plan.hpp"

namespace emulator {
namespace {

// What 2D and 3D descriptors say of one side.
struct SideDescription {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  std::size_t x, y, z;
  std::size_t pitch;   // 0: the rows lie one behind the other
  std::size_t height;  // rows of a slice; 0: as many as are copied
};

struct Extent {
  std::size_t width, height, depth;
};

std::size_t checked_product(std::size_t first, std::size_t second) {
  std::size_t product = 0;
  require(!__builtin_mul_overflow(first, second, &product));
  return product;
}

std::size_t checked_sum(std::size_t first, std::size_t second) {
  std::size_t sum = 0;
  require(!__builtin_add_overflow(first, second, &sum));
  return sum;
}

CopySide side_of(const SideDescription& description, const Extent& extent) {
  const std::size_t pitch = description.pitch == 0 ? checked_sum(description.x, extent.width) : description.pitch;
  const std::size_t rows = description.height == 0 ? checked_sum(description.y, extent.height) : description.height;
  require(checked_sum(description.x, extent.width) <= pitch);
  require(extent.depth == 1 || checked_sum(description.y, extent.height) <= rows);
  const std::size_t slice = checked_product(pitch, rows);
  const std::size_t skipped = checked_sum(
      checked_sum(checked_product(description.z, slice), checked_product(description.y, pitch)), description.x);
  const std::size_t span = checked_sum(
      checked_sum(checked_product(extent.depth - 1, slice), checked_product(extent.height - 1, pitch)), extent.width);
  CopySide side;
  switch (description.type) {
    case CU_MEMORYTYPE_HOST:
      side = unified_side(reinterpret_cast<std::uint64_t>(description.host) + skipped, span);
      break;
    case CU_MEMORYTYPE_DEVICE: side = device_side(description.device + skipped, span); break;
    case CU_MEMORYTYPE_UNIFIED: side = unified_side(description.device + skipped, span); break;
    case CU_MEMORYTYPE_ARRAY: throw Failure{CUDA_ERROR_NOT_SUPPORTED};
    default: throw Failure{CUDA_ERROR_INVALID_VALUE};
  }
  side.row_pitch = pitch;
  side.slice_pitch = slice;
  return side;
}

CopyPlan plan_of(const SideDescription& target, const SideDescription& source, const Extent& extent) {
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return {{}, {}, 0, 0, 0};
  return {side_of(source, extent), side_of(target, extent), extent.width, extent.height, extent.depth};
}

CopyPlan plan_of(const CUDA_MEMCPY2D* copy) {
  require(copy != nullptr);
  return plan_of(
      {copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstXInBytes, copy->dstY, 0, copy->dstPitch, 0},
      {copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcXInBytes, copy->srcY, 0, copy->srcPitch, 0},
      {copy->WidthInBytes, copy->Height, 1});
}

// CUDA_MEMCPY3D and its form for peers have the same members.
template <class Copy>
CopyPlan plan_of_slices(const Copy* copy) {
  require(copy != nullptr);
  require(copy->srcLOD == 0 && copy->dstLOD == 0);
  return plan_of({copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstXInBytes, copy->dstY, copy->dstZ,
                  copy->dstPitch, copy->dstHeight},
                 {copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcXInBytes, copy->srcY, copy->srcZ,
                  copy->srcPitch, copy->srcHeight},
                 {copy->WidthInBytes, copy->Height, copy->Depth});
}

CopyPlan plan_between(const CUDA_MEMCPY3D_PEER* copy) {
  require(copy != nullptr);
  context_of(copy->srcContext);
  context_of(copy->dstContext);
  return plan_of_slices(copy);
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* pCopy) {
  return context_call([&](Context& context) { copy_now(context, nullptr, plan_of(pCopy)); });
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* pCopy) {
  return context_call([&](Context& context) { copy_now(context, nullptr, plan_of(pCopy)); });
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* pCopy, CUstream hStream) {
  return context_call([&](Context& context) { copy_later(context, hStream, plan_of(pCopy)); });
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* pCopy) {
  return context_call([&](Context& context) { copy_now(context, nullptr, plan_of_slices(pCopy)); });
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* pCopy, CUstream hStream) {
  return context_call([&](Context& context) { copy_later(context, hStream, plan_of_slices(pCopy)); });
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* pCopy) {
  return context_call([&](Context& context) { copy_now(context, nullptr, plan_between(pCopy)); });
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* pCopy, CUstream hStream) {
  return context_call([&](Context& context) { copy_later(context, hStream, plan_between(pCopy)); });
}
}
