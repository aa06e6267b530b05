// SPDX-License-Identifier: Apache-2.0
// Loading a module: parse, check, decode, lay out, place variables.
#include "decode/module.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "common/options.hpp"
#include "decode/call_graph.hpp"
#include "decode/initialisers.hpp"
#include "decode/instructions.hpp"
#include "decode/messages.hpp"
#include "decode/shared_layout.hpp"
#include "ptx/parser.hpp"

namespace emulator {

/// What a loaded module keeps.
struct Module::State {
  explicit State(AddressSpace& memory) : variable_memory(memory) {}

  decode::VariableMemory variable_memory;
  std::vector<std::unique_ptr<Function>> functions;
  DecodedModule code;
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::unordered_map<std::string, const Kernel*, SpellingHash, std::equal_to<>> kernels_by_name;
  std::unordered_map<std::string, GlobalVariable, SpellingHash, std::equal_to<>> variables;
};

namespace {

constexpr unsigned newest_ptx_version = 90;
constexpr unsigned oldest_target = 50;

std::string dotted(unsigned number) { return std::to_string(number / 10) + "." + std::to_string(number % 10); }

// The newest PTX that the driver which is played knows; each release of CUDA brings one, but for a few.
unsigned newest_version_of(int driver) {
  struct Row {
    int driver;
    unsigned version;
  };
  constexpr Row rows[] = {{12000, 80}, {12010, 81}, {12020, 82}, {12030, 83}, {12040, 84},
                          {12050, 85}, {12070, 86}, {12080, 87}, {12090, 88}, {13000, newest_ptx_version}};
  // 11.0 to 11.8 know 7.0 to 7.8.
  unsigned newest = 70 + static_cast<unsigned>(driver % 1000 / 10);
  for (const Row& row : rows) {
    if (row.driver <= driver) newest = row.version;
  }
  return newest;
}

void check_version(const ptx::Module& module) {
  const unsigned newest = newest_version_of(options().driver_version);
  if (module.version > newest) {
    throw LoadError(result::unsupported_ptx_version, module.version_line,
                    "Unsupported .version " + dotted(module.version) + "; current version is '" + dotted(newest) + "'");
  }
}

void check_target(const ptx::Module& module) {
  const unsigned claimed = options().compute_capability;
  const std::string target(module.target);
  if (module.target_is_specific) {
    decode::refuse(module.target_line, ".target " + target +
                                           " is for one architecture only; the emulated device takes sm_" +
                                           std::to_string(claimed) + " and lower without a suffix");
  }
  if (module.target_capability > claimed) {
    decode::refuse(module.target_line, "PTX was compiled for " + target +
                                           "; the emulated device claims compute capability " + dotted(claimed) +
                                           " (CUDA_BINDINGS_EMULATOR_CC sets it)");
  }
  if (module.target_capability < oldest_target) {
    decode::refuse(module.target_line, ".target " + target + " is older than sm_" + std::to_string(oldest_target));
  }
}

void decode_function(decode::ModuleDraft& module, std::uint32_t index) {
  decode::FunctionDraft draft(module, index);
  decode::decode_register_parameters(draft);
  for (const ptx::Instruction& instruction : draft.syntax.instructions) decode::decode_instruction(draft, instruction);
  ptx::Instruction end;
  end.opcode = "ret";
  end.line = draft.syntax.instructions.empty() ? draft.syntax.line : draft.syntax.instructions.back().line;
  decode::decode_instruction(draft, end);
  draft.finish();
}

std::uint32_t threads_of(const std::array<std::uint32_t, 3>& sizes) {
  std::uint64_t product = 1;
  for (const std::uint32_t size : sizes) product *= std::min<std::uint64_t>(std::max(size, 1u), 1024);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(product, 1024));
}

/// Threads that .maxntid or .reqntid allow.
std::uint32_t thread_limit(const ptx::Function& entry) {
  if (entry.required_threads[0] != 0) return threads_of(entry.required_threads);
  return entry.max_threads[0] != 0 ? threads_of(entry.max_threads) : 1024;
}

/// Registers a thread that the entry's own directives leave: ptxas would spill to keep them.
std::uint32_t register_limit(const ptx::Function& entry) {
  constexpr std::uint32_t of_a_processor = 65536;
  const bool is_bounded = entry.max_threads[0] != 0 || entry.required_threads[0] != 0;
  const std::uint32_t blocks = std::clamp(entry.min_blocks, 1u, 32u);
  std::uint32_t limit = is_bounded ? std::max(of_a_processor / (thread_limit(entry) * blocks), 8u) : 255;
  if (entry.max_registers != 0) limit = std::min(limit, std::max(entry.max_registers, 8u));
  return limit;
}

std::unique_ptr<Kernel> make_kernel(const decode::ModuleDraft& draft, const decode::EntryReach& reach,
                                    const decode::SharedUse& shared) {
  const decode::FunctionSymbol& entry = draft.functions[reach.functions.front()];
  auto kernel = std::make_unique<Kernel>();
  kernel->function = entry.code.get();
  kernel->name = entry.code->name;
  kernel->parameters = entry.parameters.parameters;
  kernel->parameter_bytes = entry.parameters.bytes;
  kernel->static_shared = shared.static_bytes;
  kernel->dynamic_shared_alignment = shared.dynamic_alignment;
  kernel->local_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(reach.local_bytes, 512 * 1024));
  kernel->calls_itself = reach.calls_itself;
  kernel->max_threads = thread_limit(*entry.syntax);
  std::copy(entry.syntax->required_threads.begin(), entry.syntax->required_threads.end(), kernel->required_threads);
  kernel->constant_bytes = static_cast<std::uint32_t>(decode::constant_bytes(draft));
  kernel->entry_address = entry.reach.takes_parameter_address;
  kernel->ptx_version = draft.syntax.version;
  kernel->target = draft.syntax.target_capability;
  std::uint32_t live = 0;
  for (const std::uint32_t index : reach.functions) {
    live = std::max(live, draft.functions[index].live_units);
    kernel->uses_grid_sync |= draft.functions[index].reach.reads_grid_workspace;
  }
  kernel->registers = std::min(std::clamp(live, 8u, 255u), register_limit(*entry.syntax));
  return kernel;
}

/// Puts addresses, known by now, into the functions' constants.
void resolve_addresses(const decode::ModuleDraft& draft, const AddressSpace& memory) {
  for (const decode::FunctionSymbol& function : draft.functions) {
    for (const decode::AddressConstant& use : function.addresses) {
      FrameConstant& constant = function.code->constants[use.constant];
      constant.value = decode::symbol_value(draft, use.symbol, memory) + static_cast<std::uint64_t>(use.addend);
      if (constant.bytes == 4) constant.value &= 0xffffffffu;
    }
  }
}

}  // namespace

std::unique_ptr<Module> Module::load(std::string text, AddressSpace& memory) {
  const ptx::Module syntax = ptx::parse(text);
  check_version(syntax);
  check_target(syntax);
  auto state = std::make_unique<State>(memory);
  decode::ModuleDraft draft(syntax, opcode_table());
  std::vector<decode::EntryReach> entries;
  for (std::uint32_t i = 0; i < draft.functions.size(); ++i) {
    if (draft.functions[i].code != nullptr) decode_function(draft, i);
  }
  const decode::CallGraph graph(draft);
  for (std::uint32_t i = 0; i < draft.functions.size(); ++i) {
    const decode::FunctionSymbol& function = draft.functions[i];
    if (function.syntax->is_entry && function.code != nullptr) entries.push_back(graph.reach_of(i));
  }
  const std::vector<decode::SharedUse> shared = decode::lay_out_shared(draft, entries);
  state->variable_memory.place(draft);
  resolve_addresses(draft, memory);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Kernel& kernel = *state->kernels.emplace_back(make_kernel(draft, entries[i], shared[i]));
    kernel.module = &state->code;
    state->kernels_by_name.emplace(kernel.name, &kernel);
  }
  for (const decode::ModuleVariable& variable : draft.variables) {
    if (variable.syntax->is_external) continue;
    std::string name(variable.syntax->name);
    state->variables.emplace(name, GlobalVariable{name, variable.address, variable.syntax->size});
  }
  for (decode::FunctionSymbol& function : draft.functions) {
    if (function.code == nullptr) continue;
    state->code.functions.push_back(function.code.get());
    state->functions.push_back(std::move(function.code));
  }
  state->code.spellings = std::move(draft.spellings);
  state->code.files = syntax.files;
  return std::unique_ptr<Module>(new Module(std::move(state)));
}

Module::Module(std::unique_ptr<State> state) : state_(std::move(state)) {}

Module::~Module() = default;

const Kernel* Module::kernel(std::string_view name) const {
  const auto found = state_->kernels_by_name.find(name);
  return found == state_->kernels_by_name.end() ? nullptr : found->second;
}

std::vector<const Kernel*> Module::kernels() const {
  std::vector<const Kernel*> all;
  for (const std::unique_ptr<Kernel>& kernel : state_->kernels) all.push_back(kernel.get());
  return all;
}

std::optional<GlobalVariable> Module::variable(std::string_view name) const {
  const auto found = state_->variables.find(name);
  if (found == state_->variables.end()) return std::nullopt;
  return found->second;
}

const DecodedModule& Module::code() const { return state_->code; }

}  // namespace emulator
