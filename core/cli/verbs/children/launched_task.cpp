#include "core/cli/verbs/children/launched_task.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ostream>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/process/end_with_parent.hpp"
#include "core/base/system/system_refusal.hpp"

namespace convoy::cli {

LaunchedTask::LaunchedTask(std::string label, std::vector<std::string> arguments,
                           const cpu_set_t* cores)
    : label_(std::move(label)) {
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0)
    fail(ExitCode::kUnavailable, "cannot open a pipe: {}", with_advice(std::strerror(errno)));
  ExecWords words(std::move(arguments));
  const pid_t launcher = ::getpid();
  process_ = ::fork();
  if (process_ < 0)
    fail(ExitCode::kUnavailable, "cannot start a task: {}", with_advice(std::strerror(errno)));
  if (process_ == 0) become(launcher, words, cores, out[1], err[1]);
  ::close(out[1]);
  ::close(err[1]);
  outputs_[0].descriptor = out[0];
  outputs_[1].descriptor = err[0];
}

LaunchedTask::~LaunchedTask() {
  if (process_ > 0 && !ended_) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  for (const Output& output : outputs_)
    if (output.descriptor >= 0) ::close(output.descriptor);
}

void LaunchedTask::become(pid_t launcher, ExecWords& words, const cpu_set_t* cores, int out,
                          int err) {
  end_with_parent(launcher);
  ::setpgid(0, 0);  // the launcher passes Ctrl-C on
  if (cores != nullptr) ::sched_setaffinity(0, sizeof(*cores), cores);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  execute("/proc/self/exe", words, environ);
}

void LaunchedTask::signal(int number) const {
  if (!ended_) ::kill(process_, number);
}

void LaunchedTask::add_to(std::vector<pollfd>& waits) const {
  for (const Output& output : outputs_)
    if (output.descriptor >= 0) waits.push_back({output.descriptor, POLLIN, 0});
}

void LaunchedTask::pass_on(std::ostream* plain, std::ostream& labelled) {
  const auto with_label = [&](const std::string& line) {
    labelled << label_ << ": " << line << '\n' << std::flush;
  };
  const auto as_it_is = [plain](const std::string& line) { *plain << line << '\n' << std::flush; };
  look_after();  // comes first, so that output before its end is read below
  if (plain != nullptr)
    read(outputs_[0], as_it_is);
  else
    read(outputs_[0], with_label);
  read(outputs_[1], with_label);
}

void LaunchedTask::read(Output& output, const std::function<void(const std::string&)>& print) {
  pollfd wait{output.descriptor, POLLIN, 0};
  std::array<char, 4096> buffer{};
  while (output.descriptor >= 0 && ::poll(&wait, 1, 0) > 0) {
    const ssize_t count = ::read(output.descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count > 0) output.rest.append(buffer.data(), static_cast<std::size_t>(count));
    if (count <= 0) {
      ::close(output.descriptor);
      output.descriptor = -1;
      if (!output.rest.empty()) output.rest += '\n';
    }
    for (std::size_t end = 0; (end = output.rest.find('\n')) != std::string::npos;) {
      print(output.rest.substr(0, end));
      output.rest.erase(0, end + 1);
    }
  }
}

void LaunchedTask::look_after() {
  int status = 0;
  if (ended_ || ::waitpid(process_, &status, WNOHANG) != process_) return;
  ended_ = true;
  was_killed_ = WIFSIGNALED(status);
  exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace convoy::cli
