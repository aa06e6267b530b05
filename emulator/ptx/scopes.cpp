// SPDX-License-Identifier: Apache-2.0
// Look-up of names through nested braces.
#include "ptx/scopes.hpp"

#include <cstddef>

namespace emulator::ptx {

void Scopes::enter() {
  scopes_.push_back({current_, {}, {}});
  current_ = static_cast<std::uint32_t>(scopes_.size() - 1);
}

bool Scopes::declare(std::string_view name, Entity entity) {
  return scopes_[current_].names.try_emplace(name, entity).second;
}

bool Scopes::declare_range(std::string_view prefix, std::uint32_t count, std::uint16_t bits) {
  return scopes_[current_].ranges.try_emplace(prefix, Range{count, bits}).second;
}

// A name may be cut into prefix and number in several ways: %r12 is number 12 of %r or number 2 of %r1.
std::optional<Entity> Scopes::make_register(Scope& scope, std::string_view name) {
  constexpr std::size_t longest_number = 7;
  std::uint32_t number = 0;
  std::uint32_t weight = 1;
  for (std::size_t digits = 1; digits <= longest_number && digits < name.size(); ++digits, weight *= 10) {
    const char digit = name[name.size() - digits];
    if (digit < '0' || digit > '9') return std::nullopt;
    number += weight * static_cast<std::uint32_t>(digit - '0');
    if (digit == '0' && digits > 1) continue;
    const auto range = scope.ranges.find(name.substr(0, name.size() - digits));
    if (range == scope.ranges.end() || number >= range->second.count) continue;
    const Entity entity{Entity::Kind::reg, static_cast<std::uint32_t>(registers_.size())};
    registers_.push_back({name, range->second.bits});
    scope.names.emplace(name, entity);
    return entity;
  }
  return std::nullopt;
}

std::optional<Entity> Scopes::find(std::string_view name) {
  for (std::uint32_t place = current_;; place = scopes_[place].parent) {
    Scope& scope = scopes_[place];
    if (!scope.names.empty()) {
      const auto found = scope.names.find(name);
      if (found != scope.names.end()) return found->second;
    }
    if (!scope.ranges.empty()) {
      if (const auto made = make_register(scope, name)) return made;
    }
    if (place == 0) return std::nullopt;
  }
}

std::optional<Entity> Scopes::find_from(std::uint32_t scope, std::string_view name) const {
  for (std::uint32_t place = scope;; place = scopes_[place].parent) {
    const auto found = scopes_[place].names.find(name);
    if (found != scopes_[place].names.end()) return found->second;
    if (place == 0) return std::nullopt;
  }
}

}  // namespace emulator::ptx
