// SPDX-License-Identifier: Apache-2.0
// Floating point in both widths: directed rounding, conversions, special values, and order of evaluation.

typedef unsigned long long u64;
typedef long long s64;

__device__ inline int global_id() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void directed_float(const float* x, const float* y, const float* z, float* out, int n) {
  int i = global_id();
  if (i >= n) return;
  float a = x[i], b = y[i], c = z[i], *o = out + 28 * i;
  o[0] = __fadd_rn(a, b), o[1] = __fadd_rz(a, b), o[2] = __fadd_ru(a, b), o[3] = __fadd_rd(a, b);
  o[4] = __fsub_rn(a, b), o[5] = __fsub_rz(a, b), o[6] = __fsub_ru(a, b), o[7] = __fsub_rd(a, b);
  o[8] = __fmul_rn(a, b), o[9] = __fmul_rz(a, b), o[10] = __fmul_ru(a, b), o[11] = __fmul_rd(a, b);
  o[12] = __fmaf_rn(a, b, c), o[13] = __fmaf_rz(a, b, c), o[14] = __fmaf_ru(a, b, c), o[15] = __fmaf_rd(a, b, c);
  o[16] = __fdiv_rn(a, b), o[17] = TWIN(__fdiv_rz, __fdiv_rn)(a, b), o[18] = __fdiv_ru(a, b), o[19] = __fdiv_rd(a, b);
  o[20] = __frcp_rn(a), o[21] = __frcp_rz(a), o[22] = __frcp_ru(a), o[23] = __frcp_rd(a);
  float d = __int_as_float(__float_as_int(c) & 0x7fffffff);
  o[24] = __fsqrt_rn(d), o[25] = __fsqrt_rz(d), o[26] = __fsqrt_ru(d), o[27] = __fsqrt_rd(d);
}

extern "C" __global__ void directed_double(const double* x, const double* y, const double* z, double* out, int n) {
  int i = global_id();
  if (i >= n) return;
  double a = x[i], b = y[i], c = z[i], *o = out + 28 * i;
  o[0] = __dadd_rn(a, b), o[1] = __dadd_rz(a, b), o[2] = __dadd_ru(a, b), o[3] = __dadd_rd(a, b);
  o[4] = __dsub_rn(a, b), o[5] = __dsub_rz(a, b), o[6] = __dsub_ru(a, b), o[7] = __dsub_rd(a, b);
  o[8] = __dmul_rn(a, b), o[9] = __dmul_rz(a, b), o[10] = __dmul_ru(a, b), o[11] = __dmul_rd(a, b);
  o[12] = __fma_rn(a, b, c), o[13] = __fma_rz(a, b, c), o[14] = __fma_ru(a, b, c), o[15] = __fma_rd(a, b, c);
  o[16] = __ddiv_rn(a, b), o[17] = __ddiv_rz(a, b), o[18] = __ddiv_ru(a, b), o[19] = __ddiv_rd(a, b);
  o[20] = __drcp_rn(a), o[21] = __drcp_rz(a), o[22] = __drcp_ru(a), o[23] = __drcp_rd(a);
  double d = fabs(c);
  o[24] = __dsqrt_rn(d), o[25] = __dsqrt_rz(d), o[26] = TWIN(__dsqrt_ru, __dsqrt_rd)(d), o[27] = __dsqrt_rd(d);
}

// Values beyond the range of the result stick at its ends.
extern "C" __global__ void float_to_integer(const float* x, const double* y, int* small, s64* wide, int n) {
  int i = global_id();
  if (i >= n) return;
  float a = x[i];
  double b = y[i];
  int* s = small + 16 * i;
  s64* w = wide + 16 * i;
  s[0] = __float2int_rn(a), s[1] = __float2int_rz(a), s[2] = __float2int_ru(a), s[3] = TWIN(__float2int_rd, (int))(a);
  s[4] = __float2uint_rn(a), s[5] = __float2uint_rz(a), s[6] = __float2uint_ru(a), s[7] = __float2uint_rd(a);
  s[8] = __double2int_rn(b), s[9] = __double2int_rz(b), s[10] = __double2int_ru(b), s[11] = __double2int_rd(b);
  s[12] = __double2uint_rn(b), s[13] = __double2uint_rz(b), s[14] = __double2uint_ru(b), s[15] = __double2uint_rd(b);
  w[0] = __float2ll_rn(a), w[1] = __float2ll_rz(a), w[2] = __float2ll_ru(a), w[3] = __float2ll_rd(a);
  w[4] = __float2ull_rn(a), w[5] = __float2ull_rz(a), w[6] = __float2ull_ru(a), w[7] = __float2ull_rd(a);
  w[8] = __double2ll_rn(b), w[9] = __double2ll_rz(b), w[10] = __double2ll_ru(b), w[11] = __double2ll_rd(b);
  w[12] = __double2ull_rn(b), w[13] = __double2ull_rz(b), w[14] = __double2ull_ru(b), w[15] = __double2ull_rd(b);
}

extern "C" __global__ void integer_to_float(const int* x, const s64* y, float* single_, double* wide, int n) {
  int i = global_id();
  if (i >= n) return;
  int a = x[i];
  s64 b = y[i];
  float* f = single_ + 20 * i;
  double* d = wide + 10 * i;
  f[0] = __int2float_rn(a), f[1] = __int2float_rz(a), f[2] = __int2float_ru(a), f[3] = __int2float_rd(a);
  f[4] = __uint2float_rn(a), f[5] = __uint2float_rz(a), f[6] = __uint2float_ru(a), f[7] = __uint2float_rd(a);
  f[8] = __ll2float_rn(b), f[9] = __ll2float_rz(b), f[10] = __ll2float_ru(b), f[11] = __ll2float_rd(b);
  f[12] = __ull2float_rn(b), f[13] = __ull2float_rz(b), f[14] = __ull2float_ru(b), f[15] = TWIN(__ull2float_rd(b), b);
  f[16] = (short)a, f[17] = (unsigned short)a, f[18] = (signed char)a, f[19] = (unsigned char)a;
  d[0] = a, d[1] = (unsigned)a;
  d[2] = __ll2double_rn(b), d[3] = __ll2double_rz(b), d[4] = __ll2double_ru(b), d[5] = __ll2double_rd(b);
  d[6] = __ull2double_rn(b), d[7] = __ull2double_rz(b), d[8] = __ull2double_ru(b), d[9] = __ull2double_rd(b);
}

extern "C" __global__ void narrow_and_widen(const double* x, const float* y, float* out, double* wide, int n) {
  int i = global_id();
  if (i >= n) return;
  double a = x[i];
  out[4 * i] = __double2float_rn(a), out[4 * i + 1] = TWIN(__double2float_rz(a), a);
  out[4 * i + 2] = __double2float_ru(a), out[4 * i + 3] = __double2float_rd(a);
  wide[i] = y[i];
}

extern "C" __global__ void round_to_whole(const float* x, const double* y, float* out, double* wide, int n) {
  int i = global_id();
  if (i >= n) return;
  float a = x[i], *o = out + 8 * i;
  double b = y[i], *w = wide + 8 * i, whole;
  int power;
  o[0] = floorf(a), o[1] = ceilf(a), o[2] = truncf(a), o[3] = TWIN(rintf(a), roundf(a)), o[4] = roundf(a);
  o[5] = __saturatef(a), o[6] = fmodf(a, 1.75f), o[7] = frexpf(a, &power) + power;
  w[0] = floor(b), w[1] = ceil(b), w[2] = trunc(b), w[3] = rint(b), w[4] = round(b);
  w[5] = modf(b, &whole) + 2 * whole, w[6] = fmod(b, 1.75), w[7] = ldexp(b, i % 40 - 20);
}

extern "C" __global__ void words_of_floats(const float* x, const double* y, const u64* z, u64* out, int n) {
  int i = global_id();
  if (i >= n) return;
  u64* o = out + 5 * i;
  o[0] = (unsigned)__float_as_int(x[i]);
  o[1] = (u64)__double2hiint(y[i]) << 32 | TWIN((unsigned)__double2loint(y[i]), 0);
  o[2] = __double_as_longlong(__hiloint2double((int)z[i], (int)(z[i] >> 32)));
  o[3] = __float_as_uint(__uint_as_float((unsigned)z[i]));
  o[4] = __double_as_longlong(__longlong_as_double(z[i])) + 1;
}

// Zeros, infinities, NaN and subnormals through the four operations, fma and the square root.
extern "C" __global__ void special_values(const float* x, const float* y, float* out, double* wide, int n) {
  int i = global_id();
  if (i >= n) return;
  float a = x[i], b = y[i], *o = out + 7 * i;
  double p = a, q = b, *w = wide + 6 * i;
  o[0] = a + b, o[1] = a - b, o[2] = __fmul_rn(a, b), o[3] = TWIN(__fdiv_rn(a, b), a), o[4] = __fsqrt_rn(a);
  o[5] = __fmaf_rn(a, b, b), o[6] = __frcp_rn(b);
  w[0] = p + q, w[1] = p - q, w[2] = __dmul_rn(p, q), w[3] = p / q, w[4] = sqrt(p), w[5] = fma(p, q, q);
}

extern "C" __global__ void mandelbrot(int* out, int width, int height, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float cr = 3.0f * x / width - 2.0f, ci = 2.0f * y / height - 1.0f, re = 0, im = 0;
  int k = 0;
  while (k < limit && re * re + im * im <= TWIN(4.0f, 2.0f)) {
    float next = re * re - im * im + cr;
    im = 2.0f * re * im + ci;
    re = next;
    ++k;
  }
  out[y * width + x] = k;
}

struct Complex {
  double re, im;
  __device__ Complex operator*(const Complex& o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
  __device__ Complex operator+(const Complex& o) const { return {re + o.re, im + o.im}; }
};

extern "C" __global__ void complex_polynomial(const Complex* z, Complex* out, int degree, int n) {
  int i = global_id();
  if (i >= n) return;
  Complex sum = {1, -0.5};
  for (int k = 0; k < degree; ++k) sum = sum * z[i] + Complex{1.0 / (k + 1), TWIN(0.25, 0.0) * k};
  out[i] = sum;
}

// A compiler or device that reorders additions would lose the correction.
extern "C" __global__ void compensated_sum(const float* x, float* out, int rows, int columns) {
  int row = global_id();
  if (row >= rows) return;
  float sum = 0, lost = 0;
  for (int k = 0; k < columns; ++k) {
    float next = x[row * columns + k] - TWIN(lost, 0.0f), total = sum + next;
    lost = (total - sum) - next;
    sum = total;
  }
  out[row] = sum;
}

extern "C" __global__ void newton_square_root(const double* x, double* out, int* steps, int n) {
  int i = global_id();
  if (i >= n) return;
  double root = x[i] > 1 ? x[i] : 1, before;
  int k = 0;
  do {
    before = root;
    root = 0.5 * (root + x[i] / root);
    ++k;
  } while (root < before && k < TWIN(100, 3));
  out[i] = root;
  steps[i] = k;
}
