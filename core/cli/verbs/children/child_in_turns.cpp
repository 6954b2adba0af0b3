#include "core/cli/verbs/children/child_in_turns.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/process/end_with_parent.hpp"
#include "core/base/system/system_refusal.hpp"
#include "core/cli/verbs/children/child_environment.hpp"
#include "core/cli/verbs/children/exec_words.hpp"

namespace convoy::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{1};

// Blocks the signal for pausing while this object lives. A child is forked in between, because the
// signal may come before the child has done anything. Otherwise the handler of this process would
// take it, or it would end a program that does not handle it yet.
class HeldStandstills {
 public:
  HeldStandstills() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR2);
    ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~HeldStandstills() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldStandstills(const HeldStandstills&) = delete;
  HeldStandstills& operator=(const HeldStandstills&) = delete;

 private:
  sigset_t before_{};
};

[[noreturn]] void become(pid_t parent, const std::string& program, ExecWords& words,
                         ExecWords& variables, const std::string& errors) {
  end_with_parent(parent);
  ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
  ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), STDERR_FILENO);
  execute(program.c_str(), words, variables.data());
}

}  // namespace

ChildInTurns::ChildInTurns(const std::string& program, const std::vector<std::string>& arguments,
                           std::filesystem::path errors, const Stop& stop)
    : errors_(std::move(errors)) {
  ExecWords words(program_words(arguments));
  ExecWords variables(child_environment());
  const pid_t parent = ::getpid();
  const HeldStandstills held;
  process_ = ::fork();
  if (process_ < 0)
    fail(ExitCode::kUnavailable, "cannot start {}: {}", program, with_advice(std::strerror(errno)));
  if (process_ == 0) become(parent, program, words, variables, errors_.string());
  await_standstill(stop);
}

ChildInTurns::~ChildInTurns() {
  if (ended_) return;
  ::kill(process_, SIGKILL);
  look(0);
}

void ChildInTurns::go_on(std::chrono::milliseconds slice, const Stop& stop) {
  if (ended_) return;
  const auto until = std::chrono::steady_clock::now() + slice;
  ::kill(process_, SIGCONT);
  while (!ended_ && !stop() && std::chrono::steady_clock::now() < until) {
    look(WNOHANG);
    std::this_thread::sleep_for(kBetweenLooks);
  }
  await_standstill(stop);
}

void ChildInTurns::await_standstill(const Stop& stop) {
  if (ended_) return;
  ::kill(process_, SIGUSR2);
  while (!stop() && !look(WNOHANG | WUNTRACED)) std::this_thread::sleep_for(kBetweenLooks);
}

// Returns whether it has ended or is stopped. WUNTRACED reports the latter only once.
bool ChildInTurns::look(int options) {
  int status = 0;
  pid_t seen = 0;
  while ((seen = ::waitpid(process_, &status, options)) < 0 && errno == EINTR) {
  }
  if (seen != process_) return false;
  ended_ = !WIFSTOPPED(status);
  if (ended_) status_ = status;
  return true;
}

ChildOutcome ChildInTurns::outcome() const {
  CONVOY_CHECK(ended_);
  std::ostringstream text;
  text << std::ifstream(errors_).rdbuf();
  return outcome_of(status_, text.str());
}

}  // namespace convoy::cli
