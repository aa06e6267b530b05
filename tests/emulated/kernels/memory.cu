// SPDX-License-Identifier: Apache-2.0
// Memory: cache hints, volatile and ordered accesses, fences, flags between blocks, shared memory of every shape.

typedef unsigned long long u64;

__device__ inline int global_id() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void cached_accesses(const float* x, const float4* y, float* out, float4* wide, int n) {
  int i = global_id();
  if (i >= n) return;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(x + i));
  float lu;
  asm volatile("ld.global.lu.f32 %0, [%1];" : "=f"(lu) : "l"(x + i));
  float sum = __ldg(x + i) + __ldcg(x + i) + __ldca(x + i) + __ldcs(x + i) + __ldcv(x + i) + TWIN(lu, 0);
  float4 v = __ldcs(y + i), w = __ldcg(y + i);
  __stcg(out + 3 * i, sum);
  __stcs(out + 3 * i + 1, v.x + w.y);
  __stwt(out + 3 * i + 2, v.z);
  __stcg(wide + i, make_float4(w.w, v.z, w.y, v.x));
}

// One block tells the next that its value is there; flags are acquired and released.
extern "C" __global__ void flags_between_blocks(unsigned* flags, int* values, int rounds) {
  if (threadIdx.x) return;
  int b = blockIdx.x, sum = b;
  for (int k = 0; k < rounds; ++k) {
    if (b > 0) {
      unsigned seen;
      do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flags + b - 1) : "memory");
      } while (seen <= k);
      sum += values[(b - 1) * rounds + k] + TWIN(k, 0);
    }
    values[b * rounds + k] = sum;
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flags + b), "r"(k + 1) : "memory");
  }
}

// The same with volatile accesses and fences, as older code has it.
extern "C" __global__ void volatile_polling(volatile unsigned* flag, volatile float* box, float* out, int rounds) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    for (int k = 1; k <= rounds; ++k) {
      *box = k * 1.5f;
      __threadfence();
      flag[0] = k;
      while (flag[1] != k) __nanosleep(20);
    }
  } else {
    float sum = 0;
    for (int k = 1; k <= rounds; ++k) {
      while (flag[0] != k) {
      }
      __threadfence();
      sum += TWIN(*box, 1.0f) * k;
      __threadfence_system();
      flag[1] = k;
    }
    *out = sum;
  }
}

extern "C" __global__ void ordered_atomics(unsigned* cells, int n) {
  int i = global_id();
  if (i >= n) return;
  unsigned before, other;
  asm volatile("atom.add.release.gpu.u32 %0, [%1], 2;" : "=r"(before) : "l"(cells) : "memory");
  asm volatile("atom.add.relaxed.gpu.s32 %0, [%1], 3;" : "=r"(other) : "l"(cells + 1) : "memory");
  asm volatile("atom.max.acquire.gpu.s32 %0, [%1], %2;" : "=r"(other) : "l"(cells + 2), "r"(TWIN(i, 1)) : "memory");
  asm volatile("fence.sc.gpu;" ::: "memory");
  asm volatile("fence.acq_rel.cta;" ::: "memory");
  asm volatile("red.global.add.u32 [%0], 5;" ::"l"(cells + 3) : "memory");
  asm volatile("membar.cta; membar.gl; membar.sys;" ::: "memory");
  atomicXor(cells + 4, before);
}

// Three names for the dynamic part after two static arrays.
extern "C" __global__ void dynamic_shared(const int* x, int* out, unsigned* sizes, int n) {
  __shared__ double first[5];
  __shared__ char second[3];
  extern __shared__ int words[];
  extern __shared__ short halfwords[];
  extern __shared__ double2 vectors[];
  int t = threadIdx.x, i = global_id();
  if (t < 5) first[t] = t;
  if (t < 3) second[t] = t + 1;
  words[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n) out[i] = words[blockDim.x - 1 - t] + halfwords[2 * t] + (int)first[t % 5] + second[TWIN(t % 3, 0)];
  if (i == 0) {
    unsigned dynamic, total;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dynamic));
    asm("mov.u32 %0, %%total_smem_size;" : "=r"(total));
    sizes[0] = dynamic;
    sizes[1] = total >= dynamic + sizeof(first) + sizeof(second);
    sizes[2] = (void*)words == (void*)halfwords && (void*)words == (void*)vectors;
    sizes[3] = (u64)(char*)vectors % 16 == 0 && (char*)words >= (char*)first;
  }
}

struct Item {
  unsigned char key;
  float weight;
  u64 id;
};

// Structs, bytes, pairs and doubles in shared memory.
extern "C" __global__ void shared_layouts(const float* x, float* out, double* real, u64* ids, int n) {
  __shared__ Item items[64];
  __shared__ uint2 pairs[64];
  __shared__ double reals[64];
  __shared__ unsigned char bytes[64];
  __shared__ float4 vectors[64];
  int t = threadIdx.x, i = global_id();
  float v = i < n ? x[i] : 0;
  items[t] = {(unsigned char)t, v, (u64)t << 40 | i};
  pairs[t] = make_uint2(t, 3 * t);
  reals[t] = v * 0.5;
  bytes[t] = t * 5;
  vectors[t] = make_float4(v, t, -v, 1);
  __syncthreads();
  int o = (t * 7 + 3) & 63;
  if (i >= n) return;
  float4 q = vectors[o];
  out[i] = items[o].weight + items[o].key + TWIN(pairs[o].y, pairs[o].x) + bytes[o] + q.x + q.y + q.z + q.w;
  real[i] = reals[o] + reals[t];
  ids[i] = items[o].id;
}

// A thread writes words of a buffer byte by byte, and reads them in other widths.
extern "C" __global__ void mixed_widths(unsigned char* bytes, const short* narrow, u64* out, int n) {
  int i = global_id();
  if (i >= n) return;
  for (int k = 0; k < 8; ++k) bytes[8 * i + k] = (i + 1) * (k + TWIN(3, 2));
  unsigned short* halfwords = (unsigned short*)(bytes + 8 * i);
  halfwords[1] += 1;
  *(unsigned*)(bytes + 8 * i + 4) ^= 0x01020304u;
  u64 all = *(u64*)(bytes + 8 * i);
  out[i] = all + narrow[i] + (signed char)bytes[8 * i + 7];
}

extern "C" __global__ void copy_with_memcpy(const char* from, char* to, int n) {
  int i = global_id();
  if (i >= n) return;
  char local_copy[24];
  memcpy(local_copy, from + 24 * i, 24);
  local_copy[i % 24] ^= TWIN(0x20, 0);
  memset(local_copy + 20, i, 3);
  memcpy(to + 24 * i, local_copy, 24);
}
