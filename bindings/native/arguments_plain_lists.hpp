// SPDX-License-Identifier: Apache-2.0
// List arguments whose elements are all of ordinary classes: read in one pass.
#pragma once

#include "native/arguments.hpp"

namespace cuda_bindings {

/// `other`: nothing is held and nothing said; the general way (arguments_lists.hpp) takes it or says what is wrong.
/// `failed`: an exception is set.
enum class PlainList { read, other, failed };

PlainList read_plain_handles(HandleList& list, PyObject* object, int type, const ListRules& rules);
PlainList read_plain_records(RecordList& list, PyObject* object, int type, const ListRules& rules);
PlainList read_plain_enumerations(EnumerationList& list, PyObject* object, int type, const ListRules& rules);
PlainList read_plain_numbers(NumberList& list, PyObject* object, int number, int handle_type, const ListRules& rules);
PlainList read_plain_addresses(AddressList& list, PyObject* object, const ListRules& rules);

}  // namespace cuda_bindings
