// SPDX-License-Identifier: Apache-2.0
// Attribute access of records by the identity of the name. A class of ours cannot be changed, and its instances have no
// dictionary: what the table says is what Python would find. A class derived in Python goes the general way.
#include "native/record_attributes.hpp"

#include <algorithm>

#include "native/record_pointer_method.hpp"

namespace cuda_bindings {
namespace {

const MemberTable* tables[RECORD_COUNT];

[[gnu::always_inline]] inline const Member* find_member(PyObject* self, PyObject* name) {
  const std::int16_t type = record_object(self)->type;
  return Py_TYPE(self) == record_types[type] ? tables[type]->find(name) : nullptr;
}

}  // namespace

// How many names find their first place taken.
std::size_t MemberTable::crowd(const std::vector<PyObject*>& names) const {
  std::vector<bool> taken(mask_ + 1);
  return static_cast<std::size_t>(std::count_if(names.begin(), names.end(), [&](const PyObject* name) {
    const std::size_t at = first_place(name) & mask_;
    const bool found = taken[at];
    taken[at] = true;
    return found;
  }));
}

// Looks for a factor with which every name stands in its first place: then each costs the same, in every process.
void MemberTable::spread(const std::vector<PyObject*>& names) {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15u;
  constexpr std::uint64_t tries = 64;
  std::uint64_t best = golden;
  std::size_t least = names.size() + 1;
  for (std::uint64_t turn = 0; turn < tries && least != 0; ++turn) {
    factor_ = golden * (2 * turn + 1);
    const std::size_t found = crowd(names);
    if (found < least) {
      least = found;
      best = factor_;
    }
  }
  factor_ = best;
}

std::unique_ptr<MemberTable> MemberTable::make(const RecordRow& row) {
  auto table = std::make_unique<MemberTable>();
  std::size_t places = 8;
  while (places < 4u * row.field_count + 4u) places *= 2;
  table->mask_ = places - 1;
  table->places_ = std::make_unique<Place[]>(places);
  table->members_ = std::make_unique<Member[]>(row.field_count + 1u);
  std::vector<PyObject*> names;
  std::int16_t views = 0;
  // Names are kept for ever: places go by their identity.
  for (std::uint16_t i = 0; i < row.field_count; ++i) {
    table->members_[i] = member_of(row, row.fields[i], &views);
    names.push_back(PyUnicode_InternFromString(row.fields[i].name));
  }
  table->members_[row.field_count] = pointer_method_member();
  names.push_back(PyUnicode_InternFromString(record_get_pointer_method.ml_name));
  if (std::find(names.begin(), names.end(), nullptr) != names.end()) return nullptr;
  table->view_count_ = static_cast<std::size_t>(views);
  table->spread(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::size_t at = table->first_place(names[i]);
    while (table->places_[at & table->mask_].name != nullptr) ++at;
    table->places_[at & table->mask_] = {names[i], &table->members_[i]};
  }
  return table;
}

const MemberTable* members_table(int type) { return __atomic_load_n(&tables[type], __ATOMIC_ACQUIRE); }

const MemberTable* make_members_table(int type) {
  const MemberTable* found = members_table(type);
  if (found != nullptr) return found;
  const int tag = record_tag(type);
  std::unique_ptr<MemberTable> made;
  const MemberTable* table = tag == type ? nullptr : make_members_table(tag);
  if (tag == type) {
    made = MemberTable::make(record_rows[type]);
    table = made.get();
  }
  if (table == nullptr) return nullptr;
  // Another thread may have been quicker.
  if (!__atomic_compare_exchange_n(&tables[type], &found, table, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return found;
  (void)made.release();
  return table;
}

PyObject* record_get_attribute(PyObject* self, PyObject* name) {
  const Member* member = find_member(self, name);
  if (member != nullptr) [[likely]]
    return member->get(self, const_cast<Member*>(member));
  return PyObject_GenericGetAttr(self, name);
}

int record_set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  const Member* member = find_member(self, name);
  if (member != nullptr) [[likely]]
    return member->set(self, value, const_cast<Member*>(member));
  return PyObject_GenericSetAttr(self, name, value);
}

}  // namespace cuda_bindings
