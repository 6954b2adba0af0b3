// Limits that whoever starts convoy has set for its process, `ulimit` in a shell: what does not fit
// is refused with its cause and code 3; nothing ends by a signal or waits for ever.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "tests/end_to_end/run_program.hpp"
#include "tests/sanitized.hpp"

namespace convoy::limits_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Not;

using Arguments = std::vector<std::string>;

constexpr const char* kWhySanitizersDoWithout = "sanitizers reserve terabytes of addresses";

// Of the verbs that train: after `run`, or after `launch ... --`.
Arguments training(int devices, int threads, const Arguments& more = {}) {
  Arguments arguments = {"--model=lenet",
                         "--device=cpu",
                         fmt::format("--num_devices={}", devices),
                         fmt::format("--num_intra_threads={}", threads),
                         "--batch_size=2",
                         "--num_batches=2",
                         "--num_warmup_batches=0",
                         "--init_learning_rate=0.001",
                         "--variable_update=replicated"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Arguments after(Arguments words, const Arguments& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// In a child after fork(): it cannot go on.
void require(bool done) {
  if (!done) ::_exit(126);
}

std::function<void()> limited(__rlimit_resource what, rlim_t soft, rlim_t hard) {
  return [=] {
    const rlimit limit{soft, hard};
    require(::setrlimit(what, &limit) == 0);
  };
}

std::function<void()> limited(__rlimit_resource what, rlim_t most) {
  return limited(what, most, most);
}

// Threads of a user who has no others: one of its own for each process, because other tests run at
// the same time. Root has no limit.
std::function<void()> threads_of_a_user(rlim_t most) {
  return [=] {
    const uid_t nobody_else = 60'000 + static_cast<uid_t>(::getpid()) % 5'000;
    require(::setgroups(0, nullptr) == 0 && ::setgid(nobody_else) == 0);
    const rlimit limit{most, most};
    require(::setrlimit(RLIMIT_NPROC, &limit) == 0 && ::setuid(nobody_else) == 0);
    ::setenv("CONVOY_CACHE_DIR", "/nowhere", 1);
  };
}

ProgramResult run_in(const std::function<void()>& surroundings, const Arguments& arguments) {
  ProgramOptions options;
  options.surroundings = surroundings;
  return run_convoy(arguments, options);
}

// Either it fits, or its refusal names the limit.
void expect_done_or_refused(const ProgramResult& result, const std::string& limit) {
  EXPECT_THAT(result.exit_code, AnyOf(Eq(0), Eq(3))) << result.err;
  if (result.exit_code != 0) {
    EXPECT_THAT(result.err, HasSubstr(limit));
  }
  EXPECT_THAT(result.err, Not(HasSubstr("libgomp")));
}

constexpr rlim_t kMega = 1'000'000;

TEST(Limits, OfAddressesAreRefusedBeforeALibraryMeetsThem) {
  if (kSanitized) GTEST_SKIP() << kWhySanitizersDoWithout;
  for (const rlim_t megabytes : {60, 84, 88, 121, 140, 164, 168, 200})
    for (const int devices : {1, 2}) {
      const ProgramResult result =
          run_in(limited(RLIMIT_AS, megabytes * kMega), after({"run"}, training(devices, 2)));
      SCOPED_TRACE(fmt::format("{} MB, {} devices", megabytes, devices));
      expect_done_or_refused(result, "ulimit -v");
    }
}

TEST(Limits, OfAddressesKeepNoTaskWaiting) {
  if (kSanitized) GTEST_SKIP() << kWhySanitizersDoWithout;
  for (const rlim_t megabytes : {90, 143, 164, 287}) {
    const ProgramResult result =
        run_in(limited(RLIMIT_AS, megabytes * kMega),
               after({"launch", "--workers=1", "--"}, training(1, 1, {"--join_timeout=10"})));
    SCOPED_TRACE(fmt::format("{} MB", megabytes));
    expect_done_or_refused(result, "ulimit -v");
    EXPECT_THAT(result.err, Not(HasSubstr("install libgrpc++")));
  }
}

// More cores need more; it ends before it measures, which takes seconds.
TEST(Limits, OfAddressesAreCountedBeforeACalibration) {
  if (kSanitized) GTEST_SKIP() << kWhySanitizersDoWithout;
  const ProgramResult result =
      run_in(limited(RLIMIT_AS, 700 * kMega),
             {"calibrate", "--device=cpu", "--force",
              "--calibration_file=" + (fs::path(scratch_folder("rates")) / "rates.json").string()});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("ulimit -v allows 667.6 MiB"));
  EXPECT_THAT(result.err, HasSubstr("--quick needs less"));
  EXPECT_THAT(result.err, Not(HasSubstr("rates of")));
}

TEST(Limits, OfAddressesLeaveRoomForWhatIsUsed) {
  if (kSanitized) GTEST_SKIP() << kWhySanitizersDoWithout;
  // A thread's stack takes 8 MB, and some work is shared by as many threads as there are cores.
  const rlim_t most = (400 + 10 * std::thread::hardware_concurrency()) * kMega;
  const ProgramResult result = run_in(limited(RLIMIT_AS, most), after({"run"}, training(2, 1)));
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

// It ends the process by itself where a thread cannot be had.
TEST(Limits, WhatTheOpenMpRuntimeMeetsIsExplained) {
  if (kSanitized) GTEST_SKIP() << kWhySanitizersDoWithout;
  const ProgramResult result = run_in(
      [] {
        limited(RLIMIT_AS, 1000 * kMega)();
        ::setenv("OMP_STACKSIZE", "4G", 1);
      },
      after({"run"}, training(1, 2)));
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("a library has ended the process"));
}

TEST(Limits, OfThreadsAreNamed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root becomes a user without other threads";
  if (kSanitized) GTEST_SKIP() << "sanitizers start threads of their own";
  for (const rlim_t threads : {1, 2, 3, 4, 6}) {
    SCOPED_TRACE(fmt::format("{} threads", threads));
    expect_done_or_refused(run_in(threads_of_a_user(threads), after({"run"}, training(1, 2))),
                           "ulimit -u");
    expect_done_or_refused(
        run_in(threads_of_a_user(threads),
               after({"launch", "--workers=1", "--"}, training(1, 1, {"--join_timeout=10"}))),
        "ulimit -u");
  }
}

// Not each of some 60 plug-ins, with the advice to build it again.
TEST(Limits, OfProcessesAreNoFaultOfPlugins) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root becomes a user without other processes";
  if (kSanitized) GTEST_SKIP() << "sanitizers start threads of their own";
  const ProgramResult result = run_in(threads_of_a_user(1), {"doctor", "--deep"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, HasSubstr("cannot start a process"));
  EXPECT_THAT(result.out, HasSubstr("1 to repair"));
  EXPECT_THAT(result.out, Not(HasSubstr("build it again")));
}

// They take each other's where the limit is of all of them, and the first that finds too few may be
// any. Only launch knows how many there are.
TEST(Limits, OfThreadsOfAllTasksAreNamedBeforeTheFirstStarts) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root becomes a user without other threads";
  if (kSanitized) GTEST_SKIP() << "sanitizers start threads of their own";
  for (const rlim_t tasks : {2, 4}) {
    const std::string workers = fmt::format("--workers={}", tasks);
    const ProgramResult result =
        run_in(threads_of_a_user(13 * tasks), after({"launch", workers, "--"}, training(1, 1)));
    SCOPED_TRACE(workers);
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_THAT(result.err, HasSubstr(fmt::format("{} tasks of launch need at least ", tasks)));
    EXPECT_THAT(result.err, Not(HasSubstr("worker ")));
  }
  const ProgramResult all_the_same =
      run_in(threads_of_a_user(20),
             after({"launch", "--workers=2", "--oversubscribe", "--end_timeout=1", "--"},
                   training(1, 1, {"--join_timeout=10"})));
  // Which of them lacks a thread, and for what, is chance.
  EXPECT_THAT(all_the_same.exit_code, AnyOf(Eq(3), Eq(6))) << all_the_same.err;
  EXPECT_THAT(all_the_same.err, HasSubstr("worker "));
}

TEST(Limits, OfFileSizesAreNoFullDiskAndLoseNothing) {
  const fs::path folder = scratch_folder("small_files");
  const auto until = [&](int step) {
    return after({"run"}, training(1, 1,
                                   {fmt::format("--num_batches={}", step), "--save_model_steps=1",
                                    "--train_dir=" + folder.string()}));
  };
  ASSERT_EQ(run_in({}, until(2)).exit_code, 0);
  const ProgramResult result = run_in(limited(RLIMIT_FSIZE, 100'000), until(4));
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr("`ulimit -f`"));
  EXPECT_TRUE(fs::exists(folder / "model-2.safetensors"));
}

// Worker 1, whose peer is lost, may end before that one has.
TEST(Limits, LaunchNamesTheTaskThatMetOneAndNotTheOneThatLostIt) {
  const fs::path folder = scratch_folder("small_files_of_tasks");
  const ProgramResult result =
      run_in(limited(RLIMIT_FSIZE, 100'000),
             after({"launch", "--workers=2", "--"},
                   training(1, 1, {"--save_model_steps=1", "--train_dir=" + folder.string()})));
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr("convoy: worker 0 ended with code 1\n"));
}

TEST(Limits, OfOpenFilesMakeNoTransportWrong) {
  if (kSanitized) GTEST_SKIP() << "sanitizers open files of their own";
  const ProgramResult result = run_in(limited(RLIMIT_NOFILE, 20), {"check", "shm"});
  EXPECT_EQ(result.exit_code, 3) << result.out;
  EXPECT_THAT(result.err, HasSubstr("`ulimit -n` allows 20"));
}

// shm starts none, gRPC some for each processor.
TEST(Limits, OfThreadsAreThoseThatTheTransportNeeds) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root becomes a user without other threads";
  if (kSanitized) GTEST_SKIP() << "sanitizers start threads of their own";
  const auto check = [](const char* transport, rlim_t threads) {
    return run_in(threads_of_a_user(threads), {"check", transport, "--only=messages: in order"});
  };
  const ProgramResult shm = check("shm", 8);
  EXPECT_EQ(shm.exit_code, 0) << shm.err;
  EXPECT_THAT(shm.out, HasSubstr("0 wrong"));
  for (const char* transport : {"shm", "grpc"}) {
    const ProgramResult refused = check(transport, 2);
    EXPECT_EQ(refused.exit_code, 3) << refused.out;
    EXPECT_THAT(refused.err, HasSubstr("a case of check needs "));
  }
}

// Where the shell allows less than the system.
TEST(Limits, OfStacksAreRaisedOrNamed) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need more stack before convoy begins";
  const ProgramResult raised =
      run_in(limited(RLIMIT_STACK, 64 << 10, 8 << 20), after({"run"}, training(2, 2)));
  EXPECT_EQ(raised.exit_code, 0) << raised.err;
  const ProgramResult refused =
      run_in(limited(RLIMIT_STACK, 128 << 10), after({"run"}, training(1, 1)));
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("`ulimit -Hs` allows 128 KiB"));
}

// A shell's `ulimit -t` sets the warning to the second at which the process is killed.
TEST(Limits, OfProcessorTimeSaveACheckpoint) {
  constexpr rlim_t kSeconds = kSanitized ? 20 : 5;
  const fs::path folder = scratch_folder("processor_time");
  const ProgramResult result =
      run_in(limited(RLIMIT_CPU, kSeconds),
             after({"run"}, training(1, 1,
                                     {"--num_batches=100000000", "--display_every=100000000",
                                      "--train_dir=" + folder.string()})));
  EXPECT_EQ(result.exit_code, 143) << result.err;
  EXPECT_THAT(result.err, HasSubstr("`ulimit -t`"));
  EXPECT_THAT(result.out, HasSubstr("total images/sec"));
  EXPECT_FALSE(fs::is_empty(folder));
}

}  // namespace
}  // namespace convoy::limits_test
