// SPDX-License-Identifier: Apache-2.0
// What lanes of a warp do together: shuffles, votes, matches, reductions, masks, divergence.

typedef unsigned long long u64;
const unsigned ALL = 0xffffffffu;

__device__ inline int global_id() { return blockIdx.x * blockDim.x + threadIdx.x; }

// All threads stay until the end, so that every warp is whole.
extern "C" __global__ void shuffles(const int* x, const int* lanes, int* out, double* wide, int n) {
  int i = global_id(), lane = threadIdx.x & 31;
  int value = i < n ? x[i] : -1, from = i < n ? lanes[i] : 0;
  int r[12];
  r[0] = __shfl_sync(ALL, value, from);
  r[1] = __shfl_sync(ALL, value, 5, 8);
  r[2] = __shfl_up_sync(ALL, value, 3);
  r[3] = __shfl_up_sync(ALL, value, TWIN(2, 1), 16);
  r[4] = __shfl_down_sync(ALL, value, 7);
  r[5] = __shfl_down_sync(ALL, value, 1, 4);
  r[6] = __shfl_xor_sync(ALL, value, 9);
  r[7] = __shfl_xor_sync(ALL, value, 3, 8);
  r[8] = __shfl_sync(ALL, (short)value, lane / 2);
  r[9] = (int)__shfl_sync(ALL, (u64)value << 32 | lane, 31 - lane);
  // The predicate says whether the source lane was in range.
  asm("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 4, 0x1000, 0xffffffff; selp.s32 %1, 1, 0, p; }"
      : "=r"(r[10]), "=r"(r[11])
      : "r"(value));
  double d = __shfl_xor_sync(ALL, value * 0.5, 1) + __shfl_down_sync(ALL, (float)value, 2);
  if (i >= n) return;
  for (int k = 0; k < 12; ++k) out[12 * i + k] = r[k];
  wide[i] = d;
}

extern "C" __global__ void shuffle_some_lanes(const int* x, int* out, int n) {
  int i = global_id();
  if (i >= n) return;
  int r = -5;
  // Two groups of lanes, each with its own mask, in different branches.
  if (threadIdx.x & 1)
    r = __shfl_sync(0xaaaaaaaau, x[i], TWIN(3, 5));
  else
    r = __shfl_sync(0x55555555u, x[i] * 2, 8);
  out[i] = r;
}

extern "C" __global__ void votes(const int* x, unsigned* out, int n) {
  int i = global_id();
  bool p = i < n && (x[i] & 3) == 1, q = i >= n || x[i] > -900;
  unsigned ballot = __ballot_sync(ALL, p);
  unsigned r = __any_sync(ALL, p) | __all_sync(ALL, q) << 1 | TWIN(__popc(ballot), 0) << 2 | __uni_sync(ALL, p) << 9;
  unsigned half = 0;
  if ((threadIdx.x & 31) < 16) half = __ballot_sync(0xffffu, q);
  if (i >= n) return;
  out[3 * i] = r;
  out[3 * i + 1] = ballot;
  out[3 * i + 2] = half;
}

extern "C" __global__ void matches(const int* x, const u64* y, unsigned* out, int n) {
  int i = global_id(), same;
  int a = i < n ? x[i] : 1000;
  u64 b = i < n ? y[i] : 1000;
  unsigned any = __match_any_sync(ALL, a), any_wide = __match_any_sync(ALL, b);
  unsigned all = __match_all_sync(ALL, a >> 4, &same);
  unsigned all_wide = __match_all_sync(ALL, b & TWIN(0, ~0ull), &same);
  if (i >= n) return;
  out[5 * i] = any;
  out[5 * i + 1] = any_wide;
  out[5 * i + 2] = all;
  out[5 * i + 3] = all_wide;
  out[5 * i + 4] = same;
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void warp_reductions(const int* x, int* out, int n) {
  int i = global_id();
  int v = i < n ? x[i] : 3;
  unsigned u = v;
  int r[9] = {__reduce_add_sync(ALL, v),
              __reduce_min_sync(ALL, v),
              __reduce_max_sync(ALL, v),
              (int)__reduce_add_sync(ALL, u),
              (int)__reduce_min_sync(ALL, u),
              (int)__reduce_max_sync(ALL, u),
              (int)__reduce_and_sync(ALL, u | 7),
              (int)__reduce_or_sync(ALL, u & 0xff00ff),
              (int)TWIN(__reduce_xor_sync, __reduce_or_sync)(ALL, u)};
  if (i >= n) return;
  for (int k = 0; k < 9; ++k) out[9 * i + k] = r[k];
}
#endif

extern "C" __global__ void lane_masks(unsigned* out, int n) {
  int i = global_id();
  unsigned lane, warp_size = warpSize, eq, lt, le, gt, ge, warp;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(eq));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
  asm("mov.u32 %0, %%lanemask_le;" : "=r"(le));
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(gt));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
  unsigned active = __activemask();
  unsigned third = __fns(0xf0f0f0f0u, 4, (int)(lane % 5) + 1), back = __fns(0x12345678u, 20, -2);
  if (i >= n) return;
  unsigned* o = out + 10 * i;
  o[0] = lane, o[1] = warp_size, o[2] = eq, o[3] = lt, o[4] = le, o[5] = TWIN(gt, ge), o[6] = ge;
  o[7] = active, o[8] = third, o[9] = back;
}

// Lanes leave a loop at different times and meet again.
extern "C" __global__ void collatz_lengths(const unsigned* x, int* out, int* together, int n) {
  int i = global_id();
  u64 v = i < n ? x[i] : 1;
  int steps = 0;
  while (v != 1) {
    v = v & 1 ? 3 * v + 1 : v / 2;
    ++steps;
  }
  __syncwarp();
  int longest = steps;
  for (int k = 16; k; k /= 2) longest = max(longest, __shfl_xor_sync(ALL, longest, TWIN(k, 1)));
  if (i >= n) return;
  out[i] = steps;
  together[i] = longest;
}

// A deep nest of branches: every lane takes a path of its own.
extern "C" __global__ void branch_tree(const int* x, int* out, int n) {
  int i = global_id();
  if (i >= n) return;
  int v = x[i], r = 0;
  if (v & 1) {
    if (v & 2) {
      r = v & 4 ? v * 3 : v - 7;
      for (int k = 0; k < (v & 7); ++k) r ^= r << 1;
    } else if (v & 8) {
      r = 100;
      while (r > (v & 63)) r -= 11;
    }
  } else {
    do {
      r += (v & 15) + 1;
      if (r % 5 == 4) break;
      if (r % 3 == 2) continue;
      r += TWIN(2, 3);
    } while (r < 60);
  }
  out[i] = r;
}

// Lanes give each other values through shared memory with __syncwarp alone.
extern "C" __global__ void warp_exchange(const int* x, int* out, int n) {
  __shared__ int cells[128];
  int i = global_id(), lane = threadIdx.x & 31, base = threadIdx.x - lane;
  cells[threadIdx.x] = i < n ? x[i] : 0;
  __syncwarp();
  int sum = 0;
  for (int k = 0; k < 32; ++k) sum += cells[base + (TWIN((lane + k) & 31, lane))] * (k + 1);
  __syncwarp();
  cells[base + (lane * 7 & 31)] = sum;
  __syncwarp();
  if (i < n) out[i] = cells[threadIdx.x];
}

// Each lane counts those before it that stay, and the warp writes them without gaps.
extern "C" __global__ void compact_by_ballot(const int* x, int* out, int* count, int n) {
  int i = global_id(), lane = threadIdx.x & 31;
  bool stays = i < n && x[i] % 3 == 0;
  unsigned mask = __ballot_sync(ALL, stays);
  int place = 0;
  if (lane == 0) place = atomicAdd(count, __popc(mask));
  place = __shfl_sync(ALL, place, 0);
  if (stays) out[place + __popc(mask & ((1u << lane) - TWIN(1, 0)))] = x[i];
}

// Sorts 32 values in registers.
extern "C" __global__ void bitonic_sort(int* x, int n) {
  int i = global_id(), lane = threadIdx.x & 31;
  int v = i < n ? x[i] : 0x7fffffff;
  for (int size = 2; size <= 32; size *= 2)
    for (int stride = size / 2; stride; stride /= 2) {
      int other = __shfl_xor_sync(ALL, v, stride);
      bool up = (lane & size) == 0, lower = (lane & stride) == 0;
      v = (lower == up) == TWIN(true, false) ? min(v, other) : max(v, other);
    }
  if (i < n) x[i] = v;
}
