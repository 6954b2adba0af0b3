#pragma once

#include <convoy/abi/common.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/plugin/culprit.hpp"
#include "core/plugin/manifest.hpp"
#include "core/plugin/watched_call.hpp"

namespace convoy::plugin {

// Receives what plug-ins log, from any thread. The level is a convoy_log_level.
using PluginLog =
    std::function<void(std::int32_t level, std::string_view plugin, std::string_view text)>;

// Option values by name, as given by the user.
using OptionValues = std::map<std::string, std::string>;

// The value of every declared option: given, or the default. Throws Error with exit code kUsage
// for an undeclared name or a value that the option does not take.
OptionValues resolve_options(const Manifest& manifest, const OptionValues& given);

// The host's data of one plug-in instance. Must outlive it.
struct PluginSettings {
  std::string label;          // for messages, as label_of()
  OptionValues options = {};  // resolved
  PluginLog log = {};         // may be empty
  // Time limit in seconds of a call that should return at once, see WatchedCall; 0: none.
  double patience = 0;
};

// "strategy independent (/opt/convoy/independent.so)": a plug-in in messages.
std::string label_of(PluginKind kind, const std::string& name, const std::filesystem::path& file);

// The host's functions, the same for every instance.
const convoy_host& host_functions();

}  // namespace convoy::plugin

// One call into a plug-in. Made on the stack of the calling thread, so that calls from several
// threads keep their error texts apart.
struct convoy_context {
  explicit convoy_context(const convoy::plugin::PluginSettings& plugin) : settings(plugin) {}

  const convoy::plugin::PluginSettings& settings;
  std::optional<std::string> error;
  std::string undeclared = {};  // the last option asked for that the manifest does not declare
};

namespace convoy::plugin {

// Turns a non-zero status into an Error that names the plug-in, what was called and its reason;
// CONVOY_TIMED_OUT is always kTimeout.
void require_success(const convoy_context& context, std::int32_t status, std::string_view what,
                     ExitCode code = ExitCode::kFailed);

// Seconds that a call may take in addition to its plug-in's patience: if it should return at once,
// and if it compiles, measures or plans.
constexpr double kPromptly = 0;
constexpr double kAtLength = 600;

// Called in a catch block, because no exception may leave a plug-in. Throws Error kUnavailable,
// which names the plug-in, the call and what was thrown.
[[noreturn]] void fail_thrown(const PluginSettings& settings, std::string_view what);

// Calls `slot`, which runs the plug-in's code, as a watched call. Returns its result.
template <typename Slot>
auto enter(const PluginSettings& settings, std::string_view what, Slot slot,
           double more = kPromptly) {
  const WatchedCall watched(settings.label.c_str(), what, settings.patience, more);
  try {
    return slot();
  } catch (...) {
    fail_thrown(settings, what);
  }
}

// Likewise for functions that free something; if one throws, the process ends.
template <typename Slot>
void leave(const PluginSettings& settings, std::string_view what, Slot slot) noexcept {
  try {
    enter(settings, what, slot);
  } catch (const Error& error) {
    end_with(error);
  }
}

// Calls a table slot with a fresh context: call(settings, "plan", [&](convoy_context* context) {
// return table.plan(self, context, &planner); }).
template <typename Slot>
void call(const PluginSettings& settings, std::string_view what, Slot slot,
          ExitCode code = ExitCode::kFailed, double more = kPromptly) {
  convoy_context context(settings);
  const std::int32_t status = enter(
      settings, what, [&] { return slot(&context); }, more);
  require_success(context, status, what, code);
}

}  // namespace convoy::plugin
