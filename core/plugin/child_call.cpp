#include "core/plugin/child_call.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/process/end_with_parent.hpp"
#include "core/base/process/in_parallel.hpp"
#include "core/base/system/system_refusal.hpp"
#include "core/plugin/search_path.hpp"
#include "core/plugin/surroundings.hpp"
#include "core/plugin/watched_call.hpp"

namespace convoy::plugin {
namespace {

using Clock = std::chrono::steady_clock;

// The first byte of the child's answer. A child that ends by itself gives no answer.
constexpr char kGave = 'g';
constexpr char kThrew = 't';    // then the exit code as one byte
constexpr char kChanged = 'c';  // changed its surroundings; then how

constexpr std::size_t kLongestAnswer = 1 << 20;
constexpr int kLongestRest = 50;  // milliseconds between two looks at a child that is silent

bool in_child = false;  // written once, right after fork()

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

// Returns the child's answer; empty if there is no memory even for the reason.
std::string answer_of(const std::function<std::string()>& work) noexcept {
  try {
    try {
      return kGave + work();
    } catch (const Error& error) {
      return fmt::format("{}{}{}", kThrew, static_cast<char>(error.code()), error.what());
    } catch (const std::exception& error) {
      return fmt::format("{}{}it threw {}", kThrew, static_cast<char>(ExitCode::kUnavailable),
                         error.what());
    }
  } catch (const std::exception&) {
    return {};
  }
}

[[noreturn]] void answer(pid_t parent, int descriptor, bool is_trusted,
                         const std::function<std::string()>& work) {
  in_child = true;
  end_with_parent(parent);
  // The output would appear twice, because this process calls `work` again afterwards.
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDOUT_FILENO);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGPIPE, SIGUSR1})
    std::signal(number, SIG_DFL);
  const Surroundings before;
  const std::string text = answer_of(work);
  const char* const change = is_trusted ? nullptr : before.change();
  if (change != nullptr) {
    write_all(descriptor, {&kChanged, 1});
    write_all(descriptor, change);
  } else {
    write_all(descriptor, text);
  }
  ::_exit(0);
}

// Reads the available bytes, up to the longest answer. Returns false at the end.
bool read_some(int descriptor, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  const auto room = static_cast<ssize_t>(kLongestAnswer - text.size());
  text.append(buffer.data(), static_cast<std::size_t>(std::min(count, room)));
  return count > 0;
}

bool has_something(int descriptor, int milliseconds) {
  pollfd wait{descriptor, POLLIN, 0};
  return ::poll(&wait, 1, milliseconds) > 0;
}

// If the process ignores SIGCHLD, the system does not report the end, only that the child is gone.
bool has_ended(pid_t child, int& status) {
  const pid_t changed = ::waitpid(child, &status, WNOHANG);
  return changed == child || (changed < 0 && errno == ECHILD);
}

// Reads the child's text until the child ends, even if other processes still have its end of the
// pipe, or the child has closed it early. Returns false if the deadline passes first or this
// process is to end.
bool follow(pid_t child, int descriptor, Clock::time_point deadline, std::string& text,
            int& status) {
  bool open = true;
  for (int rest = 1;; rest = std::min(2 * rest, kLongestRest)) {
    if (has_ended(child, status)) {
      while (text.size() < kLongestAnswer && has_something(descriptor, 0) &&
             read_some(descriptor, text))
        continue;
      return true;
    }
    if (has_something(open ? descriptor : -1, rest)) {
      open = read_some(descriptor, text);
      rest = 1;
    }
    if (Clock::now() >= deadline || hurried_calls() != ExitCode::kOk) return false;
  }
}

void end_child(pid_t child) {
  ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
}

// Returns what the plug-in did, if the child gave no answer of its own.
std::string fault(const std::string& text, int status) {
  if (!text.empty() && text.front() == kChanged) return fmt::format("it {}", text.substr(1));
  if (WIFSIGNALED(status))
    return fmt::format("it crashed: signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  return fmt::format("it ended the process with code {}", WEXITSTATUS(status));
}

}  // namespace

bool is_own(const FoundPlugin& plugin) {
  std::error_code ignored;
  const auto folder = std::filesystem::weakly_canonical(plugin.path, ignored).parent_path();
  return std::ranges::any_of(search_path(process_search_settings("")), [&](const auto& entry) {
    return (entry.origin == SearchOrigin::kExecutable ||
            entry.origin == SearchOrigin::kInstallPrefix) &&
           std::filesystem::weakly_canonical(entry.path, ignored) == folder;
  });
}

bool is_child_call() {
  return in_child;
}

std::string call_in_child(const FoundPlugin& plugin, const std::string& doing, double seconds,
                          const std::function<std::string()>& work) {
  require_no_other_work();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    fail(ExitCode::kUnavailable, "cannot open a pipe: {}", with_advice(std::strerror(errno)));
  const bool is_trusted = is_own(plugin);
  std::fflush(nullptr);  // the copy would write what is buffered, too
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    answer(parent, ends[1], is_trusted, work);
  }
  ::close(ends[1]);
  std::string text;
  const auto deadline =
      Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * seconds));
  int status = 0;
  const bool late = child > 0 && !follow(child, ends[0], deadline, text, status);
  ::close(ends[0]);
  if (child < 0)
    throw NoProcess(ExitCode::kUnavailable,
                    std::string("cannot start a process: ") + with_advice(std::strerror(errno)));
  if (late) end_child(child);
  if (late && hurried_calls() != ExitCode::kOk)
    fail(hurried_calls(), "interrupted while {} {} was tried", to_string(plugin.manifest.kind),
         plugin.manifest.name);
  if (!late && !text.empty() && text.front() == kGave) return text.substr(1);
  if (!late && text.size() > 1 && text.front() == kThrew)
    throw Error(static_cast<ExitCode>(static_cast<unsigned char>(text[1])), text.substr(2));
  fail(ExitCode::kUnavailable, "{} {} ({}), {}: {}; fix it, or remove it from the plug-in path",
       to_string(plugin.manifest.kind), plugin.manifest.name, plugin.path.string(), doing,
       late ? fmt::format("it had not returned after {} seconds", seconds) : fault(text, status));
}

}  // namespace convoy::plugin
