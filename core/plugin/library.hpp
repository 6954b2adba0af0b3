#pragma once

#include <convoy/abi.h>
#include <convoy/abi/waking.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/plugin/catalog.hpp"
#include "core/plugin/context.hpp"

namespace convoy::plugin {

// A loaded plug-in: its manifest and its table. The table is checked and has this host's size, so
// slots that the plug-in lacks are null. A test can also wrap a table that is part of the program.
template <typename Table>
struct LoadedPlugin {
  const Table* table = nullptr;
  Manifest manifest;
  std::filesystem::path path;
  // Only for devices that have it. Null: the host and the devices poll each other's timelines.
  const convoy_device_waking* waking = nullptr;
  double patience = 0;  // time limit of its calls, see PluginSettings
};

// The kind of plug-in whose table this is.
template <typename Table>
inline constexpr PluginKind kKindOf = PluginKind::kStrategy;
template <>
inline constexpr PluginKind kKindOf<convoy_model> = PluginKind::kModel;
template <>
inline constexpr PluginKind kKindOf<convoy_device> = PluginKind::kDevice;
template <>
inline constexpr PluginKind kKindOf<convoy_transport> = PluginKind::kTransport;

// A loaded plug-in with its options.
template <typename Table>
class ConfiguredPlugin {
 public:
  // Options as the user gave them; throws Error as resolve_options().
  ConfiguredPlugin(LoadedPlugin<Table> plugin, const OptionValues& options, PluginLog log = {})
      : plugin_(std::move(plugin)),
        settings_{label_of(kKindOf<Table>, plugin_.manifest.name, plugin_.path),
                  resolve_options(plugin_.manifest, options), std::move(log), plugin_.patience} {}

  const Manifest& manifest() const { return plugin_.manifest; }
  const Table& table() const { return *plugin_.table; }
  const OptionValues& options() const { return settings_.options; }
  const PluginSettings& settings() const { return settings_; }

 protected:
  const LoadedPlugin<Table>& plugin() const { return plugin_; }

 private:
  LoadedPlugin<Table> plugin_;
  PluginSettings settings_;
};

// The object that a strategy or a model makes of its options.
template <typename Table>
class PluginInstance : public ConfiguredPlugin<Table> {
 public:
  PluginInstance(LoadedPlugin<Table> plugin, const OptionValues& options, PluginLog log = {})
      : ConfiguredPlugin<Table>(std::move(plugin), options, std::move(log)) {
    const auto create = [this](convoy_context* context) {
      return this->table().create(context, &host_functions(), &self_);
    };
    call(this->settings(), "creating it", create, ExitCode::kUnavailable, kAtLength);
  }
  ~PluginInstance() {
    leave(this->settings(), "destroying it", [this] { this->table().destroy(self_); });
  }
  PluginInstance(const PluginInstance&) = delete;
  PluginInstance& operator=(const PluginInstance&) = delete;

 protected:
  void* self() const { return self_; }

 private:
  void* self_ = nullptr;
};

// Opens plug-in files. They stay loaded until the process ends, because a plug-in may have left
// threads behind that run its code. Loaded plug-ins are valid as long as the object that loaded
// them: construct it first and destroy it last.
class PluginHost {
 public:
  PluginHost();
  ~PluginHost();
  PluginHost(const PluginHost&) = delete;
  PluginHost& operator=(const PluginHost&) = delete;

  // Each throws Error with exit code kUnavailable: path, step, reason and what to do.
  LoadedPlugin<convoy_strategy> load_strategy(const FoundPlugin& plugin);
  LoadedPlugin<convoy_model> load_model(const FoundPlugin& plugin);
  LoadedPlugin<convoy_device> load_device(const FoundPlugin& plugin);
  LoadedPlugin<convoy_transport> load_transport(const FoundPlugin& plugin);

  // The time limit for plug-ins that did not come with this convoy: of a trial, see below, and
  // later of a call that should return at once, see WatchedCall.
  void set_patience(double seconds) { patience_ = seconds; }
  // Runs `work`, which calls the plug-in, in a child process, before the caller runs it in this
  // one. Does nothing for plug-ins that came with this convoy. Error kUnavailable, naming the
  // plug-in, if it crashes, ends the process, changes its Surroundings or takes too long; every
  // later trial of it then fails likewise. Errors of `work` are ignored, because they will occur
  // again. Must not run beside the threads of in_parallel(), see require_no_other_work().
  void try_first(const FoundPlugin& plugin, const std::string& doing,
                 const std::function<void()>& work);
  // The failures of these trials.
  std::vector<std::string> culprits() const;

 private:
  class Library;
  Library& open(const FoundPlugin& plugin, PluginKind wanted);
  template <typename Table>
  LoadedPlugin<Table> load(const FoundPlugin& plugin);
  double patience_with(const FoundPlugin& plugin) const;

  std::map<std::filesystem::path, std::unique_ptr<Library>> libraries_;
  double patience_ = 10;
  mutable std::mutex mutex_;                               // guards culprits_
  std::map<std::filesystem::path, std::string> culprits_;  // why the file is not called any more
};

}  // namespace convoy::plugin
