// SPDX-License-Identifier: Apache-2.0
// The rows that the machine itself gives: their handlers move groups of lanes, so they exist once and not per instruction set.
#pragma once

#include "decode/opcode_table.hpp"

namespace emulator {

/// bra, brx.idx, call, ret, exit, trap, nanosleep.
void add_control_rows(OpcodeTable& table);
/// bar.*, bar.warp.sync, shfl, vote, match, redux, activemask.
void add_collective_rows(OpcodeTable& table);
/// mov.special.*
void add_special_rows(OpcodeTable& table);

/// bar.sync, bar.arrive and bar.red; a part of add_collective_rows.
void add_barrier_rows(OpcodeTable& table);

}  // namespace emulator
