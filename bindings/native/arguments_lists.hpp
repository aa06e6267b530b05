// SPDX-License-Identifier: Apache-2.0
// List arguments: a snapshot of the elements, each checked, as a C array.
#pragma once

#include <string>

#include "native/arguments.hpp"

namespace cuda_bindings {

enum class ListSource { sequence, iterable };  // list and tuple only, or anything that iterates

/// What a list argument accepts, as an error says it: put together only where there is one.
class AcceptedList {
 public:
  AcceptedList(const char* all) : begin_(all) {}  // NOLINT: texts are passed as they are
  AcceptedList(const char* begin, const char* name, const char* end) : begin_(begin), name_(name), end_(end) {}
  std::string text() const { return std::string(begin_) + name_ + end_; }

 private:
  const char* begin_;
  const char* name_ = "";
  const char* end_ = "";
};

// Takes the snapshot into list.elements and list.size, and checks both counts.
int take_elements(ListOwner& list, PyObject* object, const ListRules& rules, ListSource source,
                  const AcceptedList& accepted, Place place);

int read_handle_list(HandleList& list, PyObject* object, int type, const ListRules& rules, Place place);
int read_handle_pointer(HandleList& list, PyObject* object, int type, size_t count, Place place);
int read_record_list(RecordList& list, PyObject* object, int type, const ListRules& rules, Place place);
int read_enumeration_list(EnumerationList& list, PyObject* object, int type, const ListRules& rules, Place place);
int read_number_list(NumberList& list, PyObject* object, int number, int handle_type, const ListRules& rules,
                     Place place);
int read_color(Color& color, PyObject* object, Place place);

}  // namespace cuda_bindings
