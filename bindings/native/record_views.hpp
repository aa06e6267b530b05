// SPDX-License-Identifier: Apache-2.0
// Views of a record's nested records and handles, made when first asked for and given again as long as the record lives.
#pragma once

#include "native/record_accessors.hpp"

namespace cuda_bindings {

/// The view of a member that has one, a new reference; nullptr with an exception.
PyObject* record_make_view(PyObject* self, const Member& member);

inline PyObject* record_member_view(PyObject* self, const Member& member) {
  PyObject* const* views = record_object(self)->views;
  if (views != nullptr && views[member.view] != nullptr) [[likely]]
    return Py_NewRef(views[member.view]);
  return record_make_view(self, member);
}

/// For a record's tp_traverse and, where it has any, its end.
int record_visit_views(const RecordObject* record, visitproc visit, void* arg);
void record_drop_views(RecordObject* record);

}  // namespace cuda_bindings
