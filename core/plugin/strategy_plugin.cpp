#include "core/plugin/strategy_plugin.hpp"

#include <convoy/sized.hpp>

#include <fmt/format.h>

namespace convoy::plugin {
namespace {

// Returns every option whose value is not its default, as on the command line.
std::string changed_options(const Manifest& manifest, const OptionValues& values) {
  std::string text;
  for (const OptionDeclaration& option : manifest.options) {
    const std::string& value = values.at(option.name);
    if (value != option.default_value) text += fmt::format(" --{}={}", option.name, value);
  }
  return text.empty() ? " this cluster" : text;
}

}  // namespace

void StrategyPlugin::plan(const convoy_planner& planner) {
  if (try_first_) try_first_([&] { write(planner); });
  write(planner);
}

void StrategyPlugin::write(const convoy_planner& planner) {
  convoy_context context(settings());
  const std::int32_t status = enter(
      settings(), "planning", [&] { return table().plan(self(), &context, &planner); }, kAtLength);
  if (status == CONVOY_REFUSED) {
    fail(ExitCode::kUsage, "strategy {} does not take{}: {}", manifest().name,
         changed_options(manifest(), settings().options),
         context.error.value_or("it gave no reason"));
  }
  require_success(context, status, "planning");
}

std::optional<convoy_kernel> StrategyPlugin::kernel(const std::string& name,
                                                    convoy_kernel_form form) {
  if (table().kernel == nullptr) return std::nullopt;
  auto kernel = make_sized<convoy_kernel>();
  const auto ask = [&] {
    call(settings(), fmt::format("giving kernel '{}'", name), [&](convoy_context* context) {
      return table().kernel(self(), context, name.c_str(), static_cast<std::uint32_t>(form),
                            &kernel);
    });
  };
  if (try_first_) try_first_(ask);
  ask();
  const bool exists = kernel.function != nullptr || kernel.run != nullptr || kernel.text != nullptr;
  return exists ? std::optional(kernel) : std::nullopt;
}

}  // namespace convoy::plugin
