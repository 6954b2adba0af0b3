#include "tests/end_to_end/run_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <stdexcept>

namespace convoy {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  std::array<int, 2> ends{};
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  }
};

std::string own_cache() {
  static const std::string kOwnCache = scratch_folder("own_cache");
  return kOwnCache;
}

// Appends what is there; false at the end of the stream.
bool drain(int descriptor, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0;
}

// Stops it for its share of every interval, and lets it go on for the rest.
void slow_down(pid_t child, double stopped_share) {
  constexpr double kInterval = 0.05;  // seconds, much less than tasks take for silence
  const double now = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  const bool stopped = std::fmod(now, kInterval) < stopped_share * kInterval;
  ::kill(child, stopped ? SIGSTOP : SIGCONT);
}

void collect(pid_t child, int out, int err, const ProgramOptions& options, ProgramResult& result) {
  std::array<pollfd, 2> streams{pollfd{out, POLLIN, 0}, pollfd{err, POLLIN, 0}};
  const auto deadline = Clock::now() + std::chrono::duration<double>(options.timeout_seconds);
  const bool slowed = options.stopped_share > 0;
  bool signalled = options.signal == 0;
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    ::poll(streams.data(), streams.size(), slowed ? 1 : 100);
    if (streams[0].revents != 0 && !drain(out, result.out)) streams[0].fd = -1;
    if (streams[1].revents != 0 && !drain(err, result.err)) streams[1].fd = -1;
    if (!signalled && result.out.find(options.signal_after) != std::string::npos) {
      ::kill(child, options.signal);
      signalled = true;
    }
    if (slowed && result.out.find(options.signal_after) != std::string::npos)
      slow_down(child, options.stopped_share);
    if (Clock::now() > deadline) ::kill(child, SIGKILL);
  }
}

}  // namespace

void become_convoy(const std::vector<std::string>& arguments, const ProgramOptions& options,
                   int out, int err) {
  const std::string cache = options.cache_folder.empty() ? own_cache() : options.cache_folder;
  ::unsetenv("CONVOY_CACHE_DIR");
  ::setenv("XDG_CACHE_HOME", cache.c_str(), /*overwrite=*/1);
  if (!options.max_cpu_isa.empty())
    ::setenv("ONEDNN_MAX_CPU_ISA", options.max_cpu_isa.c_str(), /*overwrite=*/1);
  for (const int number : {SIGHUP, SIGPIPE}) std::signal(number, SIG_DFL);  // whatever tests have
  if (options.ignored_signal != 0) std::signal(options.ignored_signal, SIG_IGN);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (options.surroundings) options.surroundings();
  std::string program = options.program;
  std::vector<std::string> copies = arguments;
  std::vector<char*> argv{program.data()};
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

ProgramResult run_convoy(const std::vector<std::string>& arguments, const ProgramOptions& options) {
  own_cache();
  const Pipe out;
  const Pipe err;
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become_convoy(arguments, options, out.ends[1], err.ends[1]);
  ::close(out.ends[1]);
  ::close(err.ends[1]);
  ProgramResult result;
  collect(child, out.ends[0], err.ends[0], options, result);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(out.ends[0]);
  ::close(err.ends[0]);
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

std::string text_after(const std::string& title, const std::string& text) {
  const std::size_t found = text.find(title);
  if (found == std::string::npos) return {};
  const std::size_t begin = found + title.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace convoy
