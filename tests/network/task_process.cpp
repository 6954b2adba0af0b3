#include "tests/network/task_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <utility>

namespace convoy::network {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

TaskProcess::TaskProcess(const std::vector<std::string>& arguments) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const std::string program = CONVOY_BINARY_DIR "/tests/network_task";
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size());
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(pipe[1], STDOUT_FILENO);
    ::execv(program.c_str(), pointers.data());
    ::_exit(127);
  }
  ::close(pipe[1]);
  output_ = pipe[0];
}

TaskProcess::TaskProcess(TaskProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      output_(std::exchange(other.output_, -1)),
      text_(std::move(other.text_)),
      code_(other.code_) {}

TaskProcess::~TaskProcess() {
  if (pid_ > 0 && !code_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (output_ >= 0) ::close(output_);
}

void TaskProcess::signal(int number) const {
  ::kill(pid_, number);
}

bool TaskProcess::read_more(double seconds) {
  pollfd wait{output_, POLLIN, 0};
  if (::poll(&wait, 1, static_cast<int>(seconds * 1000)) <= 0) return false;
  std::array<char, 4096> buffer{};
  const ssize_t bytes = ::read(output_, buffer.data(), buffer.size());
  if (bytes <= 0) return false;
  text_.append(buffer.data(), static_cast<std::size_t>(bytes));
  return true;
}

std::optional<std::string> TaskProcess::line(const std::string& beginning, double seconds) {
  const auto begin = Clock::now();
  while (true) {
    for (std::size_t end; (end = text_.find('\n')) != std::string::npos;) {
      const std::string next = text_.substr(0, end);
      text_.erase(0, end + 1);
      if (next.starts_with(beginning)) return next;
    }
    const double left = seconds - seconds_since(begin);
    if (left <= 0 || !read_more(left)) return std::nullopt;
  }
}

std::optional<int> TaskProcess::exit_code(double seconds) {
  const auto begin = Clock::now();
  while (!code_) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_)
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    else if (seconds_since(begin) > seconds)
      return std::nullopt;
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return code_;
}

}  // namespace convoy::network
