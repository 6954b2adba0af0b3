// Opening plug-ins: every defect ends with the path, the step, the reason and what to do.

#include <gtest/gtest.h>

#include <cfenv>

#include "core/plugin/library.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "tests/plugin/fixtures.hpp"

namespace convoy::plugin {
namespace {

void expect_load_error(const std::string& name, std::initializer_list<std::string> parts) {
  std::vector<std::string> all(parts);
  all.push_back(fixture(name).string());
  for (const std::string& part : all) {
    expect_error(ExitCode::kUnavailable, {part}, [&] {
      PluginHost host;
      StrategyPlugin strategy(host.load_strategy(read_plugin(fixture(name))), {});
    });
  }
}

TEST(Loading, GivesAWorkingInstance) {
  PluginHost host;
  const FoundPlugin found = read_plugin(fixture("good"));
  const auto first = host.load_strategy(found);
  EXPECT_EQ(first.table, host.load_strategy(found).table) << "opened twice";
  StrategyPlugin strategy(first, {{"count", "5"}});
  EXPECT_EQ(strategy.manifest().name, "good");
  EXPECT_EQ(strategy.options().at("count"), "5");
  EXPECT_FALSE(strategy.kernel("any", CONVOY_KERNEL_HOST).has_value());
}

TEST(Loading, ComputesAsBefore) {
  PluginHost host;
  host.load_strategy(read_plugin(fixture("rounds_down")));
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(Loading, ReportsAWrongAbiMajor) {
  expect_load_error("wrong_major",
                    {"checking its table failed", "it is for plug-in ABI 2.0, this convoy has 1.0",
                     "rebuild it"});
}

TEST(Loading, ReportsAShortTable) {
  expect_load_error("short_table", {"the table has 32 bytes, ABI 1.0 has 48", "rebuild it"});
}

TEST(Loading, ReportsAMissingFunction) {
  expect_load_error("null_slot", {"the required function 'plan' is missing"});
}

TEST(Loading, ReportsAMissingTable) {
  expect_load_error("null_table", {"its entry point returned no table"});
}

TEST(Loading, ReportsAMissingEntryPoint) {
  expect_load_error("no_entry", {"finding its entry point failed",
                                 "it exports no function convoy_strategy_v1", "CONVOY_STRATEGY"});
}

TEST(Loading, ReportsAnUndefinedSymbol) {
  expect_load_error("undefined_symbol",
                    {"opening it failed", "a_function_that_nobody_has_written", "-z defs"});
}

TEST(Loading, ReportsAnotherKindThanItsManifestSays) {
  expect_error(ExitCode::kUnavailable, {"it exports no function convoy_model_v1"}, [] {
    PluginHost host;
    host.load_model(read_plugin(fixture("other_kind")));
  });
}

TEST(Loading, ReportsAnotherKindThanWanted) {
  expect_error(ExitCode::kUnavailable, {"checking its kind failed", "it is a strategy"}, [] {
    PluginHost host;
    host.load_device(read_plugin(fixture("good")));
  });
}

TEST(Loading, ReportsWhyAnInstanceCannotBeCreated) {
  expect_load_error("create_fails", {"creating it failed: the moon is not full"});
  expect_load_error("create_fails_silently", {"creating it failed: it returned 42"});
}

TEST(Loading, TurnsExceptionsOfConstructorsIntoErrors) {
  expect_load_error("throws_in_create", {"creating it failed: the constructor gave up"});
  expect_load_error("throws_int_in_create", {"creating it failed: an exception that is not"});
}

TEST(Loading, NoticesThatTheNoisyFixtureWorks) {
  testing::internal::CaptureStdout();
  PluginHost host;
  host.load_strategy(read_plugin(fixture("noisy")));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "noisy was opened\n");
}

TEST(Loading, RefusesOptionsBeforeCreating) {
  expect_error(ExitCode::kUsage, {"strategy good has no option cont", "did you mean count?"}, [] {
    PluginHost host;
    StrategyPlugin strategy(host.load_strategy(read_plugin(fixture("good"))), {{"cont", "5"}});
  });
}

}  // namespace
}  // namespace convoy::plugin
