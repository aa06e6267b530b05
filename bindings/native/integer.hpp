// SPDX-License-Identifier: Apache-2.0
// Python numbers as C integers: int, anything with __index__, and floats that are whole.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>

#include "native/complaint.hpp"

namespace cuda_bindings {

// A number of -2**63 .. 2**64-1.
struct Integer {
  std::uint64_t bits = 0;
  bool negative = false;

  std::int64_t as_signed() const { return static_cast<std::int64_t>(bits); }
  bool fits_signed(std::int64_t least, std::int64_t most) const {
    if (negative) return as_signed() >= least;
    return most >= 0 && bits <= static_cast<std::uint64_t>(most);
  }
  bool fits_unsigned(std::uint64_t most) const { return !negative && bits <= most; }
};

enum class Reading {
  good,
  not_a_number,
  not_whole,  // a float with a fraction, infinite or not a number
  too_large,
  failed,  // an exception of the object's own is set
};

enum class Floats { whole, refused };

Reading read_integer(PyObject* object, Floats floats, Integer* value);

// The same with the texts: TypeError, ValueError for a fraction, OverflowError outside of least..most. 0 or -1.
int read_signed(PyObject* object, std::int64_t least, std::int64_t most, const Where& where, std::int64_t* value);
int read_unsigned(PyObject* object, std::uint64_t most, const Where& where, std::uint64_t* value);

// An address given as a number: not a bool, not a float. 0 or -1.
int read_raw_address(PyObject* object, const Where& where, const char* accepted, std::uint64_t* value);

// Sets the exception for a reading that is not good (keeps the one of Reading::failed).
void refuse_reading(Reading reading, PyObject* object, const Where& where, const std::string& accepted);

}  // namespace cuda_bindings
