// Command lines that nobody would write: every flag with values that do not suit it. Whatever is
// said to it, the program answers: no signal, no internal error, no hang, no memory that grows.
// CONVOY_COMMAND_LINES says how many are tried, CONVOY_SEED which.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "tests/end_to_end/run_program.hpp"

namespace convoy::command_lines_test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Arguments = std::vector<std::string>;

constexpr long kMostKibibytes = 1 << 20;
constexpr auto kLongEnough = std::chrono::seconds(10);  // a run that goes on is interrupted then
constexpr auto kToEnd = std::chrono::seconds(10);       // on a machine that does much else

struct Outcome {
  int status = 0;
  long kibibytes = 0;
  bool interrupted = false;
  bool killed = false;
  std::string err;
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

pid_t start(const Arguments& arguments, const fs::path& folder) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  ::dup2(::open("/dev/null", O_RDWR), STDIN_FILENO);
  ::dup2(STDIN_FILENO, STDOUT_FILENO);
  ::dup2(::open("err", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  std::string program = std::string(CONVOY_BINARY_DIR) + "/bin/convoy";
  Arguments copies = arguments;
  std::vector<char*> argv{program.data()};
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

Outcome outcome_of(const Arguments& arguments, const fs::path& folder) {
  const pid_t child = start(arguments, folder);
  const auto begin = Clock::now();
  Outcome outcome;
  rusage usage{};
  while (::wait4(child, &outcome.status, WNOHANG, &usage) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto passed = Clock::now() - begin;
    if (passed > kLongEnough && !outcome.interrupted) {
      ::kill(child, SIGINT);
      outcome.interrupted = true;
    }
    if (passed > kLongEnough + kToEnd && !outcome.killed) {
      ::kill(child, SIGKILL);
      outcome.killed = true;
    }
  }
  outcome.kibibytes = usage.ru_maxrss;
  outcome.err = text_of(folder / "err");
  return outcome;
}

class Generator {
 public:
  Generator(std::uint64_t seed, fs::path folder) : random_(seed), folder_(std::move(folder)) {
    for (const char* verb : {"run", "plan", "simulate", "topo", "list"}) read_flags(verb);
  }

  Arguments next() {
    const Verb& verb = verbs_[random_() % verbs_.size()];
    Arguments line = {verb.name};
    if (verb.trains) line.insert(line.end(), kSmall.begin(), kSmall.end());
    std::string file;
    for (std::uint64_t flags = 1 + random_() % 3; flags > 0; --flags)
      add(verb.flags[random_() % verb.flags.size()], line, file);
    if (file.empty()) return line;
    std::ofstream(folder_ / "flags") << file;
    line.emplace_back("--flagfile=flags");
    return line;
  }

 private:
  struct Verb {
    std::string name;
    bool trains = false;
    Arguments flags;
  };
  static const Arguments kSmall;

  void read_flags(const char* name) {
    Verb verb{name,
              std::string(name) == "run" || std::string(name) == "plan" ||
                  std::string(name) == "simulate",
              {}};
    const std::string help = run_convoy({name, "--help"}).out;
    const std::regex flag("--([a-z][a-z0-9_]*)");
    std::set<std::string> names;
    for (std::sregex_iterator it(help.begin(), help.end(), flag), end; it != end; ++it)
      names.insert((*it)[1]);
    for (const char* without : {"help", "flagfile"}) names.erase(without);
    verb.flags.assign(names.begin(), names.end());
    verbs_.push_back(verb);
  }

  // A megabyte goes through a file: the system limits arguments to 128 KiB.
  void add(const std::string& flag, Arguments& line, std::string& file) {
    static const Arguments kValues = {"",           "0",          "-1",
                                      "2147483648", "4294967297", "9223372036854775807",
                                      "1e308",      "nan",        "\xc3\xbc\xe6\xbc\xa2\xff"};
    const std::size_t choice = random_() % (kValues.size() + 2);
    if (choice < kValues.size())
      line.push_back("--" + flag + "=" + kValues[choice]);
    else if (choice == kValues.size())
      line.push_back("--" + flag);
    else
      file += "--" + flag + "=" + std::string(1 << 20, 'x') + "\n";
  }

  std::mt19937_64 random_;
  fs::path folder_;
  std::vector<Verb> verbs_;
};

const Arguments Generator::kSmall = {"--model=lenet",
                                     "--device=cpu",
                                     "--num_devices=1",
                                     "--batch_size=1",
                                     "--num_batches=1",
                                     "--num_warmup_batches=0",
                                     "--variable_update=replicated"};

std::string shown(const Arguments& line) {
  std::string text;
  for (const std::string& argument : line) text += argument.substr(0, 100) + " ";
  return text;
}

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(CommandLines, AreAnsweredWhateverTheySay) {
  const fs::path folder = scratch_folder("command_lines");
  Generator generator(number_from("CONVOY_SEED", 1), folder);
  for (std::uint64_t left = number_from("CONVOY_COMMAND_LINES", 120); left > 0; --left) {
    const Arguments line = generator.next();
    const Outcome outcome = outcome_of(line, folder);
    SCOPED_TRACE(shown(line));
    EXPECT_FALSE(WIFSIGNALED(outcome.status)) << WTERMSIG(outcome.status) << outcome.err;
    EXPECT_FALSE(outcome.killed);
    EXPECT_THAT(outcome.err.substr(0, 2000),
                ::testing::Not(::testing::HasSubstr("internal error")));
    EXPECT_LE(outcome.kibibytes, kMostKibibytes);
    if (outcome.interrupted) {
      EXPECT_EQ(WEXITSTATUS(outcome.status), 130) << outcome.err.substr(0, 2000);
    }
  }
}

}  // namespace
}  // namespace convoy::command_lines_test
