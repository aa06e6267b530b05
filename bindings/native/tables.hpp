// SPDX-License-Identifier: Apache-2.0
// The rows of the generated tables: what the engine knows of every handle, record, enumeration and constant.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuda_bindings {

// A library, and the Python module of the same name.
enum Library : int { LIBRARY_DRIVER, LIBRARY_RUNTIME, LIBRARY_NVRTC, LIBRARY_COUNT };

// Stands for "no handle, record or enumeration" where a row refers to another.
inline constexpr std::int16_t NO_TYPE = -1;

enum class HandleKind : std::uint8_t { pointer, function, signed32, unsigned32, unsigned64 };

struct HandleRow {
  const char* name;
  Library module;
  HandleKind kind;
  bool none_is_null;            // an argument of None stands for 0; false: it is refused
  std::int16_t base;            // the class it derives from: a runtime twin names the driver's
  const std::int16_t* accepts;  // further classes that an argument of this class takes, closed by NO_TYPE
};

struct EnumerationValue {
  std::uint32_t name;  // where it begins in enumerator_names: no pointer, which the loader would have to relocate
  std::int64_t value;
};

struct EnumerationRow {
  const char* name;
  Library module;
  bool is_signed;      // the C type's underlying type
  std::int16_t group;  // classes of one C type share it
  std::uint16_t value_count;
  const EnumerationValue* values;
};

// What a member of a record holds. `count` > 0 in its row makes it an array of that kind.
enum class FieldKind : std::uint8_t {
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f32,
  f64,
  boolean,            // C bool
  enumeration,        // type: ENUM_*
  handle,             // type: HANDLE_*
  record,             // type: RECORD_*, by value
  address,            // void *; whatever Python object it points into is kept alive
  kernel_parameters,  // void ** kernelParams
  pointer,            // any other pointer: a plain number
  bytes,              // char[count], all of it
  text,               // char[count], read up to the first NUL
  record_list,        // pointer to records (type: RECORD_*), a list in Python
  handle_list,        // pointer to handles (type: HANDLE_*), a list in Python
  text_pointer,       // const char *, bytes in Python
  handle_view,        // pointer to one integer-like (type: HANDLE_*)
  callback,           // function pointer (type: HANDLE_*); count_field: the sibling with its user data
};

struct FieldRow {
  const char* name;
  std::uint32_t offset;
  FieldKind kind;
  bool hidden;  // left out of repr
  bool readonly;
  std::uint8_t initial;  // what a fresh record holds: dim3 starts at 1, as its C++ constructor leaves it
  std::int16_t type;
  std::uint16_t c_type;  // of member_types
  std::uint32_t count;
  const char* count_field;  // record_list, handle_list: the sibling that says how many, or nullptr; callback: see there
};

struct RecordRow {
  const char* name;
  Library module;
  bool is_union;
  std::int16_t base;  // the typedef's or tag's class it derives from
  std::uint16_t align;
  std::uint16_t field_count;  // 0 for a typedef's class: the fields are its base's
  std::uint32_t size;
  const FieldRow* fields;
};

struct ConstantRow {
  const char* name;
  Library module;
  std::int64_t value;
};

// Defined by the generated tables_*.cpp; indexed by the ids of generated/ids.hpp.
extern const HandleRow handle_rows[];
extern const RecordRow record_rows[];
extern const char* const member_types[];  // as C spells them
extern const EnumerationRow enumeration_rows[];
extern const char enumerator_names[];
extern const ConstantRow constant_rows[];

}  // namespace cuda_bindings
