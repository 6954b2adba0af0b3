#include "core/plugin/context.hpp"

#include <gtest/gtest.h>

#include <convoy/device.hpp>

#include <stdexcept>

#include "tests/plugin/fixtures.hpp"

namespace convoy::plugin {
namespace {

Manifest manifest_with_options() {
  Manifest manifest;
  manifest.name = "x";
  manifest.options = {{.name = "size", .type = OptionType::kInt, .default_value = "4"},
                      {.name = "fast", .type = OptionType::kBool, .default_value = "true"}};
  return manifest;
}

TEST(Options, AreTheDefaultsUnlessGiven) {
  const OptionValues values = resolve_options(manifest_with_options(), {{"fast", "0"}});
  EXPECT_EQ(values, (OptionValues{{"size", "4"}, {"fast", "false"}}));
}

TEST(Options, OfTheWrongTypeAreRefused) {
  expect_error(ExitCode::kUsage, {"--size=big", "strategy x takes an integer", "default is '4'"},
               [] {
                 resolve_options(manifest_with_options(), {{"size", "big"}});
               });
}

TEST(Host, AnswersOptionsAndForwardsLogs) {
  std::string line;
  const PluginSettings settings{
      .label = "strategy x",
      .options = {{"size", "4"}},
      .log = [&](std::int32_t level, std::string_view plugin, std::string_view text) {
        line = std::to_string(level) + std::string(plugin) + ": " + std::string(text);
      }};
  const convoy_host& host = host_functions();
  call(settings, "testing", [&](convoy_context* context) {
    EXPECT_STREQ(host.option(context, "size"), "4");
    EXPECT_EQ(host.option(context, "undeclared"), nullptr);
    host.log(context, CONVOY_LOG_WARNING, "careful");
    return 0;
  });
  EXPECT_EQ(line, "2strategy x: careful");
}

TEST(Host, CopiesErrorTextsAndNamesThePlugin) {
  const PluginSettings settings{.label = "strategy x (x.so)", .options = {}, .log = {}};
  expect_error(ExitCode::kFailed, {"strategy x (x.so): planning failed: gone soon"}, [&] {
    call(settings, "planning", [](convoy_context* context) {
      std::string text = "gone soon";
      host_functions().set_error(context, text.c_str());
      text.assign(text.size(), '#');
      return 7;
    });
  });
}

TEST(Host, TellsATimeoutOfADeviceFromOtherFailures) {
  const PluginSettings settings{.label = "device x", .options = {}, .log = {}};
  expect_error(ExitCode::kTimeout, {"device x: running operations failed: rank 1 did not come"},
               [&] {
                 call(settings, "running operations", [](convoy_context* context) {
                   return detail::guarded(&host_functions(), context, CONVOY_FAILED,
                                          [] { throw TimedOut("rank 1 did not come"); });
                 });
               });
}

TEST(Host, KeepsExceptionsOfTheLogAwayFromPlugins) {
  const PluginSettings settings{
      .label = "x", .options = {}, .log = [](auto...) { throw std::runtime_error("disk full"); }};
  EXPECT_NO_THROW(call(settings, "logging", [](convoy_context* context) {
    host_functions().log(context, CONVOY_LOG_INFO, "text");
    return 0;
  }));
}

}  // namespace
}  // namespace convoy::plugin
