// SPDX-License-Identifier: Apache-2.0
// Members that are one number, one enumeration or one flag.
#include <cmath>
#include <limits>

#include "native/enumeration.hpp"
#include "native/integer.hpp"
#include "native/record_members.hpp"

namespace cuda_bindings {
namespace {

// Members need not be aligned in memory that the program named.
template <typename T>
T load(const char* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

template <typename T>
void store(char* data, T value) {
  std::memcpy(data, &value, sizeof value);
}

template <typename T>
int set_integer(char* data, PyObject* value, const Where& where) {
  if constexpr (std::is_signed_v<T>) {
    std::int64_t number = 0;
    if (read_signed(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), where, &number) < 0) return -1;
    store(data, static_cast<T>(number));
  } else {
    std::uint64_t number = 0;
    if (read_unsigned(value, std::numeric_limits<T>::max(), where, &number) < 0) return -1;
    store(data, static_cast<T>(number));
  }
  return 0;
}

int read_float(PyObject* value, const Where& where, const char* range, double* number) {
  *number = PyFloat_AsDouble(value);
  if (*number != -1.0 || PyErr_Occurred() == nullptr) return 0;
  if (PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    refuse(PyExc_TypeError, where, value, "a real number");
  } else if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
    PyErr_Clear();
    refuse(PyExc_OverflowError, where, value, range);
  }
  return -1;
}

int set_f32(char* data, PyObject* value, const Where& where) {
  constexpr char range[] = "a number within the range of float";
  double number = 0;
  if (read_float(value, where, range, &number) < 0) return -1;
  if (std::isfinite(number) && std::fabs(number) > static_cast<double>(std::numeric_limits<float>::max())) {
    refuse(PyExc_OverflowError, where, value, range);
    return -1;
  }
  store(data, static_cast<float>(number));
  return 0;
}

int set_f64(char* data, PyObject* value, const Where& where) {
  double number = 0;
  if (read_float(value, where, "a number within the range of double", &number) < 0) return -1;
  store(data, number);
  return 0;
}

int set_boolean(char* data, PyObject* value, const Where& where) {
  std::int64_t number = 0;
  if (read_signed(value, 0, 1, where, &number) < 0) return -1;
  store(data, static_cast<std::uint8_t>(number));
  return 0;
}

int set_enumeration(int type, char* data, PyObject* value, const Where& where) {
  int number = 0;
  if (enumeration_read_value(value, type, where, &number) < 0) return -1;
  store(data, number);
  return 0;
}

}  // namespace

std::size_t scalar_size(const FieldRow& field) {
  switch (field.kind) {
    case FieldKind::i8:
    case FieldKind::u8:
    case FieldKind::boolean:
    case FieldKind::bytes:
    case FieldKind::text: return 1;
    case FieldKind::i16:
    case FieldKind::u16: return 2;
    case FieldKind::i32:
    case FieldKind::u32:
    case FieldKind::f32:
    case FieldKind::enumeration: return 4;
    case FieldKind::callback:
    case FieldKind::handle: return slot_size(handle_rows[field.type].kind);
    case FieldKind::record: return record_rows[field.type].size;
    default: return 8;
  }
}

PyObject* scalar_get(const FieldRow& field, const char* data) {
  switch (field.kind) {
    case FieldKind::i8: return PyLong_FromLong(load<std::int8_t>(data));
    case FieldKind::u8: return PyLong_FromLong(load<std::uint8_t>(data));
    case FieldKind::i16: return PyLong_FromLong(load<std::int16_t>(data));
    case FieldKind::u16: return PyLong_FromLong(load<std::uint16_t>(data));
    case FieldKind::i32: return PyLong_FromLong(load<std::int32_t>(data));
    case FieldKind::u32: return PyLong_FromUnsignedLong(load<std::uint32_t>(data));
    case FieldKind::i64: return PyLong_FromLongLong(load<std::int64_t>(data));
    case FieldKind::u64: return PyLong_FromUnsignedLongLong(load<std::uint64_t>(data));
    case FieldKind::f32: return PyFloat_FromDouble(static_cast<double>(load<float>(data)));
    case FieldKind::f64: return PyFloat_FromDouble(load<double>(data));
    case FieldKind::boolean: return PyBool_FromLong(load<std::uint8_t>(data));
    case FieldKind::enumeration: return enumeration_member_of(field.type, load<std::int32_t>(data));
    default: PyErr_Format(PyExc_SystemError, "member '%s' is no scalar", field.name); return nullptr;
  }
}

int scalar_set(const FieldRow& field, char* data, PyObject* value, const Where& where) {
  switch (field.kind) {
    case FieldKind::i8: return set_integer<std::int8_t>(data, value, where);
    case FieldKind::u8: return set_integer<std::uint8_t>(data, value, where);
    case FieldKind::i16: return set_integer<std::int16_t>(data, value, where);
    case FieldKind::u16: return set_integer<std::uint16_t>(data, value, where);
    case FieldKind::i32: return set_integer<std::int32_t>(data, value, where);
    case FieldKind::u32: return set_integer<std::uint32_t>(data, value, where);
    case FieldKind::i64: return set_integer<std::int64_t>(data, value, where);
    case FieldKind::u64: return set_integer<std::uint64_t>(data, value, where);
    case FieldKind::f32: return set_f32(data, value, where);
    case FieldKind::f64: return set_f64(data, value, where);
    case FieldKind::boolean: return set_boolean(data, value, where);
    case FieldKind::enumeration: return set_enumeration(field.type, data, value, where);
    default: PyErr_Format(PyExc_SystemError, "member '%s' is no scalar", field.name); return -1;
  }
}

}  // namespace cuda_bindings
