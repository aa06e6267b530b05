// SPDX-License-Identifier: Apache-2.0
// A few classes of another package and what is known of each, found by the class's address.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <cstdint>

namespace cuda_bindings {

/// Rows found by their member `type`, at one comparison. Filled before other threads see it, never changed afterwards;
/// the classes must live for ever, or an address could come to mean another class.
template <class Row>
class ClassMap {
 public:
  /// Takes the rows in. A row for which there is no place is left out: the general way knows its class too.
  void fill(const Row* rows, std::size_t count) {
    factor_ = 0x9E3779B97F4A7C15u;
    for (int attempt = 0; attempt < 100 && !place_all(rows, count); ++attempt) factor_ += 0xBF58476D1CE4E5B8u;  // odd
  }
  /// The class's own row, not its base's; nullptr for any other class, and for nullptr.
  const Row* find(const PyTypeObject* type) const {
    const Row& row = rows_[place(type)];
    return row.type == type && type != nullptr ? &row : nullptr;
  }

 private:
  static constexpr std::size_t places = 128;

  // The high bits of the product depend on all bits of the address.
  std::size_t place(const PyTypeObject* type) const {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(type) >> 4) * factor_ >> 57);
  }
  bool place_all(const Row* rows, std::size_t count) {
    bool all = true;
    for (Row& row : rows_) row = {};
    for (std::size_t index = 0; index < count; ++index) {
      Row& row = rows_[place(rows[index].type)];
      if (row.type == nullptr) {
        row = rows[index];
      } else {
        all = false;
      }
    }
    return all;
  }

  std::uint64_t factor_ = 0;
  Row rows_[places] = {};
};

}  // namespace cuda_bindings
