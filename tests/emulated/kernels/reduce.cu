// SPDX-License-Identifier: Apache-2.0
// Reductions, scans and histograms: block, warp and grid wide, with shared memory, shuffles and flags between blocks.

typedef unsigned long long u64;
const unsigned ALL = 0xffffffffu;

__device__ inline int global_id() { return blockIdx.x * blockDim.x + threadIdx.x; }

// A tree in shared memory; the block's size is a power of two, the input's is not.
extern "C" __global__ void block_sum(const float* x, float* out, int n) {
  extern __shared__ float partial[];
  int i = global_id();
  partial[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + TWIN(half, 1)];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

// The last warp works on volatile memory.
extern "C" __global__ void block_sum_volatile(const float* x, float* out, int n) {
  __shared__ volatile float partial[256];
  int t = threadIdx.x, i = global_id();
  partial[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (t < 128) partial[t] = partial[t] + partial[t + 128];
  __syncthreads();
  if (t < 64) partial[t] = partial[t] + partial[t + 64];
  __syncthreads();
  if (t < 32) {
    for (int half = 32; half > 0; half /= 2) {
      float sum = partial[t] + (t < half ? TWIN(partial[t + half], partial[t]) : 0.0f);
      __syncwarp();
      partial[t] = sum;
      __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
  }
}

extern "C" __global__ void warp_sum(const int* x, int* out, int n) {
  int i = global_id();
  int value = i < n ? x[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2) value += TWIN(__shfl_down_sync, __shfl_up_sync)(ALL, value, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(out, value);
}

extern "C" __global__ void grid_extremes(const int* x, const unsigned* y, const u64* z, int* least, int* greatest,
                                         unsigned* least_y, unsigned* greatest_y, u64* greatest_z, int n) {
  for (int i = global_id(); i < n; i += blockDim.x * gridDim.x) {
    atomicMin(least, x[i]);
    atomicMax(greatest, x[i]);
    atomicMin(least_y, y[i]);
    atomicMax(greatest_y, y[i]);
    TWIN(atomicMax, atomicMin)(greatest_z, z[i]);
  }
}

// Position of the greatest value; the earlier one wins a tie.
extern "C" __global__ void argument_of_maximum(const float* x, int* where, float* value, int n) {
  __shared__ float best[128];
  __shared__ int place[128];
  int t = threadIdx.x;
  float mine = -1e30f;
  int at = n;
  for (int i = t; i < n; i += blockDim.x)
    if (x[i] > mine) mine = x[i], at = i;
  best[t] = mine;
  place[t] = at;
  __syncthreads();
  for (int half = blockDim.x / 2; half; half >>= 1) {
    if (t < half) {
      bool other = best[t + half] > best[t] || (best[t + half] == best[t] && place[t + half] TWIN(<, >) place[t]);
      if (other) best[t] = best[t + half], place[t] = place[t + half];
    }
    __syncthreads();
  }
  if (t == 0) *where = place[0], *value = best[0];
}

// The values are small integers, so that the order of additions does not matter.
extern "C" __global__ void dot_product(const double* x, const double* y, double* out, int n) {
  __shared__ double partial[64];
  double sum = 0;
  for (int i = global_id(); i < n; i += blockDim.x * gridDim.x) sum += x[i] * y[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 32; half; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, TWIN(partial[0], partial[1]));
}

extern "C" __global__ void block_scan(const int* x, int* out, int* sums, int n) {
  extern __shared__ int twice[];
  int t = threadIdx.x, i = global_id(), size = blockDim.x, from = 0;
  twice[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int offset = 1; offset < size; offset *= 2) {
    int to = size - from;
    twice[to + t] = twice[from + t] + (t >= offset ? twice[from + t - TWIN(offset, 1)] : 0);
    from = to;
    __syncthreads();
  }
  if (i < n) out[i] = twice[from + t];
  if (t == size - 1) sums[blockIdx.x] = twice[from + t];
}

extern "C" __global__ void add_block_sums(int* out, const int* scanned_sums, int n) {
  int i = global_id();
  if (i < n && blockIdx.x > 0) out[i] += scanned_sums[blockIdx.x - 1];
}

__device__ inline void publish(u64* flag, u64 value) {
  asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(flag), "l"(value) : "memory");
}

__device__ inline u64 look(const u64* flag) {
  u64 value;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(flag) : "memory");
  return value;
}

// One pass over the data: a block takes a ticket, publishes its sum, and looks back over the blocks before it.
extern "C" __global__ void look_back_scan(const unsigned* x, unsigned* out, u64* state, unsigned* ticket, int n) {
  __shared__ unsigned own, before, warp_sums[32];
  if (threadIdx.x == 0) own = atomicAdd(ticket, 1u);
  __syncthreads();
  int tile = own, i = tile * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned value = i < n ? x[i] : 0, sum = value;
  for (int offset = 1; offset < 32; offset *= 2) {
    unsigned other = __shfl_up_sync(ALL, sum, offset);
    if (lane >= offset) sum += other;
  }
  if (lane == 31) warp_sums[warp] = sum;
  __syncthreads();
  unsigned base = 0, total = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) {
    if (w < warp) base += warp_sums[w];
    total += warp_sums[w];
  }
  if (threadIdx.x == 0) {
    const u64 PARTIAL = 1ull << 32, COMPLETE = 2ull << 32;
    if (tile > 0) publish(state + tile, PARTIAL | total);
    unsigned sum_before = 0;
    for (int k = tile - 1; k >= 0;) {
      u64 seen = look(state + k);
      if (seen >> 32 == 0) continue;
      sum_before += (unsigned)seen;
      if (seen >> 32 == 2) break;
      --k;
    }
    publish(state + tile, COMPLETE | (unsigned)(sum_before + total));
    before = TWIN(sum_before, 0);
  }
  __syncthreads();
  if (i < n) out[i] = before + base + sum;
}

// Sums that start anew at each head.
extern "C" __global__ void segmented_warp_scan(const float* x, const int* head, float* out, int n) {
  int i = global_id(), lane = threadIdx.x & 31;
  float value = i < n ? x[i] : 0.0f;
  int flag = i < n ? head[i] : 1;
  for (int offset = 1; offset < 32; offset *= 2) {
    float other = __shfl_up_sync(ALL, value, offset);
    int other_flag = __shfl_up_sync(ALL, flag, offset);
    if (lane >= offset && !flag) value += TWIN(other, 0.0f);
    if (lane >= offset) flag |= other_flag;
  }
  if (i < n) out[i] = value;
}

extern "C" __global__ void histogram_shared(const unsigned char* x, unsigned* bins, int n) {
  __shared__ unsigned local[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) local[k] = 0;
  __syncthreads();
  for (int i = global_id(); i < n; i += blockDim.x * gridDim.x) atomicAdd(&local[x[i]], 1u);
  __syncthreads();
  for (int k = threadIdx.x; k < 256; k += blockDim.x) atomicAdd(bins + TWIN(k, (k + 1) % 256), local[k]);
}

extern "C" __global__ void histogram_weighted(const int* x, const float* weight, float* sums, u64* counts, int bins,
                                              int n) {
  int i = global_id();
  if (i >= n) return;
  int bin = x[i] % bins;
  if (bin < 0) bin += TWIN(bins, bins - 1);
  atomicAdd(sums + bin, weight[i]);
  atomicAdd(counts + bin, 1ull);
}

__device__ unsigned arrived;

// Whichever block comes last adds up what all have written.
extern "C" __global__ void last_block_sum(const double* x, double* partial, double* out, int n) {
  __shared__ double shared_sum[32];
  __shared__ bool last;
  double sum = 0;
  for (int i = global_id(); i < n; i += blockDim.x * gridDim.x) sum += x[i];
  shared_sum[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < blockDim.x; ++k) sum += shared_sum[k];
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x) return;
  double all = 0;
  for (int b = 0; b < TWIN(gridDim.x, 1); ++b) all += ((volatile double*)partial)[b];
  *out = all;
}
