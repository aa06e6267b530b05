// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic: bits, bytes, funnel shifts, dot products, video operations, division, carries, 128 bits.

typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef unsigned long long u64;
typedef long long s64;
typedef unsigned __int128 u128;

__device__ inline int global_id() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void bits_32(const unsigned* x, int* out, int n) {
  int i = global_id();
  if (i >= n) return;
  unsigned v = x[i];
  int* o = out + 8 * i;
  o[0] = __brev(v);
  o[1] = __clz(v);
  o[2] = TWIN(__ffs(v), __clz(__brev(v)));
  o[3] = __popc(v);
  o[4] = __clz(-(int)v);
  o[5] = 31 - __clz(v & (0u - v));
  o[6] = v >> 5 & 0x7ff;
  o[7] = (v & 0xfff00fff) | (v << 12 & 0x000ff000);
}

extern "C" __global__ void bits_64(const u64* x, u64* out, int n) {
  int i = global_id();
  if (i >= n) return;
  u64 v = x[i];
  u64* o = out + 6 * i;
  o[0] = __brevll(v);
  o[1] = __clzll(v);
  o[2] = __ffsll(v);
  o[3] = TWIN(__popcll(v), __popc((unsigned)v));
  o[4] = v ^ v >> 7 ^ v << 13;
  o[5] = ~v & v << 1 | (v & 0xff) << 56;
}

extern "C" __global__ void bytes_and_averages(const unsigned* x, const unsigned* y, const unsigned* z, int* out,
                                              int n) {
  int i = global_id();
  if (i >= n) return;
  unsigned a = x[i], b = y[i], c = z[i];
  int* o = out + 14 * i;
  o[0] = TWIN(__byte_perm(a, b, c), __byte_perm(b, a, c));
  o[1] = __sad((int)a, (int)b, c);
  o[2] = __usad(a, b, c);
  o[3] = __hadd((int)a, (int)b);
  o[4] = __rhadd((int)a, (int)b);
  o[5] = __uhadd(a, b);
  o[6] = __urhadd(a, b);
  o[7] = __mul24((int)a, (int)b);
  o[8] = __umul24(a, b);
  o[9] = __mulhi((int)a, (int)b);
  o[10] = __umulhi(a, b);
  o[11] = abs((int)a);
  o[12] = min((int)a, (int)b) ^ max((int)b, (int)c);
  o[13] = min(a, b) ^ max(b, c);
}

extern "C" __global__ void funnel_shifts(const unsigned* x, const unsigned* y, const unsigned* z, unsigned* out,
                                         int n) {
  int i = global_id();
  if (i >= n) return;
  unsigned a = x[i], b = y[i], c = z[i] % 70;
  out[6 * i] = __funnelshift_l(a, b, c);
  out[6 * i + 1] = __funnelshift_r(a, b, c);
  out[6 * i + 2] = __funnelshift_lc(a, b, c);
  out[6 * i + 3] = TWIN(__funnelshift_rc, __funnelshift_r)(a, b, c);
  out[6 * i + 4] = a << (c & 31) | a >> (32 - c & 31);
  out[6 * i + 5] = __funnelshift_l(b, b, 7);
}

extern "C" __global__ void small_dot_products(const int* x, const int* y, const int* z, int* out, int n) {
  int i = global_id();
  if (i >= n) return;
  int a = x[i], b = y[i], c = z[i];
  out[8 * i] = __dp4a(a, b, c);
  out[8 * i + 1] = __dp4a((unsigned)a, (unsigned)b, (unsigned)c);
  out[8 * i + 2] = __dp2a_lo(a, b, c);
  out[8 * i + 3] = TWIN(__dp2a_hi, __dp2a_lo)(a, b, c);
  out[8 * i + 4] = __dp2a_lo((unsigned)a, (unsigned)b, (unsigned)c);
  out[8 * i + 5] = __dp2a_hi((unsigned)a, (unsigned)b, (unsigned)c);
  int mixed;
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(mixed) : "r"(a), "r"(b), "r"(c));
  out[8 * i + 6] = mixed;
  asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(mixed) : "r"(a), "r"(b), "r"(c));
  out[8 * i + 7] = mixed;
}

extern "C" __global__ void video(const unsigned* x, const unsigned* y, unsigned* out, int n) {
  int i = global_id();
  if (i >= n) return;
  unsigned a = x[i], b = y[i], *o = out + 12 * i;
  asm("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(o[0]) : "r"(a), "r"(b), "r"(0));
  o[1] = __vadd4(a, b);
  o[2] = __vsub4(a, b);
  o[3] = TWIN(__vabsdiffu4(a, b), __vabsdiffs4(a, b));
  o[4] = __vmaxu4(a, b);
  o[5] = __vmins4(a, b);
  o[6] = __vcmpgtu4(a, b);
  o[7] = __vadd2(a, b);
  o[8] = __vmaxs2(a, b);
  o[9] = __vavgu4(a, b);
  o[10] = __vsadu4(a, b);
  o[11] = __vabsdiffu2(a, b);
}

extern "C" __global__ void divide(const int* x, const int* y, const s64* p, const s64* q, int* small, s64* wide,
                                  int n) {
  int i = global_id();
  if (i >= n) return;
  int a = x[i], b = y[i];
  s64 c = p[i], d = q[i];
  small[6 * i] = a / b;
  small[6 * i + 1] = a % b;
  small[6 * i + 2] = (unsigned)a / (unsigned)b;
  small[6 * i + 3] = (unsigned)a % (unsigned)b;
  small[6 * i + 4] = a / 7 + a % 10;
  small[6 * i + 5] = (unsigned)a / 1000 + (short)a / 3;
  wide[5 * i] = c / d;
  wide[5 * i + 1] = TWIN(c % d, c - d);
  wide[5 * i + 2] = (u64)c / (u64)d;
  wide[5 * i + 3] = (u64)c % (u64)d;
  wide[5 * i + 4] = c / 1000003;
}

// PTX clamps shift amounts at the width; C leaves them undefined, so they are asked for in PTX.
extern "C" __global__ void shifts(const u64* x, const unsigned* amount, u64* out, int n) {
  int i = global_id();
  if (i >= n) return;
  u64 v = x[i], r;
  unsigned s = amount[i] % 80, w = (unsigned)v, t;
  u64* o = out + 8 * i;
  asm("shl.b32 %0, %1, %2;" : "=r"(t) : "r"(w), "r"(s));
  o[0] = t;
  asm("shr.u32 %0, %1, %2;" : "=r"(t) : "r"(w), "r"(s));
  o[1] = t;
  asm("shr.s32 %0, %1, %2;" : "=r"(t) : "r"(w), "r"(s));
  o[2] = t;
  asm("shl.b64 %0, %1, %2;" : "=l"(r) : "l"(v), "r"(s));
  o[3] = r;
  asm("shr.u64 %0, %1, %2;" : "=l"(r) : "l"(v), "r"(s));
  o[4] = r;
  asm(TWIN("shr.s64 %0, %1, %2;", "shr.u64 %0, %1, %2;") : "=l"(r) : "l"(v), "r"(s));
  o[5] = r;
  o[6] = (s64)v >> (s & 63);
  o[7] = (u16)v >> 3 | (u64)((short)v >> 5) << 16;
}

extern "C" __global__ void multiply_wide(const u64* x, const u64* y, u64* out, int n) {
  int i = global_id();
  if (i >= n) return;
  u64 a = x[i], b = y[i], *o = out + 10 * i;
  u128 product = (u128)a * b;
  o[0] = a * b;
  o[1] = __umul64hi(a, b);
  o[2] = __mul64hi(a, b);
  o[3] = (u64)(product >> 64) ^ TWIN((u64)product, 0);
  u128 sum = product + a * (u128)3 - b;
  o[4] = (u64)sum;
  o[5] = (u64)(sum >> 64);
  o[6] = (u64)(unsigned)a * (unsigned)b;
  o[7] = (s64)(int)a * (int)b + (s64)b;
  o[8] = (unsigned)(u16)a * (u16)b + (u64)(unsigned)b * 1000;
  o[9] = (u64)(product / ((b >> 40) + 1));
}

// 256 bits: sums, differences and products with carries that go from word to word.
extern "C" __global__ void carry_chains(const unsigned* x, const unsigned* y, unsigned* sum, unsigned* difference,
                                        unsigned* product, int n) {
  int i = global_id();
  if (i >= n) return;
  const unsigned *a = x + 8 * i, *b = y + 8 * i;
  unsigned *s = sum + 9 * i, *d = difference + 9 * i, *p = product + 8 * i;
  asm("add.cc.u32 %0, %9, %17;\n\taddc.cc.u32 %1, %10, %18;\n\taddc.cc.u32 %2, %11, %19;\n\t"
      "addc.cc.u32 %3, %12, %20;\n\taddc.cc.u32 %4, %13, %21;\n\taddc.cc.u32 %5, %14, %22;\n\t"
      "addc.cc.u32 %6, %15, %23;\n\taddc.cc.u32 %7, %16, %24;\n\t" TWIN("addc.u32", "add.u32") " %8, 0, 0;"
      : "=r"(s[0]), "=r"(s[1]), "=r"(s[2]), "=r"(s[3]), "=r"(s[4]), "=r"(s[5]), "=r"(s[6]), "=r"(s[7]), "=r"(s[8])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]), "r"(b[1]),
        "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
  asm("sub.cc.u32 %0, %9, %17;\n\tsubc.cc.u32 %1, %10, %18;\n\tsubc.cc.u32 %2, %11, %19;\n\t"
      "subc.cc.u32 %3, %12, %20;\n\tsubc.cc.u32 %4, %13, %21;\n\tsubc.cc.u32 %5, %14, %22;\n\t"
      "subc.cc.u32 %6, %15, %23;\n\tsubc.cc.u32 %7, %16, %24;\n\tsubc.u32 %8, 0, 0;"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7]), "=r"(d[8])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]), "r"(b[1]),
        "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
  // The low 128 x low 128 bits, one row of the school method after the other.
  unsigned r[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (int j = 0; j < 4; ++j)
    asm("mad.lo.cc.u32 %0, %5, %9, %0;\n\tmadc.lo.cc.u32 %1, %6, %9, %1;\n\tmadc.lo.cc.u32 %2, %7, %9, %2;\n\t"
        "madc.lo.cc.u32 %3, %8, %9, %3;\n\taddc.u32 %4, %4, 0;\n\t"
        "mad.hi.cc.u32 %1, %5, %9, %1;\n\tmadc.hi.cc.u32 %2, %6, %9, %2;\n\tmadc.hi.cc.u32 %3, %7, %9, %3;\n\t"
        "madc.hi.u32 %4, %8, %9, %4;"
        : "+r"(r[j]), "+r"(r[j + 1]), "+r"(r[j + 2]), "+r"(r[j + 3]), "+r"(r[j + 4])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j]));
  for (int k = 0; k < 8; ++k) p[k] = r[k];
}

extern "C" __global__ void narrow_types(const s8* x, const u8* y, const short* z, const u16* w, int* out, s8* back,
                                        short* back16, int n) {
  int i = global_id();
  if (i >= n) return;
  s8 a = x[i];
  u8 b = y[i];
  short c = z[i];
  u16 d = w[i];
  s8 wrapped = a + b;
  short product = c * d;
  u16 shifted = d << 3;
  out[5 * i] = wrapped;
  out[5 * i + 1] = product;
  out[5 * i + 2] = shifted - (u8)(b + 200);
  out[5 * i + 3] = a < (s8)b ? c : TWIN(d, -d);
  out[5 * i + 4] = (c == (short)d) | (c > a) << 1 | (d != b) << 2 | (u8)a << 8;
  back[i] = a >> 1 ^ b;
  back16[i] = c - d;
}

// Multiply, rotate and mix, as random generators and hashes do.
extern "C" __global__ void mix_rounds(const unsigned* seed, unsigned* out, u64* wide, int rounds, int n) {
  int i = global_id();
  if (i >= n) return;
  unsigned h = seed[i], crc = ~h;
  u64 state = h * 6364136223846793005ull + 1442695040888963407ull;
  for (int k = 0; k < rounds; ++k) {
    h ^= h << 13;
    h ^= h >> TWIN(17, 16);
    h ^= h << 5;
    crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    state = state * 6364136223846793005ull + (h | 1);
  }
  out[i] = h ^ crc;
  wide[i] = state ^ state >> 29;
}

// Two's complement at its ends, and sums that stick at the ends.
extern "C" __global__ void overflow_and_saturation(const int* x, const int* y, int* out, s64* wide, int n) {
  int i = global_id();
  if (i >= n) return;
  int a = x[i], b = y[i], r;
  asm(TWIN("add.sat.s32", "add.s32") " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  out[6 * i] = r;
  asm("sub.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  out[6 * i + 1] = r;
  asm("cvt.sat.s8.s32 %0, %1;" : "=r"(r) : "r"(a));
  out[6 * i + 2] = r;
  asm("mad.hi.s32 %0, %1, %2, %1;" : "=r"(r) : "r"(a), "r"(b));
  out[6 * i + 3] = r;
  out[6 * i + 4] = (unsigned)a + (unsigned)b;
  out[6 * i + 5] = -(unsigned)a;
  wide[3 * i] = (s64)a - b;
  wide[3 * i + 1] = llabs((s64)a * b);
  wide[3 * i + 2] = min((s64)a * 3, (s64)b) + (s64)max((u64)(s64)a, (u64)(s64)b);
}
