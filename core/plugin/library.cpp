#include "core/plugin/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <boost/dll/shared_library.hpp>
#include <cfenv>
#include <convoy/sized.hpp>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "core/base/error.hpp"
#include "core/base/system/system_refusal.hpp"
#include "core/plugin/child_call.hpp"
#include "core/plugin/culprit.hpp"
#include "core/plugin/device_plugin.hpp"
#include "core/plugin/elf_manifest.hpp"

namespace convoy::plugin {

class PluginHost::Library {
 public:
  explicit Library(boost::dll::shared_library file) : file_(std::move(file)) {}

  template <typename Entry>
  Entry* entry(const std::string& symbol) {
    return file_.has(symbol) ? &file_.get<Entry>(symbol) : nullptr;
  }

  // The plug-in's table in this host's size, kept as long as the library: a plug-in of an older or
  // newer version has fewer or more slots.
  template <typename Table>
  const Table* keep(const Table& given) {
    if (const Table* kept = std::get_if<Table>(&table_)) return kept;
    return &table_.emplace<Table>(read_table(given, "its table"));
  }
  const convoy_device_waking* keep_waking(const convoy_device_waking& given) {
    if (!waking_) waking_ = read_table(given, "its convoy_device_waking");
    return &*waking_;
  }

 private:
  boost::dll::shared_library file_;
  std::optional<convoy_device_waking> waking_;
  std::variant<std::monostate, convoy_strategy, convoy_model, convoy_device, convoy_transport>
      table_;
};

namespace {

// Opens a library and restores the thread's floating-point environment. A library that was linked
// with -ffast-math changes it: numbers near zero become zero.
boost::dll::shared_library load_file(const std::filesystem::path& path) {
  // The library has no name for RTLD_NODELETE and passes it on.
  using boost::dll::load_mode::type;
  constexpr auto kMode = static_cast<type>(RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  std::fenv_t before;
  std::fegetenv(&before);
  boost::dll::shared_library file(path.c_str(), kMode);
  std::fesetenv(&before);
  return file;
}

// A function pointer of a table, at its offset.
struct RequiredSlot {
  std::string_view name;
  std::size_t offset;
};

[[noreturn]] void fail_step(const std::filesystem::path& path, std::string_view step,
                            std::string_view reason, std::string_view action) {
  fail(ExitCode::kUnavailable, "plug-in {}: {} failed: {}; {}", path.string(), step, reason,
       action);
}

constexpr std::string_view kRebuild =
    "rebuild it with this convoy's headers, or ask its author for a version that fits";

#define CONVOY_SLOT(table, slot) \
  RequiredSlot {                 \
#slot, offsetof(table, slot) \
  }

constexpr RequiredSlot kStrategySlots[] = {CONVOY_SLOT(convoy_strategy, create),
                                           CONVOY_SLOT(convoy_strategy, destroy),
                                           CONVOY_SLOT(convoy_strategy, plan)};
constexpr RequiredSlot kModelSlots[] = {
    CONVOY_SLOT(convoy_model, create), CONVOY_SLOT(convoy_model, destroy),
    CONVOY_SLOT(convoy_model, info), CONVOY_SLOT(convoy_model, build)};
constexpr RequiredSlot kDeviceSlots[] = {CONVOY_SLOT(convoy_device, count),
                                         CONVOY_SLOT(convoy_device, open),
                                         CONVOY_SLOT(convoy_device, close),
                                         CONVOY_SLOT(convoy_device, describe),
                                         CONVOY_SLOT(convoy_device, propose_layout),
                                         CONVOY_SLOT(convoy_device, compile),
                                         CONVOY_SLOT(convoy_device, release),
                                         CONVOY_SLOT(convoy_device, allocate),
                                         CONVOY_SLOT(convoy_device, deallocate),
                                         CONVOY_SLOT(convoy_device, write),
                                         CONVOY_SLOT(convoy_device, read),
                                         CONVOY_SLOT(convoy_device, supports),
                                         CONVOY_SLOT(convoy_device, submit),
                                         CONVOY_SLOT(convoy_device, wait),
                                         CONVOY_SLOT(convoy_device, now)};
constexpr RequiredSlot kTransportSlots[] = {
    CONVOY_SLOT(convoy_transport, available), CONVOY_SLOT(convoy_transport, open),
    CONVOY_SLOT(convoy_transport, close),     CONVOY_SLOT(convoy_transport, describe),
    CONVOY_SLOT(convoy_transport, address),   CONVOY_SLOT(convoy_transport, connect),
    CONVOY_SLOT(convoy_transport, expect),    CONVOY_SLOT(convoy_transport, send),
    CONVOY_SLOT(convoy_transport, poll),      CONVOY_SLOT(convoy_transport, interrupt)};
#undef CONVOY_SLOT

// The table's size in ABI 1.0, which stays as it is when a later minor version adds slots, and the
// slots that it must have.
struct TableRules {
  std::uint64_t minimum;
  std::span<const RequiredSlot> slots;
};
template <typename Table>
constexpr TableRules kRules = {48, kStrategySlots};
template <>
constexpr TableRules kRules<convoy_model> = {48, kModelSlots};
template <>
constexpr TableRules kRules<convoy_device> = {136, kDeviceSlots};
template <>
constexpr TableRules kRules<convoy_transport> = {136, kTransportSlots};

template <typename Table>
void check_table(const Table* table, const std::filesystem::path& path) {
  constexpr std::string_view kStep = "checking its table";
  const auto& [minimum, slots] = kRules<Table>;
  if (table == nullptr) fail_step(path, kStep, "its entry point returned no table", kRebuild);
  if (table->struct_size >= offsetof(Table, abi_minor) + sizeof(table->abi_minor) &&
      table->abi_major != CONVOY_ABI_MAJOR) {
    fail_step(path, kStep,
              fmt::format("it is for plug-in ABI {}.{}, this convoy has {}.{}", table->abi_major,
                          table->abi_minor, CONVOY_ABI_MAJOR, CONVOY_ABI_MINOR),
              kRebuild);
  }
  if (table->struct_size < minimum) {
    fail_step(path, kStep,
              fmt::format("the table has {} bytes, ABI {}.0 has {}", table->struct_size,
                          CONVOY_ABI_MAJOR, minimum),
              kRebuild);
  }
  for (const RequiredSlot& slot : slots) {
    const void* function = nullptr;
    std::memcpy(&function, reinterpret_cast<const char*>(table) + slot.offset, sizeof function);
    if (function == nullptr) {
      fail_step(path, kStep, fmt::format("the required function '{}' is missing", slot.name),
                kRebuild);
    }
  }
}

std::string_view entry_macro(PluginKind kind) {
  constexpr std::array<std::string_view, kPluginKinds.size()> kMacros = {"STRATEGY", "MODEL",
                                                                         "DEVICE", "TRANSPORT"};
  return kMacros.at(static_cast<std::size_t>(kind));
}

std::string entry_symbol(PluginKind kind) {
  return fmt::format("convoy_{}_v{}", to_string(kind), CONVOY_ABI_MAJOR);
}

void check_traits(const FoundPlugin& plugin, std::uint32_t traits, std::uint32_t known) {
  if (const std::uint32_t unknown = traits & ~known)
    fail_step(plugin.path, "checking its table",
              fmt::format("it has traits {:#x}, which this convoy does not know", unknown),
              "take a newer convoy");
}

template <typename Entry>
auto enter_entry(const FoundPlugin& plugin, double patience, Entry* entry) {
  const PluginSettings settings{
      .label = label_of(plugin.manifest.kind, plugin.manifest.name, plugin.path),
      .patience = patience};
  return enter(settings, "giving its table", [entry] { return entry(); });
}

// Finds the entry point, calls it and checks what it returns.
template <typename Table, typename Library>
LoadedPlugin<Table> load_table(Library& library, const FoundPlugin& plugin, double patience) {
  const std::string symbol = entry_symbol(plugin.manifest.kind);
  auto* entry = library.template entry<const Table*()>(symbol);
  if (entry == nullptr) {
    fail_step(plugin.path, "finding its entry point",
              fmt::format("it exports no function {}", symbol),
              fmt::format("end its source with CONVOY_{}(...) or define the function",
                          entry_macro(plugin.manifest.kind)));
  }
  const Table* table = enter_entry(plugin, patience, entry);
  check_table(table, plugin.path);
  try {
    return {library.keep(*table), plugin.manifest, plugin.path, nullptr, patience};
  } catch (const UnusableStruct& error) {
    fail_step(plugin.path, "checking its table", error.what(), kRebuild);
  }
}

// Returns null when the library exports none, or one that lacks functions.
template <typename Library>
const convoy_device_waking* load_waking(Library& library, const FoundPlugin& plugin,
                                        double patience) {
  auto* entry = library.template entry<const convoy_device_waking*()>("convoy_device_waking_v1");
  const convoy_device_waking* given =
      entry == nullptr ? nullptr : enter_entry(plugin, patience, entry);
  if (given == nullptr) return nullptr;
  try {
    const convoy_device_waking* kept = library.keep_waking(*given);
    const bool whole =
        kept->advanced != nullptr && kept->listen != nullptr && kept->forget != nullptr;
    return whole ? kept : nullptr;
  } catch (const UnusableStruct& error) {
    fail_step(plugin.path, "checking convoy_device_waking_v1", error.what(), kRebuild);
  }
}

}  // namespace

PluginHost::PluginHost() = default;
PluginHost::~PluginHost() = default;

void PluginHost::try_first(const FoundPlugin& plugin, const std::string& doing,
                           const std::function<void()>& work) {
  if (is_child_call() || is_own(plugin)) return;
  const std::scoped_lock lock(mutex_);
  const auto known = culprits_.find(plugin.path);
  if (known != culprits_.end()) throw Error(ExitCode::kUnavailable, known->second);
  try {
    call_in_child(plugin, doing, patience_, [&] {
      try {
        work();
      } catch (const std::exception&) {
        // the caller runs `work` again and gets the exception there
      }
      return std::string();
    });
  } catch (const Error& error) {
    if (hurried_calls() != ExitCode::kOk) throw;  // the plug-in is not at fault
    culprits_.emplace(plugin.path, error.what());
    throw;
  }
}

std::vector<std::string> PluginHost::culprits() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> texts;
  for (const auto& [path, text] : culprits_) texts.push_back(text);
  return texts;
}

PluginHost::Library& PluginHost::open(const FoundPlugin& plugin, PluginKind wanted) {
  if (plugin.manifest.kind != wanted) {
    fail_step(plugin.path, "checking its kind",
              fmt::format("it is a {}, but a {} is wanted here", to_string(plugin.manifest.kind),
                          to_string(wanted)),
              "name a plug-in of that kind; `convoy list` shows them");
  }
  const std::filesystem::path real = std::filesystem::canonical(plugin.path);
  std::unique_ptr<Library>& library = libraries_[real];
  if (library != nullptr) return *library;
  // A null entry may stay behind: it is filled when the file is opened.
  try_first(plugin, "opening it", [&] {
    boost::dll::shared_library tried = load_file(real);
    const std::string entry = entry_symbol(plugin.manifest.kind);
    if (tried.has(entry)) tried.get<const void*()>(entry)();
  });
  boost::dll::shared_library file;
  try {
    file = load_file(real);
  } catch (const boost::system::system_error& error) {
    libraries_.erase(real);
    const std::string reason = error.what();
    if (const std::optional<std::string> with_limit = advised(reason))
      fail(ExitCode::kUnavailable, "plug-in {}: opening it failed: {}", plugin.path.string(),
           *with_limit);
    fail_step(plugin.path, "opening it", reason,
              "install the library it needs, or link it with -z defs to find missing symbols");
  }
  library = std::make_unique<Library>(std::move(file));
  if (!is_own(plugin)) {
    name_when_it_harms(label_of(wanted, plugin.manifest.name, plugin.path), real, patience_);
    watch_calls();
  }
  return *library;
}

double PluginHost::patience_with(const FoundPlugin& plugin) const {
  return is_own(plugin) ? 0 : patience_;
}

template <typename Table>
LoadedPlugin<Table> PluginHost::load(const FoundPlugin& plugin) {
  return load_table<Table>(open(plugin, kKindOf<Table>), plugin, patience_with(plugin));
}

LoadedPlugin<convoy_strategy> PluginHost::load_strategy(const FoundPlugin& plugin) {
  return load<convoy_strategy>(plugin);
}

LoadedPlugin<convoy_model> PluginHost::load_model(const FoundPlugin& plugin) {
  return load<convoy_model>(plugin);
}

LoadedPlugin<convoy_device> PluginHost::load_device(const FoundPlugin& plugin) {
  auto loaded = load<convoy_device>(plugin);
  check_traits(plugin, loaded.table->traits, CONVOY_DEVICES_ON_HOST_PROCESSORS);
  loaded.waking = load_waking(open(plugin, PluginKind::kDevice), plugin, loaded.patience);
  return loaded;
}

LoadedPlugin<convoy_transport> PluginHost::load_transport(const FoundPlugin& plugin) {
  auto loaded = load<convoy_transport>(plugin);
  check_traits(plugin, loaded.table->traits,
               CONVOY_TRANSPORT_ONE_MACHINE | CONVOY_TRANSPORT_LAUNCHED);
  return loaded;
}

}  // namespace convoy::plugin
