// SPDX-License-Identifier: Apache-2.0
// Who reads and writes a member: functions chosen by its kind when the class is made, so that an access decides nothing.
#pragma once

#include "native/record_members.hpp"

namespace cuda_bindings {

/// Stands for "no view" where a member is no nested record and no handle.
inline constexpr std::int16_t NO_VIEW = -1;

/// One member of a class: what its descriptor and the table of attributes know. Never freed.
struct Member {
  const FieldRow* field;
  getter get;  // with the member itself as the closure
  setter set;
  std::uint32_t offset;
  std::int16_t type;
  std::int16_t view;  // the place of its view among those of a record
};

/// The member of a row's field. `views` counts the members that have views.
Member member_of(const RecordRow& row, const FieldRow& field, std::int16_t* views);

}  // namespace cuda_bindings
