// Plug-ins of others that crash, hang or end the process: they are named, and whoever did not ask
// for them goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "tests/end_to_end/run_program.hpp"
#include "tests/end_to_end/running_program.hpp"
#include "tests/environment.hpp"
#include "tests/sanitized.hpp"

namespace convoy::foreign_plugin_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kFolder = CONVOY_HOSTILE_PLUGINS;

std::vector<std::string> run_of(const std::string& strategy, const std::string& timeout = "1.5",
                                const std::string& folder = kFolder) {
  return {"run",
          "--model=lenet",
          "--device=cpu",
          "--num_devices=1",
          "--num_batches=2",
          "--batch_size=2",
          "--num_warmup_batches=0",
          "--plugin_timeout=" + timeout,
          "--plugin_path=" + folder,
          "--variable_update=" + strategy};
}

struct Fault {
  const char* name;   // the strategy's, or what the one of changed surroundings is to do
  const char* doing;  // what convoy was doing
  const char* what;   // is said of it
};

class Hostile : public ::testing::TestWithParam<Fault> {};

TEST_P(Hostile, IsNamedWhenItIsAskedFor) {
  const std::string_view strategy = GetParam().name;
  if (kSanitized && !strategy.ends_with("loop") && !strategy.ends_with("sleep"))
    GTEST_SKIP() << "the sanitizer has an end of its own for such a process";
  const ProgramResult result = run_convoy(run_of(GetParam().name));
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr(std::string("strategy ") + GetParam().name), HasSubstr(kFolder),
                    HasSubstr(GetParam().doing), HasSubstr(GetParam().what)));
}

INSTANTIATE_TEST_SUITE_P(
    Strategies, Hostile,
    ::testing::Values(
        Fault{"hostile_crash", "planning", "it crashed: signal 11"},
        Fault{"hostile_loop", "planning", "it had not returned after 1.5 seconds"},
        Fault{"hostile_sleep", "planning", "it had not returned after 1.5 seconds"},
        Fault{"hostile_exit", "planning", "it ended the process with code 0"},
        Fault{"hostile_throw", "planning", "it crashed: signal 6"},
        Fault{"hostile_overrun", "planning", "it crashed: signal"},
        Fault{"hostile_load", "opening it", "it crashed: signal 11"},
        Fault{"hostile_entry", "opening it", "it crashed: signal 11"},
        Fault{"hostile_kernel_give", "giving a kernel", "it crashed: signal 11"},
        Fault{"hostile_kernel_call", "running its kernel 'pass'", "it crashed: signal 11"},
        Fault{"hostile_kernel_callloop", "running its kernel 'pass'",
              "it had not returned after 1.5 seconds"},
        Fault{"hostile_kernel_calloverrun", "running its kernel 'pass'", "it crashed: signal 11"}),
    [](const auto& fault) { return std::string(fault.param.name); });

TEST(HostileStrategies, AreLeftOutByAutoAndNamed) {
  std::vector<std::string> arguments = run_of("auto");
  arguments.emplace_back("--auto=simulate");
  const ProgramResult result = run_convoy(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("total images/sec"));
  for (const char* name : {"crash", "loop", "sleep", "exit", "throw", "overrun", "load", "entry",
                           "kernel_give", "kernel_call", "kernel_callloop", "kernel_calloverrun"})
    EXPECT_THAT(result.err, HasSubstr(std::string("left out: strategy hostile_") + name));
}

class HostileSurroundings : public ::testing::TestWithParam<Fault> {
 protected:
  static ProgramResult train(const std::string& strategy) {
    const Environment fault{{{"CONVOY_TEST_FAULT", GetParam().name}}};
    std::vector<std::string> arguments = run_of(strategy, "10", kFolder + "_surroundings");
    arguments.emplace_back("--auto=simulate");
    return run_convoy(arguments);
  }
};

TEST_P(HostileSurroundings, AreLeftAsTheyAre) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer's own memory and signals";
  const ProgramResult named = train("hostile_surroundings");
  EXPECT_EQ(named.exit_code, 3) << named.err;
  const auto told = AllOf(HasSubstr("strategy hostile_surroundings (" + kFolder + "_surroundings"),
                          HasSubstr(GetParam().doing), HasSubstr(GetParam().what));
  EXPECT_THAT(named.err, told);
  const ProgramResult any = train("auto");
  EXPECT_EQ(any.exit_code, 0) << any.err;
  EXPECT_THAT(any.out, HasSubstr("total images/sec"));
  EXPECT_THAT(any.err, AllOf(HasSubstr("left out: "), told));
}

INSTANTIATE_TEST_SUITE_P(
    Changes, HostileSurroundings,
    ::testing::Values(
        Fault{"load:memory", "opening it", "it lowered the limit of memory (RLIMIT_AS)"},
        Fault{"create:memory", "creating it", "it lowered the limit of memory (RLIMIT_AS)"},
        Fault{"plan:memory", "planning", "it lowered the limit of memory (RLIMIT_AS)"},
        Fault{"load:files", "opening it", "it lowered the limit of open files (RLIMIT_NOFILE)"},
        Fault{"plan:time", "planning", "it lowered the limit of processor time (RLIMIT_CPU)"},
        Fault{"kernel:sizes", "running its kernel 'copy'",
              "it lowered the limit of the size of files (RLIMIT_FSIZE)"},
        Fault{"give:signals", "giving a kernel", "it changed what signals do"},
        Fault{"load:mask", "opening it", "it changed which signals are blocked"},
        Fault{"plan:timer", "planning", "it set a timer"},
        Fault{"create:umask", "creating it", "it changed the permissions of new files (umask)"},
        Fault{"plan:rounding", "planning", "it changed the floating-point environment (fenv.h)"},
        Fault{"kernel:traps", "running its kernel 'copy'",
              "it changed the floating-point environment (fenv.h)"},
        Fault{"plan:streams", "planning", "it closed or replaced a standard stream"},
        Fault{"load:folder", "opening it", "it changed the working folder"},
        Fault{"kernel:environment", "running its kernel 'copy'",
              "it changed variables of the environment"}),
    [](const auto& change) {
      std::string name = change.param.name;
      std::ranges::replace(name, ':', '_');
      return name;
    });

// The trials saw nothing.
TEST(HostileKernels, AreNamedInTheRunToo) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer has an end of its own for such a process";
  const std::string name = "hostile_kernel_later";
  const std::string file = kFolder + "_later/" + name;
  const ProgramResult crash = run_convoy(run_of(file + ".so"));
  EXPECT_EQ(crash.exit_code, 3) << crash.err;
  EXPECT_THAT(crash.err, HasSubstr("strategy " + name + " (" + file +
                                   ".so): it crashed: Segmentation fault; fix it"));
  const ProgramResult exit = run_convoy(run_of(file + "exit.so"));
  EXPECT_EQ(exit.exit_code, 3) << exit.err;
  EXPECT_THAT(exit.err,
              HasSubstr("strategy " + name + "exit (" + file + "exit.so): it ended the process"));
}

// Its trial, which passes, has the same time: enough for a busy machine with sanitizers.
TEST(HostileKernels, AreEndedWhenTheyHangInTheRun) {
  const std::string name = "hostile_kernel_laterloop";
  const ProgramResult result = run_convoy(run_of(kFolder + "_later/" + name + ".so", "4"));
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("strategy " + name + " ("),
                                HasSubstr("its kernel 'pass' on cpu:0 has not ended after 4 s")));
}

std::vector<std::string> run_on_late_device(const std::string& fault, const std::string& timeout) {
  return {"run",
          "--model=lenet",
          "--device=late_device",
          "--num_devices=1",
          "--num_batches=6",
          "--batch_size=2",
          "--num_warmup_batches=0",
          "--variable_update=independent",
          "--plugin_path=" + kFolder + "_later",
          "--plugin_timeout=" + timeout,
          "--fault=" + fault};
}

// What the device does, and what is said of it.
using LateFault = std::pair<const char*, const char*>;

class LateDevice : public ::testing::TestWithParam<LateFault> {};

TEST_P(LateDevice, IsNamedAndEndsTheRun) {
  const auto [fault, said] = GetParam();
  const ProgramResult result = run_convoy(run_on_late_device(fault, "1.5"));
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("device late_device (" + kFolder + "_later/"), HasSubstr(said)));
  EXPECT_THAT(result.out, HasSubstr("\n1\timages/sec"));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, LateDevice,
    ::testing::Values(
        LateFault{"hang in submit", "submitting an operation has not ended after 1.5 seconds"},
        LateFault{"hang in wait", "running operations has not ended after 1.6 seconds"},
        LateFault{"hang in now", "telling the time has not ended after 1.5 seconds"},
        LateFault{"hang in close", "closing a device has not ended after 1.5 seconds"},
        LateFault{"hang in a static destructor", "it prevents the process from ending; fix it"},
        LateFault{"throw in submit",
                  "submitting an operation failed: it threw an exception: no more of this"},
        LateFault{"throw in wait",
                  "running operations failed: it threw an exception: no more of this"},
        LateFault{"throw a number in submit",
                  "submitting an operation failed: it threw an exception that is no"},
        LateFault{"throw in release",
                  "freeing a program failed: it threw an exception: no more of this"},
        LateFault{"throw in close",
                  "closing a device failed: it threw an exception: no more of this"}),
    [](const auto& fault) {
      std::string name = fault.param.first;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

TEST(LateDevices, ThatHangDoNotHoldUpAnInterrupt) {
  for (const char* fault : {"hang in submit", "hang in wait"}) {
    RunningProgram program(run_on_late_device(fault, "1000"));
    ASSERT_TRUE(program.says("late_device hangs"));
    program.signal(SIGINT);
    EXPECT_EQ(program.exit_code(5), 130);
    EXPECT_THAT(program.err(), AllOf(HasSubstr("device late_device ("), HasSubstr("does not end")));
  }
}

TEST(HostileDevices, AreNamedWhenTheyAreAskedForAndPassedOverByAuto) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer has an end of its own for such a process";
  std::vector<std::string> arguments = run_of("independent");
  arguments.emplace_back("--device=hostile_device");
  const ProgramResult named = run_convoy(arguments);
  EXPECT_EQ(named.exit_code, 3) << named.err;
  EXPECT_THAT(named.err, AllOf(HasSubstr("device hostile_device"), HasSubstr("opening a device"),
                               HasSubstr("it crashed: signal 11")));
  arguments.back() = "--device=auto";
  const ProgramResult any = run_convoy(arguments);
  EXPECT_EQ(any.exit_code, 0) << any.err;
  EXPECT_THAT(any.out, HasSubstr("total images/sec"));
}

TEST(HostileTransports, AreLeftOut) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer has an end of its own for such a process";
  std::vector<std::string> arguments = run_of("collective_all_reduce");
  arguments.front() = "--";
  arguments.insert(arguments.begin(), {"launch", "--workers=2"});
  const ProgramResult others = run_convoy(arguments);
  EXPECT_EQ(others.exit_code, 0) << others.err;
  EXPECT_THAT(others.out, HasSubstr("total images/sec"));
  arguments.emplace_back("--transport=hostile_transport");
  const ProgramResult named = run_convoy(arguments);
  EXPECT_EQ(named.exit_code, 3) << named.err;
  EXPECT_THAT(named.err,
              AllOf(HasSubstr("transport hostile_transport"), HasSubstr("it crashed: signal 11")));
}

}  // namespace
}  // namespace convoy::foreign_plugin_test
