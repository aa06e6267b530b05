// SPDX-License-Identifier: Apache-2.0
// Every op file gives its rows here, once per instruction set variant. EMULATOR_ISA is `baseline` or `avx2`, set by the build.
#pragma once

#include "decode/opcode_table.hpp"

#ifndef EMULATOR_ISA
#error "compile op files with -DEMULATOR_ISA=baseline or avx2"
#endif

namespace emulator::EMULATOR_ISA {

void add_integer_rows(OpcodeTable& table);  // add sub mul mad div rem abs neg min max sad, 16 to 64 bits; mul24 mad24
void add_carry_rows(OpcodeTable& table);    // add.cc addc sub.cc subc mad.cc madc
void add_bit_rows(
    OpcodeTable& table);  // and or xor not cnot shl shr shf lop3 bfe bfi bfind brev clz popc prmt fns bmsk szext
void add_video_rows(OpcodeTable& table);            // dp4a dp2a vabsdiff4, vadd... of the histogram
void add_compare_rows(OpcodeTable& table);          // setp set selp slct of integers and predicates
void add_move_rows(OpcodeTable& table);             // mov, mov.pack, mov.unpack, predicate logic
void add_integer_convert_rows(OpcodeTable& table);  // cvt between integers
void add_float_rows(
    OpcodeTable& table);  // f32 f64 add sub mul fma abs neg min max copysign testp, .ftz .sat, round to nearest
void add_rounding_rows(OpcodeTable& table);       // div rcp sqrt, and every .rz .rm .rp form
void add_approximate_rows(OpcodeTable& table);    // *.approx, div.full, ex2 lg2 sin cos tanh rsqrt
void add_float_compare_rows(OpcodeTable& table);  // setp set selp slct of floats, halves and bf16
void add_half_rows(OpcodeTable& table);           // f16 f16x2 bf16 bf16x2 arithmetic
void add_float_convert_rows(OpcodeTable& table);  // cvt with a float on either side
void add_memory_rows(OpcodeTable& table);         // ld st of every space, generic too; prefetch, fences, isspacep, cvta
void add_atomic_rows(OpcodeTable& table);         // atom red

}  // namespace emulator::EMULATOR_ISA

namespace emulator {

void add_control_rows(OpcodeTable& table);     // machine/: bra brx.idx call ret exit trap brkpt nanosleep
void add_collective_rows(OpcodeTable& table);  // machine/: bar barrier bar.warp.sync shfl vote match redux activemask
void add_special_rows(OpcodeTable& table);     // machine/: mov.special.*

}  // namespace emulator
