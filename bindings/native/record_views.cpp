// SPDX-License-Identifier: Apache-2.0
// Views of nested records and handles. A view holds the memory, never the record that it was asked of: a record may hold
// its views without a cycle, and a view may outlive its record.
#include "native/record_views.hpp"

#include <utility>

#include "native/handle.hpp"
#include "native/record_attributes.hpp"

namespace cuda_bindings {
namespace {

PyObject* fresh_view(const RecordObject* record, const Member& member) {
  char* data = record->data + member.offset;
  if (member.field->kind == FieldKind::handle) return handle_view(member.type, data, record->memory);
  return record_view(member.type, data, memory_of(record->memory));
}

std::size_t view_count(const RecordObject* record) { return members_table(record->type)->view_count(); }

}  // namespace

PyObject* record_make_view(PyObject* self, const Member& member) {
  RecordObject* record = record_object(self);
  PyObject* view = fresh_view(record, member);
#ifndef Py_GIL_DISABLED  // nothing else guards the places
  if (view == nullptr) return nullptr;
  if (record->views == nullptr) {
    record->views = static_cast<PyObject**>(PyMem_Calloc(view_count(record), sizeof(PyObject*)));
    if (record->views == nullptr) return view;  // it serves once
  }
  // The collector may have run meanwhile, and code that asked for the same.
  PyObject** place = &record->views[member.view];
  if (*place == nullptr) {
    *place = Py_NewRef(view);
  } else {
    Py_SETREF(view, Py_NewRef(*place));
  }
#endif
  return view;
}

int record_visit_views(const RecordObject* record, visitproc visit, void* arg) {
  if (record->views == nullptr) return 0;
  for (std::size_t index = 0; index < view_count(record); ++index) Py_VISIT(record->views[index]);
  return 0;
}

void record_drop_views(RecordObject* record) {
  PyObject** views = std::exchange(record->views, nullptr);
  for (std::size_t index = 0; index < view_count(record); ++index) Py_XDECREF(views[index]);
  PyMem_Free(views);
}

}  // namespace cuda_bindings
