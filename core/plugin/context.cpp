#include "core/plugin/context.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "core/base/system/system_refusal.hpp"
#include "core/base/text/nearest.hpp"

namespace convoy::plugin {
namespace {

// No exception may leave these functions, because their callers are plain C.

void set_error(convoy_context* context, const char* text) noexcept {
  try {
    context->error = text == nullptr ? "" : text;
  } catch (...) {
    context->error.reset();  // out of memory: the status alone must do
  }
}

void log(convoy_context* context, std::int32_t level, const char* text) noexcept {
  try {
    const PluginSettings& settings = context->settings;
    if (settings.log && text != nullptr) settings.log(level, settings.label, text);
  } catch (...) {
    return;  // a sink that fails must not stop the training
  }
}

const char* option(convoy_context* context, const char* name) noexcept {
  try {
    const OptionValues& options = context->settings.options;
    const auto found = options.find(name);
    if (found != options.end()) return found->second.c_str();
    context->undeclared = name;
    return nullptr;
  } catch (...) {
    return nullptr;
  }
}

constexpr convoy_host kHost{
    .struct_size = sizeof(convoy_host), .set_error = set_error, .log = log, .option = option};

std::string meant_instead_of(const std::string& name, const std::vector<std::string>& known) {
  const std::vector<std::string> nearest = nearest_names(name, known);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(nearest, ", "));
}

// Returns a suggestion if the reason is an option that the plug-in misspells.
std::string meant_option(const convoy_context& context, const std::string& reason) {
  const std::string& name = context.undeclared;
  if (name.empty() || reason.find("'" + name + "'") == std::string::npos) return "";
  std::vector<std::string> known;
  for (const auto& [option, value] : context.settings.options) known.push_back(option);
  return meant_instead_of(name, known);
}

[[noreturn]] void fail_undeclared(const Manifest& manifest, const std::string& name) {
  std::vector<std::string> known;
  for (const OptionDeclaration& option : manifest.options) known.push_back(option.name);
  fail(ExitCode::kUsage, "{} {} has no option {}{}; `convoy info {}` lists its options",
       to_string(manifest.kind), manifest.name, name, meant_instead_of(name, known), manifest.name);
}

}  // namespace

std::string label_of(PluginKind kind, const std::string& name, const std::filesystem::path& file) {
  return fmt::format("{} {} ({})", to_string(kind), name, file.string());
}

OptionValues resolve_options(const Manifest& manifest, const OptionValues& given) {
  OptionValues resolved;
  for (const OptionDeclaration& option : manifest.options) {
    resolved[option.name] = option.default_value;
  }
  for (const auto& entry : given) {
    const std::string& name = entry.first;
    const std::string& value = entry.second;
    const auto option = std::find_if(manifest.options.begin(), manifest.options.end(),
                                     [&](const auto& known) { return known.name == name; });
    if (option == manifest.options.end()) fail_undeclared(manifest, name);
    try {
      resolved[name] = checked_option_value(*option, value);
    } catch (const std::invalid_argument& problem) {
      fail(ExitCode::kUsage, "--{}={}: {} {} takes {} (its default is '{}')", name, value,
           to_string(manifest.kind), manifest.name, problem.what(), option->default_value);
    }
  }
  return resolved;
}

const convoy_host& host_functions() {
  return kHost;
}

void fail_thrown(const PluginSettings& settings, std::string_view what) {
  std::string thrown = "an exception that is not a std::exception";
  try {
    throw;
  } catch (const std::exception& error) {
    thrown = fmt::format("an exception: {}", error.what());
  } catch (...) {
    // it has no text
  }
  fail(ExitCode::kUnavailable,
       "{}: {} failed: it threw {}; its functions are to return errors (rule 4 of convoy/abi.h)",
       settings.label, what, thrown);
}

void require_success(const convoy_context& context, std::int32_t status, std::string_view what,
                     ExitCode code) {
  if (status == 0) return;
  const std::string reason =
      context.error.value_or(fmt::format("it returned {} and gave no reason", status));
  fail(status == CONVOY_TIMED_OUT ? ExitCode::kTimeout : code, "{}: {} failed: {}",
       context.settings.label, what, with_advice(reason) + meant_option(context, reason));
}

}  // namespace convoy::plugin
