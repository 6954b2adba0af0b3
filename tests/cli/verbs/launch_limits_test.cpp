#include "core/cli/verbs/launch_limits.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/cli/verbs/verbs.hpp"
#include "tests/cli/verb_outcome.hpp"

namespace convoy::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

TEST(LaunchLimits, UsualNumbersOfTasksAreFineOnFewCores) {
  for (const std::uint32_t tasks : {1u, 2u, 9u, 32u}) EXPECT_EQ(too_many_tasks(tasks, 1, {}), "");
  EXPECT_EQ(too_many_tasks(1024, 64, 100 * kGiB), "");
}

TEST(LaunchLimits, TellsTheArithmeticOfCoresAndMemory) {
  EXPECT_THAT(too_many_tasks(1024, 2, 16 * kGiB),
              AllOf(HasSubstr("1024 tasks on 2 cores are 512 per core"),
                    HasSubstr("take at least 40.0 GiB (40 MiB each), of which 16.0 GiB are free"),
                    HasSubstr("start 32 at most, or give --oversubscribe")));
  EXPECT_THAT(too_many_tasks(30, 1, kGiB),
              AllOf(Not(HasSubstr("per core")), HasSubstr("start 25 at most")));
  EXPECT_THAT(too_many_tasks(40, 1, {}), AllOf(HasSubstr("40 per core"), Not(HasSubstr("GiB"))));
}

TEST(LaunchLimits, TellsTheArithmeticOfThreads) {
  const std::uint64_t each = least_threads_of_task();
  const auto all = [](std::uint64_t most) { return most; };
  const auto one_fewer = [](std::uint64_t most) { return most - 1; };
  EXPECT_EQ(too_few_threads(2, all), "");
  EXPECT_THAT(
      too_few_threads(2, one_fewer),
      AllOf(HasSubstr(fmt::format(
                "2 tasks of launch need at least {} threads, {} each, but the system allows {};",
                2 * each, each, 2 * each - 1)),
            HasSubstr("start fewer tasks, or give --oversubscribe")));
  EXPECT_EQ(too_few_threads(1'000'000, all), "") << "so many are not tried";
}

TEST(LaunchLimits, AreCheckedBeforeAnyTaskStarts) {
  if (std::thread::hardware_concurrency() > 64) GTEST_SKIP() << "this machine is good for them";
  EXPECT_THAT(refusal_by(run_command, {"launch", "--workers=1024", "--servers=1024", "--"}),
              HasSubstr("2048 tasks"));
}

}  // namespace
}  // namespace convoy::cli
