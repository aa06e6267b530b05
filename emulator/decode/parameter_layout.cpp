// SPDX-License-Identifier: Apache-2.0
// Where an entry's parameters lie in the parameter buffer.
#include "decode/parameter_layout.hpp"

#include <algorithm>

#include "decode/messages.hpp"

namespace emulator::decode {

ParameterLayout lay_out_parameters(const ptx::Module& module, const ptx::Function& entry) {
  // The ISA raised it with PTX 8.1 for Volta and later; the driver takes it in older PTX too.
  const std::uint64_t limit = module.target_capability >= 70 ? 32764 : 4096;
  ParameterLayout layout;
  std::uint64_t end = 0;
  for (const std::uint32_t id : entry.parameters) {
    const ptx::Variable& parameter = entry.variables[id];
    const std::uint64_t alignment = std::max<std::uint64_t>(parameter.alignment, 1);
    const std::uint64_t begin = (end + alignment - 1) / alignment * alignment;
    end = begin + parameter.size;
    if (parameter.size > limit || end > limit) {
      refuse(entry.line, "Formal parameter space overflowed in '" + std::string(entry.name) + "': more than " +
                             std::to_string(limit) + " bytes");
    }
    layout.parameters.push_back(
        {.offset = static_cast<std::uint32_t>(begin), .bytes = static_cast<std::uint32_t>(parameter.size)});
  }
  layout.bytes = static_cast<std::uint32_t>(end);
  return layout;
}

}  // namespace emulator::decode
