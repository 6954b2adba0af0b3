#include "core/cli/verbs/launch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ostream>
#include <vector>

#include "core/base/error.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/interrupt.hpp"
#include "core/cli/verbs/launched_task.hpp"
#include "core/network/addresses.hpp"

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

class Launch {
 public:
  Launch(const LaunchOptions& options, std::span<const std::string> arguments) {
    const std::vector<int> ports = network::free_ports(options.workers + options.servers);
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
          std::make_unique<LaunchedTask>(fmt::format("{} {}", name, index), std::move(all), cores));
    };
    for (std::uint32_t i = 0; i < options.workers; ++i) {
      const cpu_set_t cores = share_of_cores(i, options.workers);
      start("worker", "worker", i, &cores);
    }
    for (std::uint32_t i = 0; i < options.servers; ++i) start("ps", "ps", i, nullptr);
  }

  int run(std::ostream& out, std::ostream& err) {
    InterruptGuard interrupt;
    interrupt.end_after_steps();
    while (std::ranges::any_of(tasks_, [](const auto& task) { return !task->ended(); })) {
      wait();
      for (const auto& task : tasks_) {
        const bool chief = task == tasks_.front();
        task->pass_on(chief ? &out : nullptr, err);
      }
      if (interrupt.requested()) end_all(SIGINT);
      if (interrupt.take_save_request())
        for (const auto& task : tasks_) task->signal(SIGUSR1);
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
  void note_failure(const LaunchedTask& task, std::ostream& err) {
    if (exit_code_ != 0) return;
    exit_code_ = task.exit_code();
    err << fmt::format("convoy: {} ended with code {}\n", task.label(), exit_code_);
    if (!end_by_) end_by_ = Clock::now() + kGrace;
  }

  std::vector<std::unique_ptr<LaunchedTask>> tasks_;
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
