// SPDX-License-Identifier: Apache-2.0
// The table of PTX's fundamental types.
#include "ptx/types.hpp"

namespace emulator::ptx {

namespace {

constexpr Type types[] = {
    {".b8", 8, Type::Numbers::bits},       {".b16", 16, Type::Numbers::bits},     {".b32", 32, Type::Numbers::bits},
    {".b64", 64, Type::Numbers::bits},     {".b128", 128, Type::Numbers::bits},   {".u8", 8, Type::Numbers::integers},
    {".u16", 16, Type::Numbers::integers}, {".u32", 32, Type::Numbers::integers}, {".u64", 64, Type::Numbers::integers},
    {".s8", 8, Type::Numbers::integers},   {".s16", 16, Type::Numbers::integers}, {".s32", 32, Type::Numbers::integers},
    {".s64", 64, Type::Numbers::integers}, {".f16", 16, Type::Numbers::none},     {".f16x2", 32, Type::Numbers::none},
    {".bf16", 16, Type::Numbers::none},    {".bf16x2", 32, Type::Numbers::none},  {".f32", 32, Type::Numbers::reals},
    {".f64", 64, Type::Numbers::reals},    {".tf32", 32, Type::Numbers::none},    {".pred", 1, Type::Numbers::bits},
};

}  // namespace

const Type* find_type(std::string_view directive) {
  for (const Type& each : types) {
    if (each.name == directive) return &each;
  }
  return nullptr;
}

}  // namespace emulator::ptx
