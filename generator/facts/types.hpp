// SPDX-License-Identifier: Apache-2.0
// What the headers say, as flat values: no parser handle, no pointer between facts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bindgen::facts {

inline constexpr int schema_version = 2;

// module: "driver", "runtime", "nvrtc", "shared" (both APIs declare it) or "interop" (GL, EGL, VDPAU).
// Types are spelled as the header spells them, in canonical spacing: "const char *", "struct cudaExtent *".

struct Constant {
  std::string name;
  std::string module;
  std::string type;  // of the macro's expression: "int", "unsigned int", "CUstream"
  std::int64_t value = 0;
};

struct Typedef {
  std::string name;
  std::string module;
  std::string type;  // one level: CUdevice -> CUdevice_v1
};

struct Handle {  // a typedef of a pointer to a struct that no header defines
  std::string name;
  std::string module;
  std::string tag;
  bool is_const = false;
};

struct Parameter {
  std::string name;
  std::string type;
  std::string doc = "none";  // class of the documentation's wording, see comments.hpp; callbacks have none
};

struct Callback {  // a typedef of a pointer to a function
  std::string name;
  std::string module;
  std::string returns;
  std::vector<Parameter> params;
};

struct Enum {
  std::string name;  // of the typedef where there is one
  std::string tag;   // empty: tagless
  std::string module;
  std::string underlying;
  std::vector<std::pair<std::string, std::int64_t>> values;
};

struct Field {
  std::string name;  // empty: anonymous member
  std::uint64_t bits = 0;
  std::string type;                    // of the element, for an array
  std::optional<std::uint64_t> array;  // number of elements
};

struct Record {
  std::string name;  // tag, or Parent::member, or Parent::@0
  std::string module;
  std::uint64_t size = 0;
  std::uint64_t align = 0;
  std::vector<Field> fields;
  bool is_union = false;
  bool is_anonymous = false;
  std::string nested_in;  // record inside which the tag is declared
};

struct Function {
  std::string name;  // public
  std::string link;  // exported symbol
  std::string module;
  std::string returns;
  std::vector<Parameter> params;
  std::string ptds;                         // link name with a per-thread default stream, or empty
  std::optional<std::array<int, 2>> since;  // release that introduced this link name
  bool is_deprecated = false;
  bool is_inline = false;  // has a body in the header, is no symbol
  std::string visibility;  // "internal": only with __CUDA_API_VERSION_INTERNAL
  bool is_macro = false;   // the public name is a macro
  std::string group;       // of the documentation, "CUDA_MEM", or empty
};

struct Facts {
  std::vector<Constant> constants;
  std::vector<Typedef> typedefs;
  std::vector<Handle> handles;
  std::vector<Callback> callbacks;
  std::vector<Enum> enums;
  std::vector<Record> records;
  std::vector<Function> functions;
};

struct Position {
  std::string kind;
  std::string name;
  std::string header;  // relative to its header folder
  unsigned line = 0;
};

using Positions = std::vector<Position>;

}  // namespace bindgen::facts
