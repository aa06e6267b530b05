// SPDX-License-Identifier: Apache-2.0
// Attribute access of records by the identity of the name. A class of ours cannot be changed, and its instances have no
// dictionary: what the table says is what Python would find. A class derived in Python goes the general way.
#include "native/record_attributes.hpp"

#include "native/reference.hpp"

namespace cuda_bindings {
namespace {

const MemberTable* tables[RECORD_COUNT];

const Member* find_member(PyObject* self, PyObject* name) {
  const std::int16_t type = record_object(self)->type;
  return Py_TYPE(self) == record_types[type] ? tables[type]->find(name) : nullptr;
}

}  // namespace

int MemberTable::enter(const char* name, const Member* member) {
  PyObject* interned = PyUnicode_InternFromString(name);  // kept for ever: the place goes by its identity
  if (interned == nullptr) return -1;
  std::size_t at = first_place(interned);
  while (places_[at & mask_].name != nullptr) ++at;
  places_[at & mask_] = {interned, member};
  return 0;
}

std::unique_ptr<MemberTable> MemberTable::make(const RecordRow& row) {
  auto table = std::make_unique<MemberTable>();
  std::size_t places = 8;
  while (places < 4u * row.field_count) places *= 2;
  table->mask_ = places - 1;
  table->places_ = std::make_unique<Place[]>(places);
  table->members_ = std::make_unique<Member[]>(row.field_count);
  std::int16_t views = 0;
  for (std::uint16_t i = 0; i < row.field_count; ++i) {
    table->members_[i] = member_of(row, row.fields[i], &views);
    if (table->enter(row.fields[i].name, &table->members_[i]) < 0) return nullptr;
  }
  table->view_count_ = static_cast<std::size_t>(views);
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
