// SPDX-License-Identifier: Apache-2.0
// Atomic operations of every kind on global and shared memory, scopes, compare-and-swap loops, locks.

#include <cuda_fp16.h>

typedef unsigned long long u64;
typedef long long s64;

__device__ inline int global_id() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Each operation has an int of its own; the order of the threads does not matter for any of them.
extern "C" __global__ void atomic_int(const int* x, int* s, unsigned* u, int n) {
  int i = global_id();
  if (i >= n) return;
  atomicAdd(s, x[i]);
  atomicSub(s + 1, x[i]);
  atomicMin(s + 2, x[i]);
  atomicMax(s + 3, TWIN(x[i], -x[i]));
  atomicAdd(u, (unsigned)x[i]);
  atomicMin(u + 1, (unsigned)x[i]);
  atomicMax(u + 2, (unsigned)x[i]);
  atomicAnd(u + 3, x[i] | 0xff00ff00);
  atomicOr(u + 4, x[i] & 0x00ff00ff);
  atomicXor(u + 5, x[i]);
  atomicInc(u + 6, 41u);
  atomicDec(u + 7, 41u);
}

// What an operation gives back is the value before: all tickets together are 0 ... n - 1.
extern "C" __global__ void atomic_tickets(int* next, unsigned* wrapping, int* seen, int* seen_wrapped, int n) {
  int i = global_id();
  if (i >= n) return;
  int mine = atomicAdd(next, 1);
  seen[mine] += 1;
  unsigned wrapped = atomicInc(wrapping, 9u);
  atomicAdd(seen_wrapped + TWIN(wrapped, 0), 1);
}

extern "C" __global__ void atomic_exchange_chain(int* cell, u64* wide, float* real, u64* sum, u64* wide_sum,
                                                 double* real_sum, int n) {
  int i = global_id();
  if (i >= n) return;
  // Every value put in comes out once, but for the last one.
  atomicAdd(sum, (u64)atomicExch(cell, i + 1));
  atomicAdd(wide_sum, atomicExch(wide, (u64)(TWIN(i + 1, i)) << 32));
  atomicAdd(real_sum, (double)atomicExch(real, (float)(i + 1)));
}

extern "C" __global__ void atomic_shared(const int* x, int* out, u64* wide_out, float* real_out, int n) {
  __shared__ int s[10];
  __shared__ u64 w[7];
  __shared__ float f[2];
  __shared__ double d;
  int t = threadIdx.x, i = global_id();
  if (t < 10) s[t] = t == 5 ? -1 : 0;
  if (t < 7) w[t] = t == 3 ? ~0ull : 0;
  if (t < 2) f[t] = 0;
  if (t == 0) d = 0;
  __syncthreads();
  if (i < n) {
    int v = x[i];
    atomicAdd(&s[0], v);
    atomicMin(&s[1], v);
    atomicMax(&s[2], v);
    atomicInc((unsigned*)&s[3], 12u);
    atomicDec((unsigned*)&s[4], 12u);
    atomicAnd(&s[5], v);
    atomicOr(&s[6], v);
    atomicXor(&s[7], v);
    atomicMin((unsigned*)&s[8], (unsigned)v);
    atomicMax((unsigned*)&s[9], (unsigned)TWIN(v, 1));
    atomicAdd(&w[0], (u64)v);
    atomicMin((s64*)&w[1], (s64)v << 20);
    atomicMax((s64*)&w[2], (s64)v << 20);
    atomicAnd(&w[3], (u64)(s64)v << 7);
    atomicOr(&w[4], (u64)(unsigned)v << 3);
    atomicXor(&w[5], (u64)(s64)v);
    atomicMax(&w[6], (u64)(s64)v);
    atomicAdd(&f[0], (float)(v & 255));
    atomicExch(&f[1], 7.5f);
    atomicAdd(&d, (double)(v & 255));
  }
  __syncthreads();
  if (t < 10) out[blockIdx.x * 10 + t] = s[t];
  if (t < 7) wide_out[blockIdx.x * 7 + t] = w[t];
  if (t < 2) real_out[blockIdx.x * 3 + t] = f[t];
  if (t == 2) real_out[blockIdx.x * 3 + 2] = (float)d;
}

extern "C" __global__ void atomic_wide(const s64* x, u64* u, s64* s, int n) {
  int i = global_id();
  if (i >= n) return;
  atomicAdd(u, (u64)x[i]);
  atomicMin(u + 1, (u64)x[i]);
  atomicMax(u + 2, (u64)x[i]);
  atomicAnd(u + 3, (u64)x[i] | 0xff00ff00ff00ff00ull);
  atomicOr(u + 4, (u64)x[i] & 0x00ff00ff00ff00ffull);
  atomicXor(u + 5, TWIN((u64)x[i], 1ull));
  atomicMin(s, x[i]);
  atomicMax(s + 1, x[i]);
}

// All values are small multiples of powers of two: sums are exact in any order.
extern "C" __global__ void atomic_float(const float* x, float* real, double* wide, __half* half_sum, __half2* halves,
                                        int n) {
  int i = global_id();
  if (i >= n) return;
  atomicAdd(real, x[i]);
  atomicAdd(wide, (double)x[i] * TWIN(0.125, 0.25));
  if (i < 200) {
    atomicAdd(half_sum, __float2half_rn(x[i]));
    atomicAdd(halves, __floats2half2_rn(x[i], -2.0f * x[i]));
  }
}

__device__ inline float atomic_max_float(float* address, float value) {
  int *bits = (int*)address, seen = *bits;
  while (__int_as_float(seen) < value) {
    int before = atomicCAS(bits, seen, __float_as_int(value));
    if (before == seen) break;
    seen = before;
  }
  return __int_as_float(seen);
}

// Operations that hardware does not have, by compare and swap of 32, 64 and 16 bits.
extern "C" __global__ void compare_and_swap_loops(const float* x, float* greatest, double* product, unsigned short* low,
                                                  int n) {
  int i = global_id();
  if (i >= n) return;
  atomic_max_float(greatest, TWIN(x[i], 0.0f));
  u64 *bits = (u64*)product, seen = *bits, expected;
  do {
    expected = seen;
    double next = __longlong_as_double(expected) * (i % 2 ? 2.0 : 0.5);
    seen = atomicCAS(bits, expected, __double_as_longlong(next));
  } while (seen != expected);
  unsigned short was = *(volatile unsigned short*)low, wanted;
  do {
    wanted = was;
    was = atomicCAS(low, wanted, (unsigned short)(wanted + 3));
  } while (was != wanted);
}

extern "C" __global__ void atomic_scopes(const int* x, int* out, int n) {
  int i = global_id();
  if (i >= n) return;
  atomicAdd_system(out, x[i]);
  atomicAdd(out + 1, x[i]);
  // Block scope is enough where one block works on the cell.
  atomicAdd_block(out + 2 + blockIdx.x, TWIN(x[i], 1));
  atomicMax_system(out + 2 + gridDim.x, x[i]);
  atomicCAS_system(out + 3 + gridDim.x, 0, 77);
}

__device__ int lock_word;

// A counter that no atomic operation touches, behind a lock that threads of different blocks take in turn.
extern "C" __global__ void lock_across_blocks(int* counter, int* log, int rounds) {
  if (threadIdx.x) return;
  for (int k = 0; k < rounds; ++k) {
    while (atomicCAS(&lock_word, 0, 1) != 0) {
    }
    __threadfence();
    int mine = *(volatile int*)counter;
    *(volatile int*)counter = mine + 1;
    log[mine] += TWIN(1, 2);
    __threadfence();
    atomicExch(&lock_word, 0);
  }
}

// The naive lock: lanes of one warp wait for each other, which needs progress of every lane on its own.
extern "C" __global__ void lock_within_a_warp(int* counter, int n) {
  __shared__ int lock;
  if (threadIdx.x == 0) lock = 0;
  __syncthreads();
  if (global_id() >= n) return;
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  int seen = ((volatile int*)counter)[blockIdx.x];
  ((volatile int*)counter)[blockIdx.x] = seen + TWIN(1, 3);
  __threadfence();
  atomicExch(&lock, 0);
}

// Everybody pushes one item to a list; the links form one chain of all.
extern "C" __global__ void linked_list_push(int* head, int* next, int n) {
  int i = global_id();
  if (i >= n) return;
  next[i] = atomicExch(head, TWIN(i, 0));
}

extern "C" __global__ void chain_length(const int* head, const int* next, int* length, int* sum) {
  int count = 0, total = 0;
  for (int i = *head; i >= 0 && count < 100000; i = next[i]) ++count, total += i;
  *length = count;
  *sum = total;
}
