// SPDX-License-Identifier: Apache-2.0
// Reads handles out of Python objects: what an argument or member of a handle type means.
#include "native/handle.hpp"

#include "native/integer.hpp"
#include "native/registry.hpp"
#include "native/small_integer.hpp"

namespace cuda_bindings {
namespace {

bool derives_from(int type, int base) {
  for (; type != NO_TYPE; type = handle_rows[type].base) {
    if (type == base) return true;
  }
  return false;
}

// A number is a number for cuuint64_t and its like, but never an address or a code pointer.
bool is_address(int type) {
  const HandleKind kind = handle_rows[type].kind;
  return kind == HandleKind::pointer || kind == HandleKind::function || type == HANDLE_CUdeviceptr ||
         type == HANDLE_CUdeviceptr_v2;
}

std::string accepted_text(int type) {
  const HandleRow& row = handle_rows[type];
  std::string text = row.kind == HandleKind::function ? "a callable, " : "";
  text += row.name;
  for (const std::int16_t* other = row.accepts; *other != NO_TYPE; ++other) {
    text += ", ";
    text += handle_rows[*other].name;
  }
  text += row.none_is_null ? ", None or an integer" : " or an integer";
  switch (row.kind) {
    case HandleKind::signed32: return text + " in -2147483648..2147483647";
    case HandleKind::unsigned32: return text + " in 0..4294967295";
    default: return text + " in 0..18446744073709551615";
  }
}

bool fits(const Integer& number, HandleKind kind) {
  if (kind == HandleKind::signed32) return number.fits_signed(INT32_MIN, INT32_MAX);
  return number.fits_unsigned(kind == HandleKind::unsigned32 ? UINT32_MAX : UINT64_MAX);
}

}  // namespace

bool is_handle(PyObject* object) {
  return is_plain_handle(object) || find_class_or_base(Py_TYPE(object)).kind == ClassKind::handle;
}

bool handle_accepts(int type, int given) {
  if (derives_from(given, type)) return true;
  for (const std::int16_t* other = handle_rows[type].accepts; *other != NO_TYPE; ++other) {
    if (derives_from(given, *other)) return true;
  }
  return false;
}

bool handle_instance(PyObject* object, int type, std::uint64_t* value) {
  if (!is_handle(object) || !handle_accepts(type, handle_object(object)->type)) return false;
  *value = handle_read(object);
  return true;
}

Reading handle_read_number(PyObject* object, int type, std::uint64_t* value) {
  const HandleKind kind = handle_rows[type].kind;
  Integer number;
  Reading reading = Reading::not_a_number;
  if (!is_address(type)) {
    reading = read_integer(object, Floats::whole, &number);
  } else if (!PyBool_Check(object)) {
    // A device address may have been computed in floats (list (b) 13 of the API page); a pointer to an object never is.
    const bool computed = kind == HandleKind::unsigned64;
    reading = read_integer(object, computed ? Floats::whole : Floats::refused, &number);
  }
  if (reading == Reading::good && !fits(number, kind)) return Reading::too_large;
  *value = number.bits;
  return reading;
}

int handle_read_value(PyObject* object, int type, const Where& where, std::uint64_t* value) {
  Reading reading = Reading::not_a_number;
  if (PyLong_CheckExact(object)) {
    std::uint32_t small = 0;
    if (read_small_integer(object, &small)) [[likely]] {  // which fits every kind
      *value = small;
      return 0;
    }
    reading = handle_read_number(object, type, value);
  } else if (object == Py_None) {
    *value = 0;
    if (handle_rows[type].none_is_null) return 0;
  } else if (is_handle(object)) {
    if (handle_instance(object, type, value)) return 0;
  } else {
    reading = handle_read_number(object, type, value);
  }
  if (reading == Reading::good) return 0;
  if (reading != Reading::failed) refuse_reading(reading, object, where, accepted_text(type));
  return -1;
}

int handle_read_address(PyObject* object, int type, bool in_place, const Where& where, void** address) {
  if (object == Py_None) {
    *address = nullptr;
    return 0;
  }
  if (is_handle(object)) {
    if (handle_accepts(type, handle_object(object)->type)) {
      *address = handle_object(object)->slot;
      return 0;
    }
  } else if (!in_place) {
    const std::string accepted = std::string(handle_rows[type].name) + ", None or the address of one as an integer";
    std::uint64_t number = 0;
    if (read_raw_address(object, where, accepted.c_str(), &number) < 0) return -1;
    *address = reinterpret_cast<void*>(number);
    return 0;
  }
  refuse(PyExc_TypeError, where, object, std::string(handle_rows[type].name) + " or None");
  return -1;
}

}  // namespace cuda_bindings
