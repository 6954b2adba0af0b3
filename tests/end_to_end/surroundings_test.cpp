// Surroundings that a program may be started in: no space, no folder, no reader, no name. It says
// what is missing and what to do, with the exit code that README names, and loses nothing.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/end_to_end/run_program.hpp"
#include "tests/sanitized.hpp"

namespace convoy::surroundings_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

using Arguments = std::vector<std::string>;

Arguments training(const Arguments& more = {}) {
  Arguments arguments = {"run",
                         "--model=lenet",
                         "--device=cpu",
                         "--num_devices=1",
                         "--num_intra_threads=1",
                         "--batch_size=2",
                         "--num_batches=2",
                         "--num_warmup_batches=0",
                         "--variable_update=replicated"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

const Arguments kComparison = {
    "compare",        "--simulate",      "--models=lenet",         "--device=cpu",
    "--batch_size=1", "--num_devices=1", "--strategies=replicated"};

ProgramResult run_in(const std::function<void()>& surroundings, const Arguments& arguments) {
  ProgramOptions options;
  options.surroundings = surroundings;
  return run_convoy(arguments, options);
}

// In a child after fork(): it cannot go on.
void require(bool done) {
  if (!done) ::_exit(126);
}

// Mounts of the child's own, for root.
bool own_mounts() {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

bool may_mount() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(own_mounts() ? 0 : 1);
  int status = 1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

TEST(Surroundings, ADeletedWorkingFolderIsNamedBeforeTheWork) {
  const fs::path folder = fs::path(scratch_folder("deleted")) / "here";
  for (const Arguments& arguments :
       {training({"--train_dir=ck"}), training({"--train_dir=deeper/ck"}),
        training({"--output_file=r.json"}), Arguments{"new", "strategy", "scheme"}}) {
    fs::create_directories(folder);
    const ProgramResult result = run_in(
        [&] { require(::chdir(folder.c_str()) == 0 && ::rmdir(folder.c_str()) == 0); }, arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments.back() << result.err;
    EXPECT_THAT(result.err, HasSubstr("the working folder has been deleted"));
    EXPECT_THAT(result.out, Not(HasSubstr("Img/sec")));
  }
}

TEST(Surroundings, AMissingFolderForTemporaryFilesIsNamed) {
  for (const Arguments& arguments : {kComparison, training({"--repeat=2"})})
    for (const char* const folder : {"/nowhere/at/all", "/dev/null"}) {
      const ProgramResult result = run_in([&] { ::setenv("TMPDIR", folder, 1); }, arguments);
      EXPECT_EQ(result.exit_code, 3) << result.err;
      EXPECT_THAT(result.err, HasSubstr(std::string("temporary files in ") + folder));
      EXPECT_THAT(result.err, HasSubstr("set TMPDIR to a folder"));
    }
}

TEST(Surroundings, WithoutACacheARunSaysWhatToSet) {
  const ProgramResult result =
      run_in([] { ::setenv("CONVOY_CACHE_DIR", "/dev/null/cache", 1); },
             {"run", "--model=lenet", "--device=cpu", "--num_devices=2", "--batch_size=2",
              "--num_batches=1", "--num_warmup_batches=0"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("Not a directory; set CONVOY_CACHE_DIR to a writable folder"));
}

// The flags of a file become words of the programs that compare starts.
TEST(Surroundings, WordsThatAreTooLongForAProgramAreNamed) {
  const fs::path file = fs::path(scratch_folder("long_words")) / "flags";
  std::ofstream(file) << "--all_reduce_spec=" << std::string(200'000, 'x') << '\n';
  Arguments arguments = kComparison;
  arguments.push_back("--flagfile=" + file.string());
  const ProgramResult result = run_convoy(arguments);
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.out + result.err, HasSubstr("Argument list too long; shorten"));
}

TEST(Surroundings, WithoutEvenItsOwnNameItShowsItsUsage) {
  const ProgramResult result = run_in(
      [] {
        char* none[] = {nullptr};
        ::execv(CONVOY_BINARY_DIR "/bin/convoy", none);
      },
      {});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("usage: convoy VERB"));
}

TEST(Surroundings, WithClosedStreamsFilesAreWrittenAndLostOutputIsNoSuccess) {
  const fs::path folder = scratch_folder("closed");
  const ProgramResult result = run_in(
      [] {
        for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(stream);
      },
      training({"--train_dir=" + (folder / "ck").string()}));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(fs::exists(folder / "ck" / "model-2.safetensors"));
}

// As in `convoy run ... | head`, and for the tasks of a launcher.
TEST(Surroundings, AReaderThatGoesCostsNoSteps) {
  std::string line;
  for (const std::string& word :
       training({"--num_batches=1000000", "--display_every=1", "--init_learning_rate=0.001"}))
    line.append(" ").append(word);
  ProgramOptions options;
  options.program = "/bin/sh";
  for (const std::string launcher : {"", " launch --workers=2 --"}) {
    const fs::path folder = scratch_folder("reader_gone");
    const ProgramResult result = run_convoy(
        {"-c", fmt::format("{{ {}/bin/convoy{}{} --train_dir={}; echo code $? >&2; }} | head -n 30",
                           CONVOY_BINARY_DIR, launcher, line, folder.string())},
        options);
    EXPECT_THAT(result.err, HasSubstr("code 143\n")) << launcher;
    EXPECT_THAT(result.err, HasSubstr("standard output could not be written"));
    std::size_t checkpoints = 0;
    for (const auto& entry : fs::directory_iterator(folder))
      checkpoints += entry.path().extension() == ".safetensors" ? 1 : 0;
    EXPECT_EQ(checkpoints, 1u) << result.err;
  }
}

// In a child after fork(): both streams lead into a pipe that is full, and that nobody reads.
void print_into_full_pipe() {
  std::array<int, 2> ends{};
  require(::pipe(ends.data()) == 0 && ::fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
  const std::string page(4096, 'x');
  while (::write(ends[1], page.data(), page.size()) > 0) {
  }
  require(::fcntl(ends[1], F_SETFL, 0) == 0);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) require(::dup2(ends[1], stream) >= 0);
}

// As `convoy run 2>&1 | sleep 1000`.
TEST(Surroundings, WhoeverHoldsAFullPipeKeepsNoRunFromEnding) {
  const ProgramResult result = run_in(
      [] {
        print_into_full_pipe();
        const pid_t program = ::getpid();
        if (::fork() != 0) return;
        ::sleep(1);
        ::kill(program, SIGTERM);
        ::_exit(0);
      },
      training({"--num_batches=1000000", "--init_learning_rate=0.001"}));
  EXPECT_EQ(result.exit_code, 143);
}

TEST(Surroundings, AFullDiskIsNamed) {
  if (!may_mount()) GTEST_SKIP() << "this user may not mount";
  const fs::path folder = scratch_folder("full");
  const auto fill = [&] {
    require(own_mounts() && ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=16k") == 0);
    std::ofstream(folder / "filling") << std::string(1 << 20, 'x');
  };
  for (const std::string& flag :
       {"--output_file=" + (folder / "r.json").string(),
        "--trace_file=" + (folder / "t.json").string(), "--train_dir=" + folder.string()}) {
    const ProgramResult result = run_in(fill, training({flag}));
    EXPECT_EQ(result.exit_code, 1) << flag;
    EXPECT_THAT(result.err, HasSubstr("No space left on device; check that")) << flag;
    EXPECT_THAT(result.out, HasSubstr("total images/sec")) << "what is known is said: " << flag;
  }
}

TEST(Surroundings, AReadOnlyFileSystemIsNamedBeforeTheWork) {
  if (!may_mount()) GTEST_SKIP() << "this user may not mount";
  const fs::path folder = scratch_folder("read_only");
  const auto mount = [&] {
    require(own_mounts() && ::mount("tmpfs", folder.c_str(), "tmpfs", MS_RDONLY, "size=16k") == 0);
  };
  for (const auto& [flag, code] : {std::pair{"--output_file=" + (folder / "r.json").string(), 2},
                                   {"--train_dir=" + folder.string(), 1}}) {
    const ProgramResult result = run_in(mount, training({flag}));
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.err, HasSubstr("Read-only file system")) << flag;
    EXPECT_THAT(result.out, Not(HasSubstr("total images/sec"))) << flag;
  }
}

// Whoever makes room tries again, and a folder with half of the files would be in the way.
TEST(Surroundings, AProjectThatFindsNoSpaceLeavesNoFiles) {
  if (!may_mount()) GTEST_SKIP() << "this user may not mount";
  const fs::path folder = scratch_folder("full_project");
  ProgramOptions options;
  options.program = "/bin/sh";
  options.surroundings = [&] {
    require(own_mounts() && ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=4k") == 0);
  };
  const std::string project = (folder / "scheme").string();
  const ProgramResult result =
      run_convoy({"-c", CONVOY_BINARY_DIR "/bin/convoy new strategy scheme --directory=" + project +
                            "; echo code $? >&2; find " + project + " >&2"},
                 options);
  EXPECT_THAT(result.err, HasSubstr("No space left on device"));
  EXPECT_THAT(result.err, HasSubstr("code 1\n"));
  EXPECT_THAT(result.err, Not(HasSubstr("\n" + project + "/"))) << "a file is left";
}

// Tasks open more files the more of them there are; shells allow fewer than the system does.
TEST(Surroundings, TasksOpenAsManyFilesAsTheSystemLetsThem) {
  if (kSanitized) GTEST_SKIP() << "sanitizers open files of their own";
  const auto limits = [](rlim_t soft, rlim_t hard) {
    return [soft, hard] {
      const rlimit files{soft, hard};
      require(::setrlimit(RLIMIT_NOFILE, &files) == 0);
    };
  };
  for (const std::string transport : {"grpc", "shm"}) {
    Arguments tasks = {"launch", "--workers=2", "--oversubscribe", "--"};
    for (const std::string& flag : training({"--transport=" + transport, "--join_timeout=20"}))
      if (flag != "run") tasks.push_back(flag);
    const ProgramResult raised = run_in(limits(20, 512), tasks);
    EXPECT_EQ(raised.exit_code, 0) << transport << raised.err;
    for (const rlim_t most : {12, 20, 29}) {
      const ProgramResult refused = run_in(limits(most, most), tasks);
      if (refused.exit_code == 0) continue;
      EXPECT_EQ(refused.exit_code, 3) << transport << most << refused.err;
      EXPECT_THAT(refused.err, HasSubstr(fmt::format("`ulimit -n` allows {}", most))) << transport;
    }
  }
}

TEST(Surroundings, WhatASystemDoesNotShowIsNamedOrDoneWithout) {
  if (kSanitized) GTEST_SKIP() << "sanitizers read /proc themselves";
  if (!may_mount()) GTEST_SKIP() << "this user may not mount";
  const auto hide = [](const char* path) {
    return [path] { require(own_mounts() && ::mount("tmpfs", path, "tmpfs", 0, nullptr) == 0); };
  };
  const ProgramResult no_proc = run_in(hide("/proc"), training());
  EXPECT_EQ(no_proc.exit_code, 3) << no_proc.err;
  EXPECT_THAT(no_proc.err, HasSubstr("mount /proc"));
  const ProgramResult no_sys = run_in(hide("/sys"), training());
  EXPECT_EQ(no_sys.exit_code, 0) << no_sys.err;
}

}  // namespace
}  // namespace convoy::surroundings_test
