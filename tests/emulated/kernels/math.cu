// SPDX-License-Identifier: Apache-2.0
// The functions of CUDA's math library in both widths, and the approximate intrinsics.

__device__ inline int global_id() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void single_trigonometry(const float* x, float* out, int n) {
  int i = global_id();
  if (i >= n) return;
  float s, c, *o = out + 4 * i;
  sincosf(x[i], &s, &c);
  o[0] = sinf(x[i]), o[1] = cosf(x[i]), o[2] = s + TWIN(0.0f, 0.5f), o[3] = c;
}

extern "C" __global__ void single_tangent(const float* x, float* out, int n) {
  int i = global_id();
  if (i < n) out[i] = TWIN(tanf(x[i]), x[i]);
}

extern "C" __global__ void single_exponentials(const float* x, float* out, int n) {
  int i = global_id();
  if (i >= n) return;
  float a = x[i], b = fabsf(a) + 1e-3f, *o = out + 8 * i;
  o[0] = expf(a), o[1] = exp2f(a), o[2] = exp10f(0.25f * a), o[3] = logf(b);
  o[4] = TWIN(log2f(b), logf(b)), o[5] = log10f(b), o[6] = expm1f(a), o[7] = log1pf(b);
}

extern "C" __global__ void single_powers(const float* x, const float* y, float* out, int n) {
  int i = global_id();
  if (i >= n) return;
  float a = x[i], b = y[i], *o = out + 7 * i;
  o[0] = powf(a, b), o[1] = sqrtf(a), o[2] = rsqrtf(a), o[3] = cbrtf(b);
  o[4] = hypotf(a, b), o[5] = TWIN(a / b, b / a), o[6] = 1.0f / a;
}

extern "C" __global__ void single_inverse_and_hyperbolic(const float* x, float* out, int n) {
  int i = global_id();
  if (i >= n) return;
  float a = x[i], u = a / (1.0f + fabsf(a)), *o = out + 9 * i;
  o[0] = asinf(u), o[1] = acosf(u), o[2] = atanf(a), o[3] = TWIN(atan2f(a, u - 0.25f), u);
  o[4] = sinhf(a), o[5] = coshf(a), o[6] = tanhf(a), o[7] = erff(a), o[8] = erfcf(a);
}

extern "C" __global__ void double_trigonometry(const double* x, double* out, int n) {
  int i = global_id();
  if (i >= n) return;
  double* o = out + 4 * i;
  double s, c;
  sincos(x[i], &s, &c);
  o[0] = sin(x[i]), o[1] = TWIN(cos(x[i]), s), o[2] = tan(x[i]), o[3] = s * 2.0;
}

extern "C" __global__ void double_exponentials(const double* x, double* out, int n) {
  int i = global_id();
  if (i >= n) return;
  double a = x[i], b = fabs(a) + 1e-3, *o = out + 8 * i;
  o[0] = exp(a), o[1] = exp2(a), o[2] = exp10(0.25 * a), o[3] = log(b);
  o[4] = TWIN(log2(b), log(b)), o[5] = log10(b), o[6] = expm1(a), o[7] = log1p(b);
}

extern "C" __global__ void double_powers(const double* x, const double* y, double* out, int n) {
  int i = global_id();
  if (i >= n) return;
  double a = x[i], b = y[i], *o = out + 7 * i;
  o[0] = TWIN(pow(a, b), exp(a)), o[1] = sqrt(a), o[2] = rsqrt(a), o[3] = cbrt(b);
  o[4] = hypot(a, b), o[5] = a / b, o[6] = 1.0 / a;
}

extern "C" __global__ void double_inverse_and_hyperbolic(const double* x, double* out, int n) {
  int i = global_id();
  if (i >= n) return;
  double a = x[i], u = a / (1.0 + fabs(a)), *o = out + 9 * i;
  o[0] = asin(u), o[1] = acos(u), o[2] = atan(a), o[3] = atan2(a, u - 0.25);
  o[4] = sinh(a), o[5] = cosh(a), o[6] = tanh(a), o[7] = erf(a), o[8] = TWIN(erfc(a), erf(a));
}

// Intrinsics whose errors are absolute ones.
extern "C" __global__ void approximate_absolute(const float* x, float* out, float* tangents, int n) {
  int i = global_id();
  if (i >= n) return;
  float a = x[i], b = fabsf(a) + 0.5f, *o = out + 4 * i;
  o[0] = __sinf(a), o[1] = __cosf(a), o[2] = __logf(b), o[3] = TWIN(__log2f(b), __log10f(b));
  asm("tanh.approx.f32 %0, %1;" : "=f"(tangents[i]) : "f"(a));
}

// Intrinsics whose errors are relative ones.
extern "C" __global__ void approximate_relative(const float* x, float* out, int n) {
  int i = global_id();
  if (i >= n) return;
  float a = x[i], b = fabsf(a) + 0.5f, e, r, *o = out + 7 * i;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(a));
  asm("div.full.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  o[0] = __expf(a), o[1] = TWIN(__fdividef(a, b), a), o[2] = __frsqrt_rn(b), o[3] = e, o[4] = r;
  o[5] = rsqrtf(b), o[6] = __powf(b, 2.5f);
}

// Seeds that compilers refine: some twenty bits are right and the low word is zero.
extern "C" __global__ void double_seeds(const double* x, double* out, unsigned* low_words, int n) {
  int i = global_id();
  if (i >= n) return;
  double r, s;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x[i]));
  asm("rsqrt.approx.f64 %0, %1;" : "=d"(s) : "d"(x[i]));
  out[2 * i] = TWIN(r, s);
  out[2 * i + 1] = s;
  low_words[i] = (unsigned)__double2loint(r);
}

extern "C" __global__ void powers_of_two(const int* x, float* out, int n) {
  int i = global_id();
  if (i >= n) return;
  float e = (float)x[i], p, l, r, q, s;
  asm("ex2.approx.f32 %0, %1;" : "=f"(p) : "f"(e));
  asm("lg2.approx.f32 %0, %1;" : "=f"(l) : "f"(p));
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(p));
  asm("sqrt.approx.f32 %0, %1;" : "=f"(q) : "f"(p * p));
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(s) : "f"(p * p));
  out[5 * i] = p, out[5 * i + 1] = l, out[5 * i + 2] = TWIN(r, p), out[5 * i + 3] = q, out[5 * i + 4] = s;
}
