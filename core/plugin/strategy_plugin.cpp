#include "core/plugin/strategy_plugin.hpp"

#include <convoy/sized.hpp>

#include <fmt/format.h>

#include <utility>

namespace convoy {
namespace {

// Every option with another value than its default, as on the command line.
std::string changed_options(const Manifest& manifest, const OptionValues& values) {
  std::string text;
  for (const OptionDeclaration& option : manifest.options) {
    const std::string& value = values.at(option.name);
    if (value != option.default_value) text += fmt::format(" --{}={}", option.name, value);
  }
  return text.empty() ? " this cluster" : text;
}

}  // namespace

StrategyPlugin::StrategyPlugin(LoadedPlugin<convoy_strategy> plugin, const OptionValues& options,
                               PluginLog log)
    : plugin_(std::move(plugin)),
      settings_(settings_of(PluginKind::kStrategy, plugin_, options, std::move(log))) {
  call(
      settings_, "creating it",
      [&](convoy_context* context) {
        return plugin_.table->create(context, &host_functions(), &self_);
      },
      ExitCode::kUnavailable, kAtLength);
}

StrategyPlugin::~StrategyPlugin() {
  leave(settings_, "destroying it", [&] { plugin_.table->destroy(self_); });
}

void StrategyPlugin::plan(const convoy_planner& planner) {
  if (try_first_) try_first_([&] { write(planner); });
  write(planner);
}

void StrategyPlugin::write(const convoy_planner& planner) {
  convoy_context context(settings_);
  const std::int32_t status = enter(
      settings_, "planning", [&] { return plugin_.table->plan(self_, &context, &planner); },
      kAtLength);
  if (status == CONVOY_REFUSED) {
    fail(ExitCode::kUsage, "strategy {} does not take{}: {}", plugin_.manifest.name,
         changed_options(plugin_.manifest, settings_.options),
         context.error.value_or("it gave no reason"));
  }
  require_success(context, status, "planning");
}

std::optional<convoy_kernel> StrategyPlugin::kernel(const std::string& name,
                                                    convoy_kernel_form form) {
  if (plugin_.table->kernel == nullptr) return std::nullopt;
  auto kernel = make_sized<convoy_kernel>();
  const auto ask = [&] {
    call(settings_, fmt::format("giving kernel '{}'", name), [&](convoy_context* context) {
      return plugin_.table->kernel(self_, context, name.c_str(), static_cast<std::uint32_t>(form),
                                   &kernel);
    });
  };
  if (try_first_) try_first_(ask);
  ask();
  const bool exists = kernel.function != nullptr || kernel.run != nullptr || kernel.text != nullptr;
  return exists ? std::optional(kernel) : std::nullopt;
}

}  // namespace convoy
