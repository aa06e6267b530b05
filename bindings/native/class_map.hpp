// SPDX-License-Identifier: Apache-2.0
// A few classes of another package and what is known of each, found by the class's address.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <cstdint>

namespace cuda_bindings {

/// Rows found by their member `type`. Filled before other threads see it, never changed afterwards; the classes must
/// live for ever, or an address could come to mean another class.
template <class Row>
class ClassMap {
 public:
  /// Not more than half of the places: a search ends at a free one.
  void enter(const Row& row) {
    std::size_t at = first(row.type);
    while (rows_[at].type != nullptr) at = (at + 1) % places;
    rows_[at] = row;
  }
  /// The class's own row, not its base's; nullptr for any other class.
  const Row* find(const PyTypeObject* type) const {
    for (std::size_t at = first(type);; at = (at + 1) % places) {
      if (rows_[at].type == type) return &rows_[at];
      if (rows_[at].type == nullptr) return nullptr;
    }
  }

 private:
  static constexpr std::size_t places = 64;
  // The high bits of the product depend on all bits of the address.
  static std::size_t first(const PyTypeObject* type) {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(type) >> 4) * 0x9E3779B97F4A7C15u >> 58);
  }

  Row rows_[places] = {};
};

}  // namespace cuda_bindings
