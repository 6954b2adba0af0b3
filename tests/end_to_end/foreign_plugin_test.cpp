// Plug-ins of others that crash, hang or end the process: they are named, and whoever did not ask
// for them goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "tests/end_to_end/run_program.hpp"
#include "tests/sanitized.hpp"

namespace convoy::foreign_plugin_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kFolder = CONVOY_HOSTILE_PLUGINS;

std::vector<std::string> run_of(const std::string& strategy) {
  return {"run",
          "--model=lenet",
          "--device=cpu",
          "--num_devices=1",
          "--num_batches=2",
          "--batch_size=2",
          "--num_warmup_batches=0",
          "--plugin_timeout=0.3",
          "--plugin_path=" + kFolder,
          "--variable_update=" + strategy};
}

struct Fault {
  const char* strategy;
  const char* doing;
  const char* what;
};

class Hostile : public ::testing::TestWithParam<Fault> {};

TEST_P(Hostile, IsNamedWhenItIsAskedFor) {
  const std::string_view strategy = GetParam().strategy;
  if (kSanitized && strategy != "hostile_loop" && strategy != "hostile_sleep")
    GTEST_SKIP() << "the sanitizer has an end of its own for such a process";
  const ProgramResult result = run_convoy(run_of(GetParam().strategy));
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr(std::string("strategy ") + GetParam().strategy), HasSubstr(kFolder),
                    HasSubstr(GetParam().doing), HasSubstr(GetParam().what)));
}

INSTANTIATE_TEST_SUITE_P(
    Strategies, Hostile,
    ::testing::Values(Fault{"hostile_crash", "planning", "it crashed: signal 11"},
                      Fault{"hostile_loop", "planning", "it was not done after 0.3 seconds"},
                      Fault{"hostile_sleep", "planning", "it was not done after 0.3 seconds"},
                      Fault{"hostile_exit", "planning", "it ended the process with code 0"},
                      Fault{"hostile_throw", "planning", "it crashed: signal 6"},
                      Fault{"hostile_overrun", "planning", "it crashed: signal"},
                      Fault{"hostile_load", "opening it", "it crashed: signal 11"}),
    [](const auto& fault) { return std::string(fault.param.strategy); });

TEST(HostileStrategies, AreLeftOutByAutoAndNamed) {
  std::vector<std::string> arguments = run_of("auto");
  arguments.emplace_back("--auto=simulate");
  const ProgramResult result = run_convoy(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("total images/sec"));
  for (const char* name : {"crash", "loop", "sleep", "exit", "throw", "overrun", "load"})
    EXPECT_THAT(result.err, HasSubstr(std::string("left out: strategy hostile_") + name));
}

}  // namespace
}  // namespace convoy::foreign_plugin_test
