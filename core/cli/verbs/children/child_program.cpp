#include "core/cli/verbs/children/child_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/process/end_with_parent.hpp"
#include "core/base/system/system_refusal.hpp"
#include "core/cli/verbs/children/child_environment.hpp"
#include "core/cli/verbs/children/exec_words.hpp"

namespace convoy::cli {
namespace {

constexpr const char* kSelf = "/proc/self/exe";

// The pipe for the child's standard error.
class ErrorPipe {
 public:
  ErrorPipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
      fail(ExitCode::kUnavailable, "cannot open a pipe: {}", with_advice(std::strerror(errno)));
  }
  ~ErrorPipe() {
    close_end(0);
    close_end(1);
  }
  ErrorPipe(const ErrorPipe&) = delete;
  ErrorPipe& operator=(const ErrorPipe&) = delete;

  int writing() const { return ends_[1]; }

  // Reads to the end, or until `stop` returns true. Only the child may have the writing end open.
  std::string read_all(const std::function<bool()>& stop) {
    constexpr int kLook = 100;  // milliseconds
    close_end(1);
    std::string text;
    std::array<char, 4096> buffer{};
    while (!stop()) {
      pollfd wait{ends_[0], POLLIN, 0};
      if (::poll(&wait, 1, kLook) <= 0) continue;
      const ssize_t count = ::read(ends_[0], buffer.data(), buffer.size());
      if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
      if (count == 0 || (count < 0 && errno != EINTR)) break;
    }
    return text;
  }

 private:
  void close_end(std::size_t end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }

  std::array<int, 2> ends_{-1, -1};
};

std::string last_line(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const std::size_t line = text.rfind("\nconvoy: ");
  if (line != std::string_view::npos) text.remove_prefix(line + 1);
  for (const std::string_view prefix : {"convoy: ", "error: "})
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  return std::string(text);
}

[[noreturn]] void become_self(pid_t parent, ExecWords& words, ExecWords& variables,
                              std::optional<int> standard_error) {
  end_with_parent(parent);
  if (standard_error) {
    ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
    ::dup2(*standard_error, STDERR_FILENO);
  }
  execute(kSelf, words, variables.data());
}

// Without a standard error of its own, the child uses this program's, and its standard output, too.
pid_t start_self(const std::vector<std::string>& arguments, std::optional<int> standard_error) {
  ExecWords words(program_words(arguments));
  ExecWords variables(child_environment());
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0)
    fail(ExitCode::kUnavailable, "cannot start {}: {}", kSelf, with_advice(std::strerror(errno)));
  if (child == 0) become_self(parent, words, variables, standard_error);
  return child;
}

int await_status(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

std::vector<std::string> program_words(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"convoy"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

ChildOutcome outcome_of(int status, const std::string& errors) {
  const int code = exit_code_of(status);
  return {code, code == 0 ? std::string() : last_line(errors)};
}

ChildOutcome run_child_program(const std::vector<std::string>& arguments,
                               const std::function<bool()>& stop) {
  ErrorPipe pipe;
  const pid_t child = start_self(arguments, pipe.writing());
  const std::string errors = pipe.read_all(stop);
  if (stop()) ::kill(child, SIGKILL);
  return outcome_of(await_status(child), errors);
}

int show_child_program(const std::vector<std::string>& arguments,
                       const std::function<bool()>& stop) {
  constexpr useconds_t kLook = 50'000;  // microseconds
  const pid_t child = start_self(arguments, std::nullopt);
  siginfo_t ended{};
  while (ended.si_pid == 0 && !stop()) {
    ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid == 0) ::usleep(kLook);
  }
  if (ended.si_pid == 0) ::kill(child, SIGKILL);
  return exit_code_of(await_status(child));
}

}  // namespace convoy::cli
