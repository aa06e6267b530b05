// SPDX-License-Identifier: Apache-2.0
// The rows of the generated table of callback types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "native/tables.hpp"

namespace cuda_bindings {

// What a callable is told for an argument of the C function.
enum class CallbackArgumentKind : std::uint8_t {
  user_data,    // the object that the program gave along with the callable
  handle,       // type: HANDLE_*
  enumeration,  // type: ENUM_*
  record,       // type: RECORD_*; a copy, for C's is gone when the callback returns
  text,         // char * whose length the next argument tells
  length,       // of that text
  signed_number,
  unsigned_number,
  address,
};

struct CallbackArgument {
  CallbackArgumentKind kind;
  std::int16_t type;
  std::uint8_t size;  // of the C type
};

struct CallbackRow {
  const char* name;
  const char* prototype;
  std::int16_t handle;       // HANDLE_* of its class, NO_TYPE where the C type has no name
  std::uint8_t result_size;  // 0: void
  std::int64_t failed;       // what C gets from a callable that raised
  std::uint8_t argument_count;
  const CallbackArgument* arguments;
  void* code;  // what CUDA is given for a callable
};

extern const CallbackRow callback_rows[];

// The argument that CUDA only passes on; -1 where the C type has none.
constexpr int user_data_index(const CallbackRow& row) {
  for (int index = 0; index < row.argument_count; ++index) {
    if (row.arguments[index].kind == CallbackArgumentKind::user_data) return index;
  }
  return -1;
}

}  // namespace cuda_bindings
