// What becomes of a run on several hosts when its tasks die, stop or are interrupted, in every role
// and at every time: share/test.sh faults.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <string_view>
#include <thread>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/host_tasks.hpp"

namespace convoy::fault_deaths_test {
namespace {

using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr double kNamed = 3;  // seconds within which a death is named, on a machine that is busy
constexpr double kEnded = 10;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

struct Phase {
  std::string name;
  std::string announced_by;  // on the chief's output
  Arguments flags = {};
  double later = 0;  // seconds
};

std::vector<Phase> phases() {
  return {{"WarmUp", "Running warm up", {"--num_warmup_batches=10000000"}, 0.3},
          {"Steps", "\n20\timages"},
          {"Transfers", "\n1\timages", {"--model=alexnet", "--batch_size=8"}, 0.15},
          {"Checkpoints", "\n10\timages", {"--save_model_steps=1"}, 0.02}};
}

struct Death {
  std::size_t victim;
  Phase phase;
  std::string transport;
};

void PrintTo(const Death& death, std::ostream* out) {
  *out << HostTasks::name(death.victim) << ", " << death.phase.name << ", " << death.transport;
}

std::string title(const testing::TestParamInfo<Death>& info) {
  std::string name = HostTasks::name(info.param.victim);
  name.erase(name.find(' '), 1);
  name[0] = static_cast<char>(std::toupper(name[0]));
  return name + info.param.phase.name + "Over" + info.param.transport;
}

std::vector<Death> deaths() {
  std::vector<Death> all;
  for (const std::size_t victim : {0u, 1u, 2u})
    for (const Phase& phase : phases())
      for (const char* transport : {"grpc", "shm"}) all.push_back({victim, phase, transport});
  return all;
}

// "worker 1 (", or "(worker 0" of "the coordinator (worker 0 at".
std::string mention_of(std::size_t task) {
  const std::string name = HostTasks::name(task);
  return task == HostTasks::kWorker0 ? "(" + name : name + " (";
}

void expect_all_named(HostTasks& tasks, const std::vector<std::size_t>& survivors,
                      std::size_t victim, Clock::time_point begin) {
  for (const std::size_t task : survivors) {
    EXPECT_TRUE(tasks[task].says(mention_of(victim), 20))
        << HostTasks::name(task) << tasks[task].err();
    EXPECT_THAT(tasks[task].err(), HasSubstr(" lost")) << HostTasks::name(task);
  }
  const double seconds = since(begin);
  std::cout << fmt::format("named by all others after {:.2f} s\n", seconds);
  EXPECT_LT(seconds, kNamed);
  for (const std::size_t task : survivors) EXPECT_EQ(tasks[task].exit_code(kEnded), 6) << task;
}

std::vector<std::size_t> all_but(std::size_t victim) {
  std::vector<std::size_t> others;
  for (std::size_t task = 0; task < HostTasks::kTasks; ++task)
    if (task != victim) others.push_back(task);
  return others;
}

class Deaths : public testing::TestWithParam<Death> {};

// All others name the task and end with 6; the chief's record and the checkpoints stay whole.
TEST_P(Deaths, AreNamedByAllOthers) {
  const Death& death = GetParam();
  const std::string folder = scratch_folder("deaths");
  HostTasks tasks(endless_training() + death.phase.flags +
                  Arguments{"--transport=" + death.transport, "--train_dir=" + folder + "/train",
                            "--output_file=" + folder + "/run.json"});
  tasks.start_all();
  ASSERT_TRUE(tasks[0].says(death.phase.announced_by)) << tasks[0].err();
  sleep_for(death.phase.later);
  const auto begin = Clock::now();
  tasks[death.victim].signal(SIGKILL);
  expect_all_named(tasks, all_but(death.victim), death.victim, begin);
  for (const std::size_t task : all_but(death.victim))
    if (death.phase.name != "WarmUp") {
      EXPECT_THAT(tasks[task].err(), HasSubstr(" at step ")) << HostTasks::name(task);
    }
  if (death.victim != 0) {
    const nlohmann::json record = parse_json(std::ifstream(folder + "/run.json"));
    EXPECT_EQ(record["exit_status"], 6);
    EXPECT_THAT(record["error"].get<std::string>(), HasSubstr(HostTasks::name(death.victim)));
  }
  if (death.phase.name != "Checkpoints") return;
  const ProgramResult after =
      run_convoy({"run", "--model=lenet", "--device=cpu", "--num_devices=1", "--batch_size=4",
                  "--num_batches=1", "--num_warmup_batches=0", "--train_dir=" + folder + "/train",
                  "--variable_update=replicated"});
  EXPECT_EQ(after.exit_code, 0) << after.err;
  EXPECT_THAT(after.err, HasSubstr("restored "));
}

INSTANTIATE_TEST_SUITE_P(Faults, Deaths, testing::ValuesIn(deaths()), title);

class Roles : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Faults, Roles, testing::Values(0u, 1u, 2u));

TEST_P(Roles, ThatDieWhileOthersJoinAreNamed) {
  const std::size_t victim = GetParam();
  HostTasks tasks(endless_training());
  const std::size_t other =
      victim == HostTasks::kWorker0 ? HostTasks::kServer : HostTasks::kWorker0;
  tasks.start(other);
  tasks.start(victim);
  sleep_for(2);
  const auto begin = Clock::now();
  tasks[victim].signal(SIGKILL);
  expect_all_named(tasks, {other}, victim, begin);
}

// Whoever is through with the last step may have left: then the others are through, too.
TEST_P(Roles, ThatDieAtTheEndHoldNobodyUp) {
  HostTasks tasks(endless_training() + Arguments{"--num_batches=30"});
  tasks.start_all();
  ASSERT_TRUE(tasks[0].says("total images/sec")) << tasks[0].err();
  tasks[GetParam()].signal(SIGKILL);
  for (const std::size_t task : all_but(GetParam())) {
    const std::optional<int> code = tasks[task].exit_code(kEnded);
    EXPECT_TRUE(code == 0 || code == 6) << HostTasks::name(task) << tasks[task].err();
  }
}

TEST_P(Roles, ThatAreStoppedForLongAreLostAndEndThemselvesOnceTheyRun) {
  HostTasks tasks(endless_training(), {"--peer_timeout=2"});
  tasks.start_all();
  ASSERT_TRUE(tasks[0].says("\n20\timages")) << tasks[0].err();
  const auto begin = Clock::now();
  tasks[GetParam()].signal(SIGSTOP);
  for (const std::size_t task : all_but(GetParam())) {
    EXPECT_EQ(tasks[task].exit_code(kEnded), 6) << tasks[task].err();
    EXPECT_THAT(tasks[task].err(), HasSubstr(HostTasks::name(GetParam())));
    EXPECT_THAT(tasks[task].err(), HasSubstr("for 2.0 s"));
  }
  EXPECT_LT(since(begin), 2 + kNamed);
  tasks[GetParam()].signal(SIGCONT);
  EXPECT_EQ(tasks[GetParam()].exit_code(kEnded), 6) << tasks[GetParam()].err();
}

TEST_P(Roles, ThatAreStoppedForAMomentGoOn) {
  HostTasks tasks(endless_training());
  tasks.start_all();
  ASSERT_TRUE(tasks[0].says("\n20\timages")) << tasks[0].err();
  tasks[GetParam()].signal(SIGSTOP);
  sleep_for(2.5);  // of the 4 s after which it would be lost
  tasks[GetParam()].signal(SIGCONT);
  const std::string before = tasks[0].out();
  for (int look = 0; look < 100 && tasks[0].out().size() < before.size() + 500; ++look)
    sleep_for(0.05);
  EXPECT_GE(tasks[0].out().size(), before.size() + 500) << "no steps follow";
  tasks[0].signal(SIGINT);
  EXPECT_EQ(tasks[0].exit_code(kEnded), 130) << tasks[0].err();
  for (const std::size_t task : {1u, 2u}) EXPECT_EQ(tasks[task].exit_code(kEnded), 130) << task;
  if (GetParam() != HostTasks::kWorker0) {
    EXPECT_THAT(tasks[0].err(), HasSubstr(HostTasks::name(GetParam()))) << "it is reported";
  }
}

TEST_P(Roles, ThatAreInterruptedEndAll) {
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    HostTasks tasks(endless_training());
    tasks.start_all();
    ASSERT_TRUE(tasks[0].says("\n20\timages")) << tasks[0].err();
    tasks[GetParam()].signal(signal);
    for (std::size_t task = 0; task < HostTasks::kTasks; ++task) {
      EXPECT_EQ(tasks[task].exit_code(kEnded), code) << tasks[task].err();
      EXPECT_THAT(tasks[task].err(), HasSubstr(std::string(HostTasks::name(GetParam())) + " ("));
      EXPECT_THAT(tasks[task].err(), HasSubstr(" was stopped by SIG"));
    }
    EXPECT_THAT(tasks[0].out(), HasSubstr("total images/sec"));
  }
}

TEST_P(Roles, ThatDieOfAnAsynchronousRunAreNamed) {
  HostTasks tasks(endless_training() +
                  Arguments{"--variable_update=parameter_server", "--cross_replica_sync=false"});
  tasks.start_all();
  ASSERT_TRUE(tasks[0].says("\n20\timages")) << tasks[0].err();
  const auto begin = Clock::now();
  tasks[GetParam()].signal(SIGKILL);
  expect_all_named(tasks, all_but(GetParam()), GetParam(), begin);
}

TEST(TwoTasks, ThatDieTogetherLeaveAnEndToTheThird) {
  for (const std::size_t survivor : {0u, 1u, 2u}) {
    HostTasks tasks(endless_training());
    tasks.start_all();
    ASSERT_TRUE(tasks[0].says("\n20\timages")) << tasks[0].err();
    for (const std::size_t task : all_but(survivor)) tasks[task].signal(SIGKILL);
    EXPECT_EQ(tasks[survivor].exit_code(kEnded), 6) << tasks[survivor].err();
    EXPECT_THAT(tasks[survivor].err(), HasSubstr(" lost"));
  }
}

TEST(Controller, ThatDiesIsNamedByAll) {
  const std::string address = free_addresses(1).front();
  HostTasks tasks(endless_training(), {"--controller_host=" + address});
  RunningProgram controller(
      Arguments{"run", "--job_name=controller", "--controller_host=" + address,
                "--worker_hosts=" + tasks.addresses()[0] + "," + tasks.addresses()[1],
                "--ps_hosts=" + tasks.addresses()[2]});
  tasks.start_all();
  ASSERT_TRUE(tasks[0].says("\n20\timages")) << tasks[0].err() << controller.err();
  controller.signal(SIGKILL);
  for (std::size_t task = 0; task < HostTasks::kTasks; ++task) {
    EXPECT_EQ(tasks[task].exit_code(kEnded), 6) << tasks[task].err();
    EXPECT_THAT(tasks[task].err(), HasSubstr("the coordinator (the controller at")) << task;
  }
}

// A launcher that is killed takes its tasks with it, and one that is interrupted ends them.
TEST(Launcher, LeavesNothingRunning) {
  for (const int signal : {SIGKILL, SIGINT}) {
    const std::string folder = scratch_folder("launcher");
    RunningProgram launch(Arguments{"launch", "--workers=2", "--servers=1", "--"} +
                          endless_training() + Arguments{"--output_file=" + folder + "/run.json"});
    ASSERT_TRUE(launch.says("\n20\timages")) << launch.err();
    EXPECT_GE(processes_with(folder).size(), 4u);
    launch.signal(signal);
    EXPECT_TRUE(launch.exit_code(kEnded));
    for (int look = 0; look < 200 && !processes_with(folder).empty(); ++look) sleep_for(0.05);
    EXPECT_EQ(processes_with(folder), std::vector<pid_t>());
  }
}

#ifdef CONVOY_MPIEXEC
// The rank that mpirun gave the process; nothing for mpirun itself.
std::optional<std::size_t> rank_of(pid_t process) {
  std::ifstream environment(fmt::format("/proc/{}/environ", process), std::ios::binary);
  constexpr std::string_view kName = "OMPI_COMM_WORLD_RANK=";
  for (std::string entry; std::getline(environment, entry, '\0');)
    if (entry.starts_with(kName)) return std::stoul(entry.substr(kName.size()));
  return std::nullopt;
}

class MpiRanks : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Faults, MpiRanks, testing::Values(0u, 1u, 2u));

// Open MPI ends the job when one of its processes dies: all end, and nothing is left.
TEST_P(MpiRanks, ThatDieEndAll) {
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  const std::string folder = scratch_folder("mpi_deaths");
  RunningProgram job(
      Arguments{"-np", "3", "--oversubscribe", CONVOY_BINARY_DIR "/bin/convoy", "run"} +
          endless_training() +
          Arguments{"--variable_update=replicated", "--all_reduce_spec=xring", "--transport=mpi",
                    "--output_file=" + folder + "/run.json"},
      {}, {.program = CONVOY_MPIEXEC});
  ASSERT_TRUE(job.says("\n20\timages")) << job.err();
  pid_t victim = 0;
  for (const pid_t process : processes_with(folder))
    if (rank_of(process) == GetParam()) victim = process;
  ASSERT_NE(victim, 0);
  const auto begin = Clock::now();
  ::kill(victim, SIGKILL);
  const std::optional<int> code = job.exit_code(kEnded);
  ASSERT_TRUE(code) << job.err();
  EXPECT_NE(*code, 0);
  while (!processes_with(folder).empty() && since(begin) < kEnded) sleep_for(0.02);
  EXPECT_EQ(processes_with(folder), std::vector<pid_t>());
  const double seconds = since(begin);
  std::cout << fmt::format("all ended after {:.2f} s\n", seconds);
  EXPECT_LT(seconds, kEnded);
}
#endif

// Ten times slower than the others, which wait for it: that is no fault, and the record says who.
TEST(SlowTask, IsNamedAndSurvived) {
  const std::string path = scratch_folder("slow") + "/run.json";
  HostTasks tasks(endless_training() + Arguments{"--num_batches=60", "--output_file=" + path});
  tasks.start_all();
  ASSERT_TRUE(tasks[0].says("Done warm up")) << tasks[0].err();
  while (!tasks[0].exit_code(0)) {
    tasks[1].signal(SIGSTOP);
    sleep_for(0.045);
    tasks[1].signal(SIGCONT);
    sleep_for(0.005);
  }
  for (std::size_t task = 0; task < HostTasks::kTasks; ++task)
    EXPECT_EQ(tasks[task].exit_code(kEnded), 0) << tasks[task].err();
  const nlohmann::json record = parse_json(std::ifstream(path));
  double slow = 0;
  double other = 0;
  for (const auto& [task, seconds] : record["tasks"][2]["waited_for"].items())
    (task.starts_with("worker 1") ? slow : other) += seconds.get<double>();
  EXPECT_GT(slow, other) << record["tasks"][2];
}

}  // namespace
}  // namespace convoy::fault_deaths_test
