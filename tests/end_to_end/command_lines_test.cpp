// Command lines that nobody would write: every verb and every flag with values that do not suit it.
// Whatever is said to it, the program answers: no signal, no internal error, no hang, no memory
// that grows. CONVOY_COMMAND_LINES says how many are tried, CONVOY_TEST_SEED which.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "tests/end_to_end/command_line_generator.hpp"
#include "tests/end_to_end/run_program.hpp"
#include "tests/environment.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy::command_lines_test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr long kMostKibibytes = 1 << 20;
constexpr double kMostSeconds = 10;                     // of the processor
constexpr auto kLongEnough = std::chrono::seconds(10);  // a run that goes on is interrupted then
// What ends by itself is so late only if it waits for nothing: others may have the processors.
constexpr auto kMuchTooLong = std::chrono::minutes(5);
constexpr auto kLongestLook = std::chrono::milliseconds(100);
constexpr auto kToEnd = std::chrono::seconds(10);  // on a machine that does much else

constexpr const char* kSeedVariable = "CONVOY_TEST_SEED";
constexpr const char* kCountVariable = "CONVOY_COMMAND_LINES";

struct Outcome {
  int status = 0;
  long kibibytes = 0;
  double processor_seconds = 0;  // its own and its child processes'
  bool interrupted = false;
  bool killed = false;
  std::string said;  // on both streams, the end of it
};

// Its last 2,000 bytes.
std::string end_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  const std::string all = text.str();
  return all.substr(all.size() - std::min<std::size_t>(all.size(), 2000));
}

int new_file(const char* name) {
  return ::open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

pid_t start(const std::vector<std::string>& arguments, const fs::path& folder) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  ::signal(SIGINT, SIG_DFL);  // what runs in the background may have been told to ignore it
  ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  ::dup2(::open("/dev/null", O_RDWR), STDIN_FILENO);
  ::dup2(new_file("out"), STDOUT_FILENO);
  ::dup2(new_file("err"), STDERR_FILENO);
  std::string program = std::string(CONVOY_BINARY_DIR) + "/bin/convoy";
  std::vector<std::string> copies = arguments;
  std::vector<char*> argv{program.data()};
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

Outcome outcome_of(const std::vector<std::string>& arguments, const fs::path& folder,
                   Clock::duration limit) {
  const pid_t child = start(arguments, folder);
  Outcome outcome;
  rusage usage{};
  Clock::duration passed{};  // time in which this machine stood still does not count
  for (auto last = Clock::now(); ::wait4(child, &outcome.status, WNOHANG, &usage) == 0;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto now = Clock::now();
    passed += std::min<Clock::duration>(now - std::exchange(last, now), kLongestLook);
    if (passed > limit && !outcome.interrupted) {
      ::kill(child, SIGINT);
      outcome.interrupted = true;
    }
    if (passed > limit + kToEnd && !outcome.killed) {
      ::kill(child, SIGKILL);
      outcome.killed = true;
    }
  }
  outcome.kibibytes = usage.ru_maxrss;
  outcome.processor_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  outcome.said = end_of(folder / "out") + end_of(folder / "err");
  return outcome;
}

void expect_answer(const Outcome& outcome, bool goes_on) {
  const std::string& said = outcome.said;
  EXPECT_FALSE(WIFSIGNALED(outcome.status)) << WTERMSIG(outcome.status) << said;
  EXPECT_FALSE(outcome.killed) << "it did not end when it was interrupted";
  for (const char* const text :
       {"internal error", "json.exception", "std::", "terminate called", "-nan"})
    EXPECT_THAT(said, Not(HasSubstr(text)));
  EXPECT_LE(outcome.kibibytes, kMostKibibytes) << said;
  if (!goes_on) {
    EXPECT_LE(outcome.processor_seconds, kMostSeconds) << said;
  }
  const int code = WEXITSTATUS(outcome.status);
  if (outcome.interrupted) {
    // It may have been at its end by then.
    EXPECT_THAT(code, AnyOf(0, 130, static_cast<int>(ExitCode::kThreshold))) << said;
  } else if (code != 0) {
    EXPECT_LE(code, static_cast<int>(ExitCode::kTimeout)) << said;  // the last that README lists
    EXPECT_FALSE(said.empty()) << "code " << code << " without a word";
  }
}

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Every run that a test starts would have it, too: CONVOY_BATCH_SIZE=32 is --batch_size=32.
TEST(CommandLines, AreDrawnByVariablesThatSetNoFlag) {
  for (const std::string variable : {kSeedVariable, kCountVariable}) {
    Environment environment({{variable, "9223372036854775807"}});
    const ProgramResult result = run_convoy({"plan", "--model=lenet", "--device=cpu",
                                             "--num_devices=1", "--variable_update=replicated"});
    EXPECT_EQ(result.exit_code, 0) << variable << ": " << result.err;
  }
}

TEST(CommandLines, ComeBeforeVariablesThatSayTheSameInAnotherWay) {
  const std::vector<std::pair<const char*, const char*>> pairs = {
      {"CONVOY_NUM_DEVICES", "--num_gpus=1"},
      {"CONVOY_NUM_BATCHES", "--num_epochs=0.00001"},
      {"CONVOY_SAVE_MODEL_STEPS", "--save_model_secs=1"},
      {"CONVOY_NUM_EVAL_BATCHES", "--num_eval_epochs=1"}};
  for (const auto& [variable, flag] : pairs) {
    const Environment environment(Environment::Values{{variable, "3"}});
    const ProgramResult result =
        run_convoy({"plan", "--model=lenet", "--device=cpu", flag, "--variable_update=replicated"});
    EXPECT_EQ(result.exit_code, 0) << variable << ": " << result.err;
  }
}

TEST(CommandLines, AreAnsweredWhateverTheySay) {
  const fs::path folder = scratch_folder("command_lines");
  CommandLineGenerator generator(number_from(kSeedVariable, 1), folder);
  for (std::uint64_t left = number_from(kCountVariable, 120); left > 0; --left) {
    const GeneratedLine line = generator.next();
    SCOPED_TRACE(line.shown());
    const Clock::duration limit = line.goes_on ? Clock::duration(kLongEnough) : kMuchTooLong;
    expect_answer(outcome_of(line.arguments, folder, limit), line.goes_on);
  }
}

}  // namespace
}  // namespace convoy::command_lines_test
