#include "core/cli/verbs/launch.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ostream>
#include <vector>

#include "core/base/error.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/interrupt.hpp"

namespace convoy {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMostTasks = 1024;
constexpr auto kGrace = std::chrono::seconds(10);  // for tasks to end by themselves

struct LaunchOptions {
  std::uint32_t workers = 2;
  std::uint32_t servers = 0;
};

FlagTable launch_flags(LaunchOptions& options) {
  FlagTable table;
  table.add_all({bind_flag("workers", options.workers, Range{1, kMostTasks}, "Tasks that compute."),
                 bind_flag("servers", options.servers, Range{0, kMostTasks},
                           "Tasks that are parameter servers.")});
  return table;
}

// Ports of this machine that nobody listens on now, all different.
std::vector<int> free_ports(std::size_t count) {
  std::vector<int> sockets;
  std::vector<int> ports;
  for (std::size_t i = 0; i < count; ++i) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (socket < 0 || ::bind(socket, plain, size) != 0 || ::getsockname(socket, plain, &size) != 0)
      fail(ExitCode::kUnavailable, "no free port of this machine can be found: {}",
           std::strerror(errno));
    sockets.push_back(socket);
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int socket : sockets) ::close(socket);
  return ports;
}

std::string addresses(std::span<const int> ports) {
  std::vector<std::string> texts;
  for (const int port : ports) texts.push_back(fmt::format("127.0.0.1:{}", port));
  return fmt::format("{}", fmt::join(texts, ","));
}

// This worker's share of the cores that the process may use; more workers than cores share them.
cpu_set_t share_of_cores(std::uint32_t worker, std::uint32_t workers) {
  cpu_set_t all;
  CPU_ZERO(&all);
  ::sched_getaffinity(0, sizeof(all), &all);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &all)) cores.push_back(core);
  const std::size_t first = worker * cores.size() / workers;
  const std::size_t last = std::max(first + 1, (worker + 1) * cores.size() / workers);
  cpu_set_t own;
  CPU_ZERO(&own);
  for (std::size_t i = first; i < last; ++i) CPU_SET(cores[i % cores.size()], &own);
  return own;
}

// One task: its process and what it prints, line by line.
class Launched {
 public:
  Launched(std::string label, std::vector<std::string> arguments, const cpu_set_t* cores)
      : label_(std::move(label)) {
    int out[2];
    int err[2];
    if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0)
      fail(ExitCode::kFailed, "cannot open a pipe: {}", std::strerror(errno));
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    process_ = ::fork();
    if (process_ < 0) fail(ExitCode::kFailed, "cannot start a task: {}", std::strerror(errno));
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nothing is left when the launcher is killed
      ::setpgid(0, 0);                     // Ctrl-C comes from the launcher
      if (cores != nullptr) ::sched_setaffinity(0, sizeof(*cores), cores);
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(err[1], STDERR_FILENO);
      ::execv("/proc/self/exe", argv.data());
      ::_exit(127);
    }
    ::close(out[1]);
    ::close(err[1]);
    outputs_[0].descriptor = out[0];
    outputs_[1].descriptor = err[0];
  }
  ~Launched() {
    if (process_ > 0 && !ended_) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
    for (Output& output : outputs_)
      if (output.descriptor >= 0) ::close(output.descriptor);
  }
  Launched(const Launched&) = delete;
  Launched& operator=(const Launched&) = delete;

  const std::string& label() const { return label_; }
  bool ended() const { return ended_; }
  int exit_code() const { return exit_code_; }
  void signal(int number) const {
    if (!ended_) ::kill(process_, number);
  }

  void add_to(std::vector<pollfd>& waits) const {
    for (const Output& output : outputs_)
      if (output.descriptor >= 0) waits.push_back({output.descriptor, POLLIN, 0});
  }

  // Passes on what it has printed since: its standard output plain to `plain`, if there is such a
  // stream, everything else with the task's name to `labelled`.
  void pass_on(std::ostream* plain, std::ostream& labelled) {
    for (Output& output : outputs_) {
      const bool is_plain = plain != nullptr && &output == &outputs_[0];
      read(output, [&](const std::string& line) {
        if (is_plain)
          *plain << line << '\n' << std::flush;
        else
          labelled << label_ << ": " << line << '\n' << std::flush;
      });
    }
    look_after();
  }

 private:
  struct Output {
    int descriptor = -1;
    std::string rest;  // of a line that is not complete
  };

  template <typename Print>
  static void read(Output& output, const Print& print) {
    pollfd wait{output.descriptor, POLLIN, 0};
    char buffer[4096];
    while (output.descriptor >= 0 && ::poll(&wait, 1, 0) > 0) {
      const ssize_t count = ::read(output.descriptor, buffer, sizeof(buffer));
      if (count < 0 && errno == EINTR) continue;
      if (count > 0) output.rest.append(buffer, static_cast<std::size_t>(count));
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

  void look_after() {
    int status = 0;
    if (ended_ || ::waitpid(process_, &status, WNOHANG) != process_) return;
    ended_ = true;
    exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

  std::string label_;
  pid_t process_ = -1;
  bool ended_ = false;
  int exit_code_ = 0;
  Output outputs_[2];
};

class Launch {
 public:
  Launch(const LaunchOptions& options, std::span<const std::string> arguments) {
    const std::vector<int> ports = free_ports(options.workers + options.servers);
    const auto hosts = std::span(ports);
    std::vector<std::string> common = {"convoy", "run",
                                       "--worker_hosts=" + addresses(hosts.first(options.workers))};
    if (options.servers > 0)
      common.push_back("--ps_hosts=" + addresses(hosts.subspan(options.workers)));
    common.insert(common.end(), arguments.begin(), arguments.end());
    const auto start = [&](const char* role, const char* name, std::uint32_t index,
                           const cpu_set_t* cores) {
      std::vector<std::string> all = common;
      all.insert(all.end(),
                 {fmt::format("--job_name={}", role), fmt::format("--task_index={}", index)});
      tasks_.push_back(
          std::make_unique<Launched>(fmt::format("{} {}", name, index), std::move(all), cores));
    };
    for (std::uint32_t i = 0; i < options.workers; ++i) {
      const cpu_set_t cores = share_of_cores(i, options.workers);
      start("worker", "worker", i, &cores);
    }
    for (std::uint32_t i = 0; i < options.servers; ++i) start("ps", "ps", i, nullptr);
  }

  int run(std::ostream& out, std::ostream& err) {
    const InterruptGuard interrupt;
    while (std::ranges::any_of(tasks_, [](const auto& task) { return !task->ended(); })) {
      wait();
      for (const auto& task : tasks_) {
        const bool chief = task == tasks_.front();
        task->pass_on(chief ? &out : nullptr, err);
      }
      if (interrupt.requested()) end_all(SIGINT);
      for (const auto& task : tasks_)
        if (task->ended() && task->exit_code() != 0) note_failure(*task, err);
      if (end_by_ && Clock::now() > *end_by_)
        for (const auto& task : tasks_) task->signal(SIGKILL);
    }
    return exit_code_;
  }

 private:
  void wait() const {
    std::vector<pollfd> waits;
    for (const auto& task : tasks_) task->add_to(waits);
    constexpr int kLook = 50;  // milliseconds, for processes that ended and for signals
    ::poll(waits.data(), waits.size(), kLook);
  }

  void end_all(int signal) {
    if (end_by_) return;
    end_by_ = Clock::now() + kGrace;
    for (const auto& task : tasks_) task->signal(signal);
  }

  // The others see for themselves that a task is lost, say so and end; whoever does not is ended.
  void note_failure(const Launched& task, std::ostream& err) {
    if (exit_code_ != 0) return;
    exit_code_ = task.exit_code();
    err << fmt::format("convoy: {} ended with code {}\n", task.label(), exit_code_);
    if (!end_by_) end_by_ = Clock::now() + kGrace;
  }

  std::vector<std::unique_ptr<Launched>> tasks_;
  std::optional<Clock::time_point> end_by_;
  int exit_code_ = 0;
};

}  // namespace

int run_launch_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  LaunchOptions options;
  const FlagTable table = launch_flags(options);
  const auto end = std::ranges::find(arguments, "--");
  const auto own = arguments.first(static_cast<std::size_t>(end - arguments.begin()));
  if (wants_help(own)) {
    out << "convoy launch [--workers=N] [--servers=N] -- FLAGS: starts the tasks of `convoy run "
           "FLAGS` on\nseveral hosts, all on this machine: divides its cores among the workers, "
           "prints worker 0's output\nas it is and the others' with their names on standard "
           "error, and ends all when one fails.\n\n"
        << flag_help(table);
    return 0;
  }
  parse_flags(table, own);
  const auto of_run =
      end == arguments.end() ? std::span<const std::string>() : arguments.subspan(own.size() + 1);
  return Launch(options, of_run).run(out, err);
}

}  // namespace convoy
