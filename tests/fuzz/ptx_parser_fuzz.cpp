// SPDX-License-Identifier: Apache-2.0
// Fuzzer of what hostile images reach: container formats, decompression, the PTX parser.
//
//   clang++-14 -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Iemulator \
//     tests/fuzz/ptx_parser_fuzz.cpp emulator/ptx/*.cpp -o ptx_parser_fuzz
//   mkdir corpus && ./ptx_parser_fuzz -seeds=corpus && ./ptx_parser_fuzz -dict=tests/fuzz/ptx.dict -max_len=4096 corpus
//
// -seeds=FOLDER writes the seeds below as files and ends.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "common/types.hpp"
#include "ptx/image.hpp"
#include "ptx/lz4.hpp"
#include "ptx/parser.hpp"
#include "ptx/zstd.hpp"

namespace {

constexpr const char* seeds[] = {
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry saxpy(.param .f32 a, .param .u64 .ptr .global .align 4 x, .param .u64 y, .param .u32 n)\n"
    ".maxntid 256, 1, 1 .minnctapersm 2\n{\n.reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %rd<8>;\n"
    "ld.param.f32 %f1, [a]; ld.param.u64 %rd1, [x+0]; mov.u32 %r1, %ctaid.x; mad.lo.s32 %r4, %r1, %r2, %r3;\n"
    "setp.ge.s32 %p1, %r4, %r5; @%p1 bra $L__BB0_2;\nld.global.nc.v2.f32 {%f2, %f3}, [%rd1+-4];\n"
    "fma.rn.f32 %f3, %f1, 0f3F800000, %f2; st.global.f32 [%rd1], %f3;\n$L__BB0_2: ret;\n}\n",
    ".version 9.0 .target sm_90a, debug .address_size 64\n.extern .func (.param .b32 r) vprintf(.param .b64 a);\n"
    ".func (.reg .b32 q) f(.reg .f64 z) .noreturn { ret; }\n.global .align 8 .u64 t[3] = {f, generic(t0)+8, 0};\n",
    ".version 9.0 .target sm_100\n.visible .global .attribute(.managed) .align 4 .u32 g = 4;\n"
    ".const .f64 c[2][2] = {{1.5, -2e3}, {0d3FF0000000000000}};\n.weak .global .v4 .u8 v = {1, 0x2, 03, 0b100};\n"
    ".global .u8 m[9] = {3, 0xFF(generic(g)+4), 0xFF00(g)};\n.global .s32 e[] = {(3+4)*2, ~0, !1, 1 ? 2 : 3, "
    "WARP_SZ};\n"
    ".extern .shared .align 16 .b8 s[];\n.entry k { { .reg.b32 i,r;\n add.s32 i, r, -5;\n} .local .b8 d[40];\n"
    "t: .branchtargets A, B; .reg .b64 x; brx.idx i, t; A: B:\n"
    "p: .callprototype (.param .b32 _) _ (.param .b64 _); { .param .b32 u; .param .b64 w; call (u), x, (w), p; }\n"
    "mov.b64 {i, _}, x; setp.lt.s32 q|_, i, r; tex.2d.v4.f32.f32 {i}, [x, {i, r}]; shfl.sync.up.b32 i|q, i, 1, 0, -1; "
    "}\n",
    ".version 8.0 .target sm_80\n.file 1 \"a.cu\", 17, 4096\n.section .debug_str { l: .b8 1,2 }\n"
    ".entry k() { .pragma \"nounroll\"; .loc 1 2 3, function_name l+4, inlined_at 1 2 3\n ret; }\n@@DWARF x\n/* c */ "
    "// d\n",
};

/// Writes the seeds where -seeds=FOLDER asks for it.
void write_seeds(const std::string& folder) {
  int number = 0;
  for (const char* const seed : seeds) std::ofstream(folder + "/seed" + std::to_string(number++)) << seed;
  // A container with one entry for sm_80 that LZ4 compressed: four literals, a match, a literal.
  std::string image(16 + 64, '\0');
  const auto put = [&](std::size_t offset, std::uint64_t value, std::size_t bytes) {
    std::memcpy(image.data() + offset, &value, bytes);
  };
  const std::string_view block(
      "\x44"
      "abcd\x04\x00\x10!",
      9);
  put(0, 0xba55ed50, 4);
  put(4, 0x100001, 4);
  put(8, 64 + 16, 8);
  put(16, 0x1010001, 4);
  put(20, 64, 4);
  put(24, 16, 8);
  put(32, block.size(), 4);
  put(44, 80, 4);
  put(56, 0x2011, 8);
  put(72, 13, 8);
  image += block;
  image.resize(16 + 64 + 16);
  std::ofstream(folder + "/fatbin") << image;
  std::ofstream(folder + "/lz4") << 'L' << block;
  // Huffman literals; and one sequence over raw literals.
  std::ofstream(folder + "/zstd0") << std::string_view(
      "Z\x28\xb5\x2f\xfd\x00\x00\x5d\x00\x00\x42\xc0\x01\x89\x00\x00\x00\x00\x01\x16\x00", 21);
  std::ofstream(folder + "/zstd1") << std::string_view(
      "Z\x28\xb5\x2f\xfd\x00\x00\x5d\x00\x00\x20\x61\x62\x63\x64\x01\x54\x04\x02\x05\x07", 21);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  for (int each = 1; each < *count; ++each) {
    const std::string_view argument = (*arguments)[each];
    if (!argument.starts_with("-seeds=")) continue;
    write_seeds(std::string(argument.substr(7)));
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Decompressors are also reached without the headers around them.
  constexpr std::size_t unpacked_bytes = 4096;
  if (size > 0 && data[0] == 'Z')
    emulator::ptx::decompress_zstd(std::as_bytes(std::span(data + 1, size - 1)), unpacked_bytes);
  if (size > 0 && data[0] == 'L')
    emulator::ptx::decompress_lz4(std::as_bytes(std::span(data + 1, size - 1)), unpacked_bytes);
  constexpr std::uint32_t wrapper = 0x466243b1;  // holds an address that only its owner can vouch for
  if (size >= sizeof wrapper && std::memcmp(data, &wrapper, sizeof wrapper) == 0) return 0;
  try {
    const std::string text = emulator::ptx::ptx_of_image(data, size, 80);
    emulator::ptx::parse(text);
  } catch (const emulator::LoadError& error) {
    if (error.what()[0] == '\0' || std::strlen(error.what()) > 1000) std::abort();
  }
  return 0;
}
