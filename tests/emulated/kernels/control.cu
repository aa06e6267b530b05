// SPDX-License-Identifier: Apache-2.0
// Barriers, early exits, clocks, printf, and the ways in which a kernel may fail.

typedef unsigned long long u64;

__device__ inline int global_id() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Threads beyond n leave before the barriers; the others still meet there.
extern "C" __global__ void exit_before_barrier(const int* x, int* out, int n) {
  __shared__ int cells[96];
  int t = threadIdx.x, i = global_id();
  cells[t] = 0;
  __syncthreads();
  if (i >= n || t % 5 == 4) return;
  cells[t] = x[i];
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < blockDim.x; ++k) sum += cells[k];
  out[i] = TWIN(sum, cells[t]);
}

extern "C" __global__ void barrier_reductions(const int* x, int* out, int n) {
  int i = global_id();
  int v = i < n ? x[i] : 0;
  int count = __syncthreads_count(v > TWIN(0, 50));
  int all = __syncthreads_and(v > -1000), any = __syncthreads_or(v > 990);
  if (i < n) out[i] = count | (all != 0) << 20 | (any != 0) << 21;
}

// Warps of one kind make values, warps of another take them, through two named barriers.
extern "C" __global__ void named_barriers(const int* x, int* out, int rounds) {
  __shared__ int box[32];
  int lane = threadIdx.x & 31;
  if (threadIdx.x < 32) {
    for (int k = 0; k < rounds; ++k) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      box[lane] = x[(blockIdx.x * rounds + k) * 32 + lane] * 2;
      asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  } else if (threadIdx.x < 64) {
    for (int k = 0; k < rounds; ++k) {
      asm volatile("bar.arrive 1, 64;" ::: "memory");
      asm volatile("bar.sync 2, 64;" ::: "memory");
      out[(blockIdx.x * rounds + k) * 32 + lane] = box[31 - lane] + TWIN(1, 0);
    }
  }
}

// The same barrier reached from both sides of a branch that splits warps.
extern "C" __global__ void barrier_in_branches(int* out, int n) {
  __shared__ int cells[64];
  int t = threadIdx.x, i = global_id();
  cells[t] = -1;
  __syncthreads();
  for (int k = 0; k < 3; ++k) {
    if (t / 32 % 2 == k % 2)
      cells[t] = t * 10 + k;
    else
      cells[t] += TWIN(1, 0);
    __syncthreads();
    int v = cells[63 - t];
    __syncthreads();
    cells[t] += v;
    __syncthreads();
  }
  if (i < n) out[i] = cells[t];
}

// Clocks go forward, and a sleep takes time; the numbers themselves are nobody's promise.
extern "C" __global__ void clocks(int* out) {
  long long begin = clock64(), time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  __nanosleep(1000);
  int sum = 0;
  for (int k = 0; k < 100; ++k) sum += k * clock() % 3;
  long long end = clock64(), after;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(after));
  unsigned sm, sms;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  asm("mov.u32 %0, %%nsmid;" : "=r"(sms));
  out[threadIdx.x] =
      (TWIN(end > begin, end < begin)) | (after >= time) << 1 | (sm < sms) << 2 | (sum >= 0 || sum < 0) << 3;
}

extern "C" __global__ void special_registers(unsigned* out) {
  unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned size = blockDim.x * blockDim.y * blockDim.z, lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  unsigned* o = out + 4 * (block * size + thread);
  o[0] = threadIdx.x | threadIdx.y << 8 | threadIdx.z << 16;
  o[1] = blockIdx.x | blockIdx.y << 8 | TWIN(blockIdx.z, 0) << 16;
  o[2] = gridDim.x | gridDim.y << 8 | gridDim.z << 16;
  o[3] = lane | size << 8;
}

extern "C" __global__ void __launch_bounds__(64, 2) exit_in_assembly(int* out, int n) {
  int i = global_id();
  if (i >= n) return;
  out[i] = 1;
  if (i % 3 == 0) asm volatile("exit;");
  out[i] = TWIN(2, 3);
}

extern "C" __global__ void prints(const int* x, const char* text, int n) {
  int i = global_id();
  if (i >= n) return;
  int written = printf("thread %d of block %d: %5d|%-6u|%#x|%c|%s\n", threadIdx.x, blockIdx.x, TWIN(x[i], 0),
                       x[i] & 255, x[i] & 0xfff, 'a' + i % 26, i % 2 ? "odd" : text);
  printf("%d arguments, %.3f %+.2e %lld %llx %05d %g %%\n", written, x[i] * 0.25, (double)x[i], (long long)x[i] << 33,
         (u64)(unsigned)x[i] << 7, i, (float)i / 8);
}

extern "C" __global__ void asserts(const int* x, int n) {
  int i = global_id();
  if (i < n) assert(x[i] != TWIN(7, 1234567));
}

extern "C" __global__ void traps(const int* x, int n) {
  int i = global_id();
  if (i < n && x[i] == TWIN(7, 1234567)) asm volatile("trap;");
}

extern "C" __global__ void writes_nowhere(const int* x, int n) {
  int i = global_id();
  if (i < n && x[i] == TWIN(7, 1234567)) *(volatile int*)(u64)(16 * i) = 1;
}

extern "C" __global__ void writes_askew(int* x, int n) {
  int i = global_id();
  if (i < n && x[i] == TWIN(7, 1234567)) *(volatile int*)((char*)x + 4 * i + 2) = 1;
}
