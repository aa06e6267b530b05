// SPDX-License-Identifier: Apache-2.0
// The plan: every decision that the templates print, as flat values.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "facts/types.hpp"

namespace bindgen::plan {

using Json = nlohmann::ordered_json;

// A class whose instances hold one C value: a pointer to something opaque, a function, or an integer of its own name.
struct HandleClass {
  std::string id;
  std::string name;
  std::string module;
  std::string kind;  // pointer, function, signed32, unsigned32, unsigned64
  std::string c_type;
  std::optional<std::string> base;   // id of the class it derives from
  std::vector<std::string> accepts;  // ids of other classes that an argument of this class takes
  std::string none = "null";         // what None stands for: "null", or "refuse"
};

struct EnumClass {
  std::string id;
  std::string name;
  std::string module;
  std::string c_type;
  std::string group;  // classes of one C type share it, and are interchangeable
  bool is_signed = false;
  std::vector<std::pair<std::string, std::int64_t>> values;
};

struct FieldPlan {
  std::string name;
  std::uint64_t offset = 0;
  std::string kind;
  std::optional<std::string> type;  // id of the class
  std::uint64_t count = 0;          // C array of so many
  bool is_hidden = false;           // not in repr
  bool is_readonly = false;
  std::optional<std::string> count_field;
  std::string c_type;
  std::int64_t initial = 0;  // what a new record holds
};

struct RecordClass {
  std::string id;
  std::string name;
  std::string module;
  std::string c_type;
  bool is_union = false;
  std::uint64_t size = 0;
  std::uint64_t align = 0;
  std::optional<std::string> base;
  bool is_nested = false;  // exists only inside a parent
  std::vector<FieldPlan> fields;
};

// How one C parameter is used: the line of directions.lock.
struct ParameterPlan {
  std::string name;
  std::string c_type;
  std::string role = "in";     // in, out, inout
  std::string alloc = "-";     // out and inout: callee gives the value (out), caller gives the memory
  std::string rank = "value";  // value, slot, buffer, string, address
  std::optional<std::string> length_from;
  std::optional<std::string> wrapper;
  bool is_nullable = false;
  std::string why;
  bool is_pointer = false;  // only pointers stand in the lock
};

struct Argument {
  std::string python;
  std::string convert;
  Json details = Json::object();  // the keys that 20-plan's table gives for this conversion
  std::optional<int> default_value;
  std::string annotation;
};

struct Output {
  std::string produce;
  Json details = Json::object();
  std::string annotation;
};

struct CallSlot {
  std::string c_type;
  std::string feed;  // output, argument, argument_count, part, null, output_count
  int index = -1;
  std::string part;
};

struct FunctionPlan {
  std::string name;
  std::string module;
  std::string link;
  std::string ptds;
  std::vector<std::string> aliases;
  std::string overload;
  std::string status;
  std::string result = "status";
  std::string result_type;
  bool is_bare = false;
  std::string gil = "release";
  std::optional<std::string> since;
  std::optional<std::string> abi_since;
  bool is_deprecated = false;
  std::string group;  // of the documentation, or empty
  bool is_inline = false;
  std::string prototype;
  std::string returns;
  std::vector<ParameterPlan> params;
  std::vector<Argument> arguments;
  std::vector<Output> outputs;
  std::vector<CallSlot> call;
  std::vector<Json> callbacks;  // what keeps callables alive: the keys that callback_arguments.cpp gives
};

// One argument of a callback: how Python's callable is told it.
struct CallbackArgument {
  std::string name;
  // user_data, handle, enumeration, record, text, length (of the text before it), signed_number, unsigned_number, address
  std::string kind;
  std::string c_type;               // as the call passes it: a pointer is void *, an enumerator an int
  std::optional<std::string> type;  // id of the class
  std::string annotation;
};

// A type of function that CUDA calls.
struct CallbackClass {
  std::string id;
  std::string name;
  std::string module;
  bool is_named = true;  // false: spelled in place, named after function and parameter
  std::string prototype;
  std::string returns;
  std::int64_t failed = 0;  // what C gets from a callable that raised
  std::vector<CallbackArgument> arguments;
};

struct Exclusion {
  std::string name;
  std::string reason;
};

struct Plan {
  std::string release;
  std::vector<facts::Constant> constants;
  std::vector<HandleClass> handles;
  std::vector<EnumClass> enums;
  std::vector<RecordClass> records;
  std::vector<CallbackClass> callbacks;
  std::vector<Json> types;  // C declarations in an order that a C compiler accepts
  std::vector<FunctionPlan> functions;
};

}  // namespace bindgen::plan
