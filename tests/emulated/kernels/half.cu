// SPDX-License-Identifier: Apache-2.0
// Half and bfloat16, scalar and in pairs: arithmetic, comparisons, conversions, shuffles.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned short u16;

__device__ inline int global_id() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void half_arithmetic(const __half* x, const __half* y, const __half* z, __half* out,
                                           __half* approximate, int n) {
  int i = global_id();
  if (i >= n) return;
  __half a = x[i], b = y[i], c = z[i], *o = out + 12 * i;
  o[0] = __hadd_rn(a, b), o[1] = __hsub_rn(a, b), o[2] = __hmul_rn(a, b), o[3] = TWIN(__hfma(a, b, c), __hmul(a, b));
  o[4] = __hneg(a), o[5] = __habs(b), o[6] = __hadd_sat(a, b), o[7] = __hmul_sat(a, b), o[8] = __hfma_sat(a, b, c);
  o[9] = __hmax(a, b), o[10] = __hmin(a, b), o[11] = __float2half_rn(__half2float(a) + 0.5f);
  approximate[4 * i] = __hdiv(a, b), approximate[4 * i + 1] = hsqrt(__habs(a));
  approximate[4 * i + 2] = hrcp(a), approximate[4 * i + 3] = hrsqrt(__habs(b));
}

extern "C" __global__ void half2_arithmetic(const __half2* x, const __half2* y, const __half2* z, __half2* out, int n) {
  int i = global_id();
  if (i >= n) return;
  __half2 a = x[i], b = y[i], c = z[i], *o = out + 11 * i;
  o[0] = __hadd2_rn(a, b), o[1] = __hsub2_rn(a, b), o[2] = __hmul2_rn(a, b), o[3] = __hfma2(a, b, c);
  o[4] = __hneg2(a), o[5] = __habs2(b), o[6] = TWIN(__hadd2_sat(a, b), __hadd2(a, b)), o[7] = __hfma2_sat(a, b, c);
  o[8] = __hmax2(a, b), o[9] = __hmin2(a, b), o[10] = __lows2half2(a, __lowhigh2highlow(b));
}

extern "C" __global__ void half_polynomial(const __half* x, __half* out, int degree, int n) {
  int i = global_id();
  if (i >= n) return;
  __half sum = __float2half(1.0f);
  for (int k = 0; k < degree; ++k) sum = __hfma(sum, x[i], __int2half_rn(TWIN(k - 3, k)));
  out[i] = sum;
}

__device__ inline unsigned flag(bool b, int place) { return (unsigned)b << place; }

extern "C" __global__ void half_comparisons(const __half* x, const __half* y, unsigned* out, int n) {
  int i = global_id();
  if (i >= n) return;
  __half a = x[i], b = y[i];
  __half2 p = __halves2half2(a, b), q = __halves2half2(b, b), less = __hlt2(p, q), same = __heq2(p, q);
  unsigned f = flag(__heq(a, b), 0) | flag(__hne(a, b), 1) | flag(__hlt(a, b), 2) | flag(__hle(a, b), 3);
  f |= flag(__hgt(a, b), 4) | flag(__hge(a, b), 5) | flag(__hequ(a, b), 6) | flag(__hneu(a, b), 7);
  f |= flag(__hltu(a, b), 8) | flag(__hgeu(a, b), 9) | flag(__hisnan(a), 10) | flag(TWIN(__hisinf(a), 1) != 0, 11);
  f |= flag(__hbeq2(p, q), 12) | flag(__hblt2(p, q), 13) | flag(__hbgeu2(p, q), 14);
  out[3 * i] = f;
  out[3 * i + 1] = __half_as_ushort(__low2half(less)) | (unsigned)__half_as_ushort(__high2half(less)) << 16;
  out[3 * i + 2] = __half_as_ushort(__low2half(same)) | __hgt2_mask(p, q) << 16;
}

extern "C" __global__ void half_conversions(const float* x, const double* y, const int* z, const __half* h, u16* out,
                                            long long* whole, float* back, int n) {
  int i = global_id();
  if (i >= n) return;
  u16* o = out + 10 * i;
  long long* w = whole + 8 * i;
  o[0] = __half_as_ushort(__float2half_rn(x[i])), o[1] = __half_as_ushort(__float2half_rz(x[i]));
  o[2] = __half_as_ushort(__float2half_ru(x[i])), o[3] = __half_as_ushort(__float2half_rd(x[i]));
  o[4] = __half_as_ushort(__double2half(y[i])), o[5] = __half_as_ushort(TWIN(__int2half_rn, __int2half_rz)(z[i]));
  o[6] = __half_as_ushort(__uint2half_rn(z[i] & 0x7fff)), o[7] = __half_as_ushort(__short2half_rn((short)z[i]));
  o[8] = __half_as_ushort(__ll2half_rn(z[i])), o[9] = __half_as_ushort(__ushort2half_rn((u16)z[i] / 2));
  w[0] = __half2int_rn(h[i]), w[1] = __half2int_rz(h[i]), w[2] = __half2uint_ru(h[i]), w[3] = __half2ll_rd(h[i]);
  w[4] = __half2ushort_rz(h[i]), w[5] = __half2short_rn(h[i]), w[6] = (signed char)__half2char_rz(h[i]);
  w[7] = __half2ull_rn(h[i]);
  float2 pair = __half22float2(__floats2half2_rn(x[i], __half2float(h[i])));
  back[2 * i] = pair.x, back[2 * i + 1] = pair.y;
}

// Pairs travel through shuffles as 32-bit values; the sums are exact.
extern "C" __global__ void half2_warp_sums(const __half2* x, __half* out, int n) {
  int i = global_id();
  __half2 sum = i < n ? x[i] : __float2half2_rn(0.0f);
  for (int k = 16; k; k /= 2) sum = __hadd2(sum, __shfl_xor_sync(0xffffffffu, sum, TWIN(k, 1)));
  if (threadIdx.x % 32 == 0) out[i / 32] = __hadd(__low2half(sum), __high2half(sum));
}

// Older devices have no bfloat16 arithmetic.
#if __CUDA_ARCH__ >= 800
extern "C" __global__ void bfloat_arithmetic(const __nv_bfloat16* x, const __nv_bfloat16* y, const __nv_bfloat16* z,
                                             __nv_bfloat16* out, int n) {
  int i = global_id();
  if (i >= n) return;
  __nv_bfloat16 a = x[i], b = y[i], c = z[i], *o = out + 8 * i;
  o[0] = __hadd(a, b), o[1] = __hsub(a, b), o[2] = __hmul(a, b), o[3] = TWIN(__hfma(a, b, c), __hmul(a, b));
  o[4] = __hneg(a), o[5] = __habs(b), o[6] = __hmax(a, b), o[7] = __hmin(a, b);
}

extern "C" __global__ void bfloat2_arithmetic(const __nv_bfloat162* x, const __nv_bfloat162* y, const __nv_bfloat162* z,
                                              __nv_bfloat162* out, int n) {
  int i = global_id();
  if (i >= n) return;
  __nv_bfloat162 a = x[i], b = y[i], c = z[i], *o = out + 6 * i;
  o[0] = __hadd2(a, b), o[1] = __hsub2(a, b), o[2] = __hmul2(a, b), o[3] = __hfma2(a, b, c);
  o[4] = TWIN(__hmax2, __hmin2)(a, b), o[5] = __hneg2(__habs2(a));
}
#endif

extern "C" __global__ void bfloat_conversions(const float* x, const int* z, u16* out, float* back, int n) {
  int i = global_id();
  if (i >= n) return;
  __nv_bfloat16 a = __float2bfloat16_rn(x[i]);
  __nv_bfloat162 pair = __floats2bfloat162_rn(x[i], (float)z[i]);
  out[6 * i] = __bfloat16_as_ushort(a), out[6 * i + 1] = __bfloat16_as_ushort(__low2bfloat16(pair));
  out[6 * i + 2] = __bfloat16_as_ushort(TWIN(__high2bfloat16, __low2bfloat16)(pair));
  out[6 * i + 3] = __bfloat16_as_ushort(__int2bfloat16_rn(z[i] >> 20));
  out[6 * i + 4] = __bfloat16_as_ushort(__float2bfloat16_rz(x[i]));
  out[6 * i + 5] = (u16)__bfloat162int_rz(a);
  back[i] = __bfloat162float(a) + __bfloat1622float2(pair).y;
}

// A row times a column in mixed precision, as networks use it: products of halves, sums in float.
extern "C" __global__ void mixed_dot_products(const __half2* rows, const __half2* column, float* out, int pairs,
                                              int n) {
  int i = global_id();
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < pairs; ++k) {
    float2 a = __half22float2(rows[i * pairs + k]), b = __half22float2(column[k]);
    sum += a.x * b.x;
    sum += TWIN(a.y * b.y, a.y * b.x);
  }
  out[i] = sum;
}
