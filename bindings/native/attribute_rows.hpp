// SPDX-License-Identifier: Apache-2.0
// Rows of generated/attributes_table.cpp: what the void* behind each attribute and each JIT option holds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuda_bindings {

enum class ValueKind : std::uint8_t {
  none,  // JIT option without a value
  int32,
  uint32,
  uint64,
  float32,
  boolean,         // C bool
  bool32,          // an int that means true or false
  number_object,   // type: HANDLE_* of an integer-like that the getter returns (cuuint64_t)
  enumeration,     // JIT option; type: ENUM_*
  handle,          // type: HANDLE_*
  record,          // type: RECORD_*, by value
  record_pointer,  // JIT option; type: RECORD_*
  address,         // void *
  text,            // char[size], zero-terminated
  int32_list,      // as many as the caller has room for
  log_buffer,      // JIT option: the caller's memory; partner: the option with its size
  text_list,       // JIT option: const char **; partner: the option with the count
  address_list,    // JIT option: void **; partner as above
};

struct AttributeRow {
  std::int16_t enumeration;  // ENUM_*
  std::int16_t type;         // see ValueKind, else -1
  ValueKind kind;
  std::int32_t value;    // of the enumerator
  std::int32_t partner;  // value of another enumerator of the same enumeration, else -1
  std::uint32_t size;    // of a text, else 0
};

// Ordered by enumeration, then value.
extern const AttributeRow attribute_rows[];
extern const std::size_t attribute_row_count;

// NULL where there is no such row.
const AttributeRow* find_attribute(int enumeration, int value);

}  // namespace cuda_bindings
