// Tasks that die, stop and contradict each other, as processes.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <deque>
#include <thread>

#include "core/network/addresses.hpp"
#include "tests/network/task_process.hpp"
#include "tests/sanitized.hpp"

namespace convoy::network::process_test {

using Strings = std::vector<std::string>;

// Two workers and a server; `more` for all of them.
struct Tasks {
  int port = free_ports(1).front();
  Strings common;
  std::deque<TaskProcess> processes{};

  explicit Tasks(Strings more = {}) : common(std::move(more)) {
    common.insert(common.begin(), {"workers=2", "servers=1", "port=" + std::to_string(port)});
  }
  TaskProcess& start(const std::string& role, int index, const Strings& own = {}) {
    Strings arguments = common;
    arguments.insert(arguments.end(), own.begin(), own.end());
    arguments.push_back("role=" + role);
    arguments.push_back("index=" + std::to_string(index));
    return processes.emplace_back(arguments);
  }
  // All three, in the middle of their steps.
  void start_all() {
    start("worker", 0);
    start("worker", 1);
    start("ps", 0);
    for (TaskProcess& process : processes) ASSERT_TRUE(process.line("step 101"));
  }
};

// A death is named this fast; sanitizers slow everything.
constexpr double kSoon = kSanitized ? 5 : 1;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string error_of(TaskProcess& process, double seconds = 10) {
  return process.line("error", seconds).value_or("no error");
}

TEST(NetworkProcess, TasksEndTogether) {
  Tasks tasks({"steps=30"});
  tasks.start("worker", 0);
  tasks.start("worker", 1);
  tasks.start("ps", 0);
  for (TaskProcess& process : tasks.processes) EXPECT_EQ(process.exit_code(), 0);
}

TEST(NetworkProcess, EveryRoleThatIsKilledIsNamedByAllOthers) {
  for (const std::size_t victim : {1u, 2u}) {
    Tasks tasks;
    tasks.start_all();
    const std::string name = (victim == 1 ? "worker 1 (" : "ps 0 (");
    const pid_t pid = tasks.processes[victim].pid();
    const auto begin = std::chrono::steady_clock::now();
    tasks.processes[victim].signal(SIGKILL);
    for (std::size_t other = 0; other < 3; ++other) {
      if (other == victim) continue;
      const std::string error = error_of(tasks.processes[other]);
      EXPECT_EQ(error.find("error " + name), 0u) << error;
      EXPECT_NE(error.find("pid " + std::to_string(pid) + ") lost at step "), std::string::npos);
      EXPECT_NE(error.find("in operation 42 (all_reduce affine0): its connection closed"),
                std::string::npos)
          << error;
    }
    EXPECT_LT(seconds_since(begin), kSoon);
    for (std::size_t other = 0; other < 3; ++other)
      EXPECT_EQ(tasks.processes[other].exit_code(), other == victim ? -SIGKILL : 6);
  }
}

TEST(NetworkProcess, TheCoordinatorsDeathIsSeenByAll) {
  Tasks tasks;
  tasks.start_all();
  const auto begin = std::chrono::steady_clock::now();
  tasks.processes[0].signal(SIGKILL);
  for (const std::size_t other : {1u, 2u}) {
    const std::string error = error_of(tasks.processes[other]);
    EXPECT_EQ(error.find("error the coordinator (worker 0 at 127.0.0.1:"), 0u) << error;
    EXPECT_NE(error.find("lost: its connection closed"), std::string::npos) << error;
  }
  EXPECT_LT(seconds_since(begin), kSoon);
  for (const std::size_t other : {1u, 2u}) EXPECT_EQ(tasks.processes[other].exit_code(), 6);
}

TEST(NetworkProcess, TwoThatDieTogetherLeaveOneLine) {
  Tasks tasks;
  tasks.start_all();
  tasks.processes[1].signal(SIGKILL);
  tasks.processes[2].signal(SIGKILL);
  const std::string error = error_of(tasks.processes[0]);
  EXPECT_NE(error.find("lost at step"), std::string::npos) << error;
  EXPECT_EQ(tasks.processes[0].exit_code(), 6);
  EXPECT_EQ(error_of(tasks.processes[0]), "no error");
}

TEST(NetworkProcess, ADeathWhileTasksJoinEndsTheRun) {
  Tasks tasks;
  TaskProcess& chief = tasks.start("worker", 0);
  TaskProcess& worker = tasks.start("worker", 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(kSanitized ? 3000 : 500));
  worker.signal(SIGKILL);
  const std::string error = error_of(chief, kSoon);
  EXPECT_EQ(error.find("error worker 1 ("), 0u) << error;
  EXPECT_NE(error.find("lost before all tasks had joined"), std::string::npos) << error;
  EXPECT_EQ(chief.exit_code(), 6);
}

TEST(NetworkProcess, ATaskThatIsStoppedForLongIsLost) {
  Tasks tasks({"peer_timeout=1.5"});
  tasks.start_all();
  const auto begin = std::chrono::steady_clock::now();
  tasks.processes[1].signal(SIGSTOP);
  for (const std::size_t other : {0u, 2u})
    EXPECT_NE(error_of(tasks.processes[other]).find("no heartbeat for 1.5 s"), std::string::npos);
  EXPECT_GT(seconds_since(begin), 1.2);
  EXPECT_LT(seconds_since(begin), 1.5 + kSoon);
  for (const std::size_t other : {0u, 2u}) EXPECT_EQ(tasks.processes[other].exit_code(), 6);
  tasks.processes[1].signal(SIGCONT);
  EXPECT_EQ(tasks.processes[1].exit_code(), 6) << "it learns that the run is over";
}

TEST(NetworkProcess, AShorterStopIsReportedAndSurvived) {
  Tasks tasks({"peer_timeout=3"});
  tasks.start_all();
  tasks.processes[1].signal(SIGSTOP);
  const std::string notice = tasks.processes[0].line("notice", 2.5).value_or("");
  EXPECT_EQ(notice.find("notice worker 1 ("), 0u) << notice;
  EXPECT_NE(notice.find("has sent no heartbeat for"), std::string::npos) << notice;
  tasks.processes[1].signal(SIGCONT);
  EXPECT_TRUE(tasks.processes[0].line("notice worker 1"));
  for (TaskProcess& process : tasks.processes) {
    EXPECT_TRUE(process.line("step"));
    EXPECT_FALSE(process.exit_code(0.1));
  }
}

TEST(NetworkProcess, ACoordinatorThatIsStoppedForLongIsLost) {
  Tasks tasks({"peer_timeout=1.5"});
  tasks.start_all();
  tasks.processes[0].signal(SIGSTOP);
  for (const std::size_t other : {1u, 2u}) {
    EXPECT_NE(error_of(tasks.processes[other]).find("lost: no answer for 1.5 s"),
              std::string::npos);
    EXPECT_EQ(tasks.processes[other].exit_code(), 6);
  }
}

TEST(NetworkProcess, AShorterStopOfTheCoordinatorIsSurvived) {
  Tasks tasks({"peer_timeout=3"});
  tasks.start_all();
  tasks.processes[0].signal(SIGSTOP);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  tasks.processes[0].signal(SIGCONT);
  for (TaskProcess& process : tasks.processes) {
    EXPECT_FALSE(process.exit_code(2));
    EXPECT_TRUE(process.line("step"));
  }
}

TEST(NetworkProcess, FlagsThatDifferAreRefusedByBoth) {
  Tasks tasks;
  TaskProcess& chief = tasks.start("worker", 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(kSanitized ? 3000 : 300));
  TaskProcess& other = tasks.start("worker", 1, {"batch_size=8"});
  const std::string error = error_of(other);
  EXPECT_EQ(error.find("error worker 1 ("), 0u) << error;
  EXPECT_NE(error.find("has --batch_size=8, worker 0 ("), std::string::npos) << error;
  EXPECT_NE(error.find(") has 16; "), std::string::npos) << error;
  // The chief stays for a while to tell those who come late.
  TaskProcess& late = tasks.start("ps", 0);
  for (TaskProcess* const task : {&late, &chief}) EXPECT_EQ(error_of(*task), error);
  for (TaskProcess& task : tasks.processes) EXPECT_EQ(task.exit_code(), 2);
}

TEST(NetworkProcess, AMissingTaskIsNamedByAll) {
  Tasks tasks({"join_timeout=2"});
  TaskProcess& chief = tasks.start("worker", 0);
  TaskProcess& server = tasks.start("ps", 0);
  for (TaskProcess* process : {&chief, &server}) {
    const std::string error = error_of(*process);
    EXPECT_NE(error.find("have not joined: worker 1; joined have worker 0"), std::string::npos)
        << error;
    EXPECT_EQ(process->exit_code(), 6);
  }
}

}  // namespace convoy::network::process_test
