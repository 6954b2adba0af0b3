#include "tests/end_to_end/running_program.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "core/base/process/end_with_parent.hpp"
namespace convoy {
namespace {

using Clock = std::chrono::steady_clock;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

int open_for_writing(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

// Its network, and its mounts, for /etc/hosts is a host's own. With those the folder of work is
// another one.
void join_host(pid_t process) {
  const std::filesystem::path here = std::filesystem::current_path();
  const std::string folder = "/proc/" + std::to_string(process) + "/ns/";
  const int network = ::open((folder + "net").c_str(), O_RDONLY | O_CLOEXEC);
  const int mounts = ::open((folder + "mnt").c_str(), O_RDONLY | O_CLOEXEC);
  if (network < 0 || ::setns(network, CLONE_NEWNET) != 0) ::_exit(126);
  if (mounts < 0 || ::setns(mounts, CLONE_NEWNS) != 0) ::_exit(126);
  std::filesystem::current_path(here);
}

// Looks every few milliseconds until `done`.
template <typename Done>
bool wait_until(double seconds, Done done) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (!done()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace

RunningProgram::RunningProgram(const std::vector<std::string>& arguments,
                               std::optional<pid_t> on_host, const ProgramOptions& options) {
  static int number = 0;
  folder_ = scratch_folder("program_" + std::to_string(++number));
  ProgramOptions own = options;
  if (own.cache_folder.empty()) own.cache_folder = folder_;
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ > 0) return;
  end_with_parent(parent);
  if (on_host) join_host(*on_host);
  become_convoy(arguments, own, open_for_writing(folder_ + "/out"),
                open_for_writing(folder_ + "/err"));
}

RunningProgram::~RunningProgram() {
  if (code_) return;
  signal(SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void RunningProgram::signal(int number) const {
  if (!code_) ::kill(pid_, number);
}

bool RunningProgram::catches(int number, double seconds) const {
  return wait_until(seconds, [&] {
    const std::string status = text_of("/proc/" + std::to_string(pid_) + "/status");
    const std::string title = "SigCgt:";
    const std::size_t found = status.find(title);
    if (found == std::string::npos) return false;
    const std::uint64_t caught = std::stoull(status.substr(found + title.size()), nullptr, 16);
    return (caught >> (number - 1) & 1) != 0;
  });
}

std::string RunningProgram::out() const {
  return text_of(folder_ + "/out");
}

std::string RunningProgram::err() const {
  return text_of(folder_ + "/err");
}

bool RunningProgram::has_said(const std::string& text) const {
  return out().find(text) != std::string::npos || err().find(text) != std::string::npos;
}

bool RunningProgram::says(const std::string& text, double seconds) {
  return wait_until(seconds, [&] { return has_said(text) || exit_code(0); }) && has_said(text);
}

std::optional<int> RunningProgram::exit_code(double seconds) {
  wait_until(seconds, [&] {
    int status = 0;
    if (!code_ && ::waitpid(pid_, &status, WNOHANG) == pid_)
      code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return code_.has_value();
  });
  return code_;
}

std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t process = std::stoi(name);
    if (process == ::getpid() || process == ::getppid()) continue;
    if (text_of(entry.path().string() + "/cmdline").find(text) != std::string::npos)
      found.push_back(process);
  }
  return found;
}

}  // namespace convoy
