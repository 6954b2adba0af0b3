#include "core/cli/verbs/verbs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ostream>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/process/interruption.hpp"
#include "core/base/process/process_limits.hpp"
#include "core/base/system/memory_limit.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/command.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/run_flags.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/cli/interrupt.hpp"
#include "core/cli/verbs/children/launched_task.hpp"
#include "core/cli/verbs/launch_limits.hpp"
#include "core/cli/verbs/qualify.hpp"
#include "core/job/limits.hpp"
#include "core/network/addresses.hpp"
#include "topology/detect/usable_cores.hpp"

namespace convoy::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMostTasks = 1024;

struct LaunchOptions {
  std::uint32_t workers = 2;
  std::uint32_t servers = 0;
  std::uint32_t restarts = 0;
  double end_timeout = 10;  // seconds
  bool oversubscribe = false;
};

FlagTable launch_flags(LaunchOptions& options) {
  std::vector<FlagDefinition> flags = {
      bind_flag("workers", options.workers, Bounds{1, kMostTasks}, "Number of workers."),
      bind_flag("servers", options.servers, Bounds{0, kMostTasks}, "Number of parameter servers."),
      bind_flag(
          "restarts", options.restarts, Bounds{0, kMostTasks},
          "How often a task that a signal has killed is restarted (not worker 0). The others wait "
          "for it, and all continue from the newest checkpoint of the run's --train_dir."),
      bind_flag("end_timeout", options.end_timeout, Bounds{0, kMostSeconds},
                "Seconds for the other tasks to end by themselves when one has failed, or when "
                "worker 0 has ended as asked by a signal; then they are killed."),
      bind_flag(
          "oversubscribe", options.oversubscribe,
          "Allows more tasks than the cores, the free memory and the thread limits suffice for.")};
  for (FlagDefinition& flag : flags) {
    flag.group = "Tasks";
    flag.common = true;
  }
  FlagTable table;
  table.add_all(std::move(flags));
  return table;
}

std::string addresses(std::span<const int> ports) {
  std::vector<std::string> texts;
  for (const int port : ports) texts.push_back(fmt::format("127.0.0.1:{}", port));
  return fmt::format("{}", fmt::join(texts, ","));
}

// Returns this worker's share of the cores that the process may use. If there are more workers than
// cores, they share cores.
cpu_set_t share_of_worker(const std::vector<topology::CoreUnits>& cores, std::uint32_t worker,
                          std::uint32_t workers) {
  cpu_set_t own;
  CPU_ZERO(&own);
  for (const unsigned unit : topology::share_of_cores(cores, worker, workers)) CPU_SET(unit, &own);
  return own;
}

// Returns the words after "--", beginning with the verb, which is run if there is none.
std::vector<std::string> words_of_tasks(std::span<const std::string> arguments) {
  std::vector<std::string> words(arguments.begin(), arguments.end());
  if (words.empty() || words.front().starts_with("-")) words.insert(words.begin(), "run");
  if (words.front() != "run" && words.front() != "qualify")
    fail(ExitCode::kUsage,
         "'{}' after -- is not a verb that runs as several tasks; these are run, which may be left "
         "out, and qualify",
         words.front());
  return words;
}

// Checks the flags of tasks once, instead of in every task. The words are a task's command line
// without the program's name.
void refuse_flags_of_tasks(std::span<const std::string> words) {
  if (words.front() == "qualify") {
    QualifyRequest request;
    static_cast<void>(read_qualify_command(words.subspan(1), request));
  } else {
    static_cast<void>(read_command(words.subspan(1)));
  }
}

void check_tasks(const LaunchOptions& options, std::size_t cores) {
  if (options.oversubscribe) return;
  const std::string refusal =
      too_many_tasks(options.workers + options.servers, cores, available_memory(SystemRoot("/")));
  if (!refusal.empty()) fail(ExitCode::kUsage, "{}", refusal);
  const std::string threads =
      too_few_threads(options.workers + options.servers, threads_for_processes);
  if (!threads.empty()) fail(ExitCode::kUnavailable, "{}", threads);
}

class Launch {
 public:
  // words: the command line of every task, its verb first.
  Launch(const LaunchOptions& options, std::span<const std::string> words)
      : restarts_left_(options.restarts),
        end_timeout_(std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(options.end_timeout))) {
    const std::vector<topology::CoreUnits> cores = topology::usable_cores().cores;
    check_tasks(options, cores.size());
    constexpr std::uint64_t kFilesOfTask = 3;  // a port while it is chosen, and two outputs
    const std::uint64_t tasks = std::uint64_t{options.workers} + options.servers;
    prepare_to_open(kFilesOfTask * tasks, fmt::format("{} tasks of launch", tasks));
    const std::vector<int> ports = network::free_ports(options.workers + options.servers);
    const auto hosts = std::span(ports);
    std::vector<std::string> common = {"convoy", words.front(),
                                       "--worker_hosts=" + addresses(hosts.first(options.workers))};
    if (options.servers > 0)
      common.push_back("--ps_hosts=" + addresses(hosts.subspan(options.workers)));
    common.insert(common.end(), words.begin() + 1, words.end());
    if (options.restarts > 0) common.push_back(fmt::format("--restarts={}", options.restarts));
    const auto add = [&](const char* role, std::uint32_t index, std::optional<cpu_set_t> own) {
      std::vector<std::string> all = common;
      all.insert(all.end(),
                 {fmt::format("--job_name={}", role), fmt::format("--task_index={}", index)});
      tasks_.push_back({fmt::format("{} {}", role, index), std::move(all), own});
    };
    for (std::uint32_t i = 0; i < options.workers; ++i)
      add("worker", i, share_of_worker(cores, i, options.workers));
    for (std::uint32_t i = 0; i < options.servers; ++i) add("ps", i, std::nullopt);
    refuse_flags_of_tasks(std::span(tasks_.front().arguments).subspan(1));
    for (Task& task : tasks_) task.start();
  }

  int run(std::ostream& out, std::ostream& err) {
    InterruptGuard interrupt;
    interrupt.end_after_steps();
    interrupt.note_suspension();
    while (std::ranges::any_of(tasks_, [](const Task& it) { return !it.process->ended(); })) {
      wait();
      for (const Task& task : tasks_) task.process->pass_on(is_chief(task) ? &out : nullptr, err);
      if (interrupt.requested()) end_all(interrupt.signal());
      if (interrupt.take_save_request()) tasks_.front().process->signal(SIGUSR1);
      if (interrupt.take_suspend_request()) suspend();
      for (Task& task : tasks_)
        if (task.process->ended() && task.process->exit_code() != 0) replace_or_give_up(task, err);
      // The chief has saved everything by then.
      if (passed_on_ != 0 && !end_by_ && tasks_.front().process->ended())
        end_by_ = Clock::now() + end_timeout_;
      if (end_by_ && Clock::now() > *end_by_) kill_rest(err);
    }
    return exit_code_;
  }

 private:
  struct Task {
    std::string label;
    std::vector<std::string> arguments;
    std::optional<cpu_set_t> cores;  // none: all cores
    std::unique_ptr<LaunchedTask> process{};

    void start() {
      process = std::make_unique<LaunchedTask>(label, arguments, cores ? &*cores : nullptr);
    }
  };

  bool is_chief(const Task& task) const { return &task == &tasks_.front(); }

  void wait() const {
    std::vector<pollfd> waits;
    for (const Task& task : tasks_) task.process->add_to(waits);
    constexpr int kLook = 50;  // milliseconds between two looks for ended processes and signals
    ::poll(waits.data(), waits.size(), kLook);
  }

  // The tasks are in process groups of their own, so Ctrl-Z does not reach them.
  void suspend() {
    const Clock::time_point begin = Clock::now();
    for (const Task& task : tasks_) task.process->signal(SIGSTOP);
    std::raise(SIGSTOP);
    for (const Task& task : tasks_) task.process->signal(SIGCONT);
    if (end_by_) *end_by_ += Clock::now() - begin;
  }

  void kill_rest(std::ostream& err) {
    for (const Task& task : tasks_)
      if (!task.process->ended()) {
        err << fmt::format("convoy: {} has not ended after {:g} s (--end_timeout) and is killed\n",
                           task.label, std::chrono::duration<double>(end_timeout_).count());
        task.process->signal(SIGKILL);
      }
    if (exit_code_ == 0) exit_code_ = static_cast<int>(ExitCode::kTimeout);
    end_by_ = Clock::time_point::max();
  }

  // Passes the signal on to all tasks, also to those that are left after one has failed. It sets no
  // time limit, because steps and checkpoints take their time. A second signal ends this process
  // and the tasks with it.
  void end_all(int signal) {
    if (signal == SIGPIPE) signal = SIGTERM;  // the tasks' output is still read
    if (std::exchange(passed_on_, signal) != 0) return;
    for (const Task& task : tasks_) task.process->signal(signal);
  }

  // Returns whether the task was asked to end and did so, or the signal came before the task
  // handled it.
  bool ended_as_asked(const LaunchedTask& task) const {
    const int code = task.exit_code();
    return passed_on_ != 0 &&
           (is_interruption(static_cast<ExitCode>(code)) || code == 128 + passed_on_);
  }

  // The other tasks notice that a task is lost. They say so and wait for its replacement, or end. A
  // task that does neither is ended. This also holds if all were asked to end, because they may
  // wait for the lost one.
  void replace_or_give_up(Task& task, std::ostream& err) {
    const int code = task.process->exit_code();
    const bool fails = !ended_as_asked(*task.process);
    if (end_by_ && fails) note_cause(task, err);
    if (end_by_ || (exit_code_ != 0 && !fails)) return;
    say_ended(task, err);
    if (task.process->was_killed() && restarts_left_ > 0 && !is_chief(task) && passed_on_ == 0) {
      err << fmt::format("convoy: {} is started again ({} left)\n", task.label, --restarts_left_);
      return task.start();
    }
    if (exit_code_ == 0) exit_code_ = code;
    if (fails) end_by_ = Clock::now() + end_timeout_;
  }

  // A task may end because it lost another one, and may do so before that one ends. The code of the
  // lost task is the cause.
  void note_cause(const Task& task, std::ostream& err) {
    constexpr int kLost = static_cast<int>(ExitCode::kTimeout);
    const int code = task.process->exit_code();
    if (exit_code_ != kLost || code == kLost || task.process->was_killed()) return;
    exit_code_ = code;
    say_ended(task, err);
  }

  static void say_ended(const Task& task, std::ostream& err) {
    err << fmt::format("convoy: {} ended with code {}\n", task.label, task.process->exit_code());
  }

  std::vector<Task> tasks_;
  std::uint32_t restarts_left_;
  Clock::duration end_timeout_;
  std::optional<Clock::time_point> end_by_;
  int passed_on_ = 0;  // the signal that was passed on to all tasks; 0: none
  int exit_code_ = 0;
};

// The likely mistake is that flags of the tasks stand before "--", or that "--" is missing.
[[noreturn]] void refuse_launch_flags(std::span<const std::string> own, const FlagTable& table,
                                      const Error& refusal) {
  RunCommand command;
  const FlagTable of_tasks = run_flag_table(command);
  for (const FlagDefinition& flag : of_tasks.flags()) {
    const bool is_switch = flag.type == FlagType::kBool;
    const bool given = is_switch ? find_switch(own, flag.name, no_environment)
                                 : find_flag(own, flag.name, no_environment).has_value();
    if (given && !table.contains(flag.name))
      fail(ExitCode::kUsage,
           "--{} is a flag of the tasks, and their flags follow --: convoy launch --workers=2 -- "
           "--{}{}",
           flag.name, flag.name, is_switch ? "" : "=...");
  }
  throw refusal;
}

// Refuses flags that identify a task, because launch sets them.
void refuse_identities(std::span<const std::string> of_tasks) {
  for (const char* flag : {"worker_hosts", "ps_hosts", "controller_host", "job_name", "task_index"})
    if (find_flag(of_tasks, flag, no_environment))
      fail(ExitCode::kUsage,
           "--{} cannot be given to tasks of launch, which assigns each of them its role, number "
           "and address on this machine; use --workers and --servers instead, or start every task "
           "with convoy run",
           flag);
}

constexpr VerbUsage kLaunchUsage = {
    "launch [--workers=N] [--servers=N] [--restarts=N] -- [qualify] FLAGS",
    "Starts the tasks of `convoy run FLAGS`, or of `convoy qualify FLAGS`, as for several hosts, "
    "but all on this machine. Divides the cores among the workers. Prints worker 0's output "
    "unchanged, and the output of the others with their names on standard error. Ends all tasks "
    "when one fails."};

}  // namespace

int run_launch_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  LaunchOptions options;
  const FlagTable table = launch_flags(options);
  const auto end = std::ranges::find(arguments, "--");
  const auto own = arguments.first(static_cast<std::size_t>(end - arguments.begin()));
  if (wants_help(own)) {
    out << usage_text(kLaunchUsage) << flag_help(table);
    return 0;
  }
  try {
    parse_flags(table, own);
  } catch (const Error& refusal) {
    refuse_launch_flags(own, table, refusal);
  }
  if (end == arguments.end())
    fail(ExitCode::kUsage,
         "launch needs --, followed by the flags of the run that it starts: convoy launch "
         "--workers=2 -- --model=NAME");
  const std::vector<std::string> words = words_of_tasks(arguments.subspan(own.size() + 1));
  if (wants_help(words)) return run_command(words, out, err);
  refuse_identities(words);
  return Launch(options, words).run(out, err);
}

}  // namespace convoy::cli
