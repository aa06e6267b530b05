// SPDX-License-Identifier: Apache-2.0
// A class's members by name. Records are asked for members far more often than for anything else: their attribute access
// looks here first, and only then goes Python's general way, which would find the member's descriptor.
#pragma once

#include <memory>
#include <vector>

#include "native/record_accessors.hpp"

namespace cuda_bindings {

/// Members by the identity of their interned name. Never changed once the class is published, never freed.
class MemberTable {
 public:
  /// The members of a row; nullptr with an exception.
  static std::unique_ptr<MemberTable> make(const RecordRow& row);

  const Member* find(PyObject* name) const {
    for (std::size_t at = first_place(name);; ++at) {
      const Place& place = places_[at & mask_];
      if (place.name == name) return place.member;
      if (place.name == nullptr) return nullptr;
    }
  }
  const Member& operator[](std::size_t index) const { return members_[index]; }
  std::size_t view_count() const { return view_count_; }

 private:
  struct Place {
    PyObject* name = nullptr;  // owned
    const Member* member = nullptr;
  };
  // The product's high bits depend on all bits of the address.
  std::size_t first_place(const PyObject* name) const {
    return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(name) * factor_ >> 40);
  }
  std::size_t crowd(const std::vector<PyObject*>& names) const;
  void spread(const std::vector<PyObject*>& names);

  std::uint64_t factor_ = 0;
  std::size_t mask_ = 0;
  std::unique_ptr<Place[]> places_;  // a power of two, at most a quarter full
  std::unique_ptr<Member[]> members_;
  std::size_t view_count_ = 0;
};

/// The table of a class that was made: of its tag's members.
const MemberTable* members_table(int type);
/// The same, made where there is none yet; nullptr with an exception.
const MemberTable* make_members_table(int type);

/// tp_getattro and tp_setattro of records.
PyObject* record_get_attribute(PyObject* self, PyObject* name);
int record_set_attribute(PyObject* self, PyObject* name, PyObject* value);

}  // namespace cuda_bindings
