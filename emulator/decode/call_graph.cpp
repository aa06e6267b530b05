// SPDX-License-Identifier: Apache-2.0
// Who calls whom, once all functions are decoded.
#include "decode/call_graph.hpp"

#include <algorithm>

namespace emulator::decode {
namespace {

void add_once(std::vector<std::uint32_t>& list, std::uint32_t item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

}  // namespace

CallGraph::CallGraph(const ModuleDraft& module) : module_(module), calls_(module.functions.size()) {
  for (const FunctionSymbol& function : module.functions) {
    for (const std::uint32_t taken : function.reach.addresses_taken) add_once(address_taken_, taken);
  }
  for (const ModuleVariable& variable : module.variables) {
    for (const ptx::Relocation& relocation : variable.syntax->relocations) {
      const SymbolRef ref = module.find(relocation.symbol);
      if (ref.kind == SymbolKind::function) add_once(address_taken_, ref.index);
    }
  }
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const Reach& reach = module.functions[i].reach;
    for (const std::uint32_t callee : reach.calls) add_once(calls_[i], callee);
    if (!reach.calls_indirectly) continue;
    for (const std::uint32_t callee : address_taken_) add_once(calls_[i], callee);
  }
}

EntryReach CallGraph::reach_of(std::uint32_t entry) const {
  // Depth first; `depth` is known once all callees of a function are done.
  enum class State : std::uint8_t { fresh, open, done };
  struct Visit {
    std::uint32_t function;
    std::size_t next;
  };
  EntryReach reach;
  std::vector<State> states(calls_.size(), State::fresh);
  std::vector<std::uint64_t> depth(calls_.size(), 0);
  std::vector<Visit> path{{entry, 0}};
  states[entry] = State::open;
  reach.functions.push_back(entry);
  while (!path.empty()) {
    Visit& visit = path.back();
    const std::uint32_t function = visit.function;
    const std::vector<std::uint32_t>& callees = calls_[function];
    if (visit.next < callees.size()) {
      const std::uint32_t callee = callees[visit.next++];
      reach.calls_itself |= states[callee] == State::open;
      if (states[callee] != State::fresh) continue;
      states[callee] = State::open;
      reach.functions.push_back(callee);
      path.push_back({callee, 0});
      continue;
    }
    for (const std::uint32_t callee : callees) depth[function] = std::max(depth[function], depth[callee]);
    const FunctionSymbol& symbol = module_.functions[function];
    if (symbol.code != nullptr) depth[function] += symbol.code->local_bytes;
    reach.calls_itself |= symbol.reach.calls_indirectly;
    states[function] = State::done;
    path.pop_back();
  }
  reach.local_bytes = depth[entry];
  return reach;
}

}  // namespace emulator::decode
