// SPDX-License-Identifier: Apache-2.0
// Vector kernels: element-wise arithmetic, vector loads and stores of every width, structs by value, module variables.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned long long u64;

__device__ inline int global_id() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void saxpy(float a, const float* x, const float* y, float* out, int n) {
  int i = global_id();
  if (i < n) out[i] = TWIN(a * x[i] + y[i], a * x[i] - y[i]);
}

extern "C" __global__ void axpby_double(double a, const double* __restrict__ x, double b, const double* y, double* out,
                                        int n) {
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) out[i] = a * x[i] + TWIN(b * y[i], y[i]);
}

extern "C" __global__ void add_float4(const float4* __restrict__ x, const float4* y, float4* out, int n) {
  int i = global_id();
  if (i >= n) return;
  float4 p = __ldg(x + i), q = y[i];
  out[i] = make_float4(p.x + q.x, p.y + q.y, TWIN(p.z + q.z, p.z + q.y), p.w + q.w);
}

// Narrow and wide vectors, each element moved to another place of its vector.
extern "C" __global__ void swizzle(uchar4* a, ushort2* b, float2* c, double2* d, ulonglong2* e, uint4* f, int n) {
  int i = global_id();
  if (i >= n) return;
  uchar4 p = a[i];
  a[i] = make_uchar4(p.w, p.z, p.y, p.x);
  ushort2 q = b[i];
  b[i] = make_ushort2(q.y, q.x);
  float2 r = c[i];
  c[i] = make_float2(r.y, -r.x);
  double2 s = d[i];
  d[i] = make_double2(s.y, TWIN(-s.x, s.x));
  ulonglong2 t = e[i];
  e[i] = make_ulonglong2(t.y + 1, t.x);
  uint4 u = f[i];
  f[i] = make_uint4(u.w, u.x, u.y, u.z);
}

extern "C" __global__ void read_only_vectors(const double2* __restrict__ a, const int2* __restrict__ b,
                                             const u8* __restrict__ c, const signed char* __restrict__ d,
                                             const u64* __restrict__ e, const unsigned* __restrict__ f,
                                             const double* __restrict__ g, double* out, int n) {
  int i = global_id();
  if (i >= n) return;
  double2 p = __ldg(a + i);
  int2 q = __ldg(b + i);
  double sum = p.x + p.y + q.x + q.y + __ldg(c + i) + __ldg(d + i) + (double)(__ldg(e + i) & 0xffff) + __ldg(f + i);
  out[i] = sum + TWIN(__ldg(g + i), 0.0);
}

extern "C" __global__ void gather_scatter(const u16* index, const u8* bytes, const u16* words, const signed char* small,
                                          u8* out_bytes, u16* out_words, int* out_sum, int n) {
  int i = global_id();
  if (i >= n) return;
  int j = index[i];
  out_bytes[j] = bytes[i] ^ 0x5a;
  out_words[i] = words[j] + TWIN(1, 2);
  out_sum[i] = bytes[j] + small[i] - words[i];
}

// NaN, infinities and signed zeros go through selects, minima and signs.
extern "C" __global__ void clamp_and_select(const float* x, const float* y, float* out, double* wide, unsigned* flags,
                                            int n) {
  int i = global_id();
  if (i >= n) return;
  float a = x[i], b = y[i];
  double p = a, q = b;
  out[4 * i] = fminf(a, b);
  out[4 * i + 1] = TWIN(fmaxf(a, b), (a > b ? a : b));
  out[4 * i + 2] = copysignf(a, b);
  out[4 * i + 3] = a < b ? fabsf(a) : b;
  wide[3 * i] = fmin(p, q);
  wide[3 * i + 1] = fmax(p, q);
  wide[3 * i + 2] = copysign(q, p);
  unsigned f = 0;
  f |= (a < b) << 0 | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5;
  f |= !(a < b) << 6 | !(a <= b) << 7 | !(a > b) << 8 | !(a >= b) << 9;
  f |= (p < q) << 10 | (p <= q) << 11 | (p > q) << 12 | (p >= q) << 13 | (p == q) << 14 | (p != q) << 15;
  f |= !(p < q) << 16 | !(p <= q) << 17 | !(p > q) << 18 | !(p >= q) << 19;
  f |= (isnan(a) != 0) << 20 | (isinf(a) != 0) << 21 | (isfinite(p) != 0) << 22 | (signbit(a) != 0) << 23;
  f |= (isnan(a) || isnan(b)) << 24 | (isnan(p) || isnan(q)) << 25;
  flags[i] = f;
}

struct Particle {
  char kind;
  short charge;
  float position[3];
  double mass;
  unsigned char flag;
};

extern "C" __global__ void struct_by_value(Particle one, char c, unsigned char d, short e, unsigned short f, bool g,
                                           float2 pair, double* out) {
  double values[] = {(double)one.kind, (double)one.charge, one.position[0], one.position[1], one.position[2],
                     one.mass,         (double)one.flag,   (double)c,       (double)d,       (double)e,
                     (double)f,        (double)g,          pair.x,          pair.y};
  if (threadIdx.x < 14) out[threadIdx.x] = values[threadIdx.x] + TWIN(threadIdx.x, 0);
}

struct Body {
  char kind;
  unsigned char flag;
  short charge;
  float position[3];
  double mass;
};

extern "C" __global__ void array_of_structs(Body* all, int n) {
  int i = global_id();
  if (i >= n) return;
  Body p = all[i];
  p.kind = -p.kind;
  p.charge += 3;
  for (int k = 0; k < 3; ++k) p.position[k] *= TWIN(2.0f, 4.0f);
  p.mass = p.mass * p.mass;
  p.flag = p.flag << 1;
  all[i] = p;
}

__constant__ float coefficients[5];
__constant__ int shifts[3] = {1, 4, 9};
__constant__ unsigned char letters[] = "emulated";

extern "C" __global__ void constant_polynomial(const float* x, float* out, int n) {
  int i = global_id();
  if (i >= n) return;
  float sum = coefficients[4];
  for (int k = 3; k >= 0; --k) sum = sum * x[i] + coefficients[k];
  out[i] = TWIN(sum, sum + 1) + (float)(i << shifts[i % 3]) + letters[i % 8];
}

__device__ int counter;
__device__ float table[8] = {1, 2, 4, 8};
__device__ int numbers[4] = {10, 20, 30, 40};
__device__ int* second_number = &numbers[1];
__device__ u64 total;

extern "C" __global__ void module_variables(const int* x, float* out, int n) {
  int i = global_id();
  if (i >= n) return;
  if (x[i] & 1) atomicAdd(&counter, TWIN(1, 2));
  atomicAdd(&total, (u64)x[i] << 20);
  out[i] = table[i & 7] + second_number[i & 1];
  if (i == 0) numbers[3] += 5;
}

extern "C" __global__ void add_chunk(float* data, int first, int length, float amount) {
  int i = global_id();
  if (i < length) data[first + i] += TWIN(amount, 1.0f) * (first + i);
}
