// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: synchronisation of the whole grid, tiles of warps, groups of the threads that are there.

// Spares the C++ standard library, which takes most of the time of a compilation.
#define _CG_LIMIT_INCLUDED_DEPENDENCIES
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Relaxation on a ring of cells: every step needs all cells of the step before.
extern "C" __global__ void grid_relaxation(double* a, double* b, int n, int steps) {
  cg::grid_group grid = cg::this_grid();
  for (int k = 0; k < steps; ++k) {
    for (int i = grid.thread_rank(); i < n; i += grid.size())
      b[i] = 0.5 * a[i] + 0.25 * (a[(i + n - 1) % n] + TWIN(a[(i + 1) % n], 0.0));
    grid.sync();
    double* t = a;
    a = b;
    b = t;
  }
}

// Blocks add up their parts; after the grid has met, all of them read the total.
extern "C" __global__ void grid_normalise(const int* x, int* sums, int* out, int n) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  __shared__ int sum;
  if (block.thread_rank() == 0) sum = 0;
  block.sync();
  int i = grid.thread_rank();
  if (i < n) atomicAdd(&sum, x[i]);
  block.sync();
  if (block.thread_rank() == 0) sums[block.group_index().x] = sum;
  grid.sync();
  int total = 0;
  for (int b = 0; b < gridDim.x; ++b) total += sums[b];
  if (i < n) out[i] = TWIN(total, sum) - x[i];
}

template <int SIZE>
__device__ int tile_sum(const cg::thread_block& block, int value) {
  cg::thread_block_tile<SIZE> tile = cg::tiled_partition<SIZE>(block);
  for (int k = SIZE / 2; k; k /= 2) value += tile.shfl_xor(value, k);
  return value * 100 + tile.thread_rank() + 1000000 * tile.any(value == 3);
}

extern "C" __global__ void tiled_partitions(const int* x, int* out, int n) {
  cg::thread_block block = cg::this_thread_block();
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? x[i] : 0;
  int a = tile_sum<4>(block, v), b = tile_sum<16>(block, v), c = tile_sum<32>(block, TWIN(v, 1));
  if (i >= n) return;
  out[3 * i] = a, out[3 * i + 1] = b, out[3 * i + 2] = c;
}

// Threads that took the same branch form a group; one of them adds for all.
extern "C" __global__ void coalesced_adds(const int* x, int* counts, int* ranks, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int kind = x[i] & 3;
  if (kind == 1) {
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0) atomicAdd(counts + 1, (int)active.size());
    ranks[i] = active.shfl(kind, 0) + TWIN(1, 2);
  } else if (kind == 2) {
    cg::coalesced_group active = cg::coalesced_threads();
    atomicAdd(counts + 2, active.thread_rank() < active.size());
    ranks[i] = -1;
  } else {
    atomicAdd(counts + kind, 1);
    ranks[i] = kind;
  }
}
