// Collectives that devices of several tasks run together: tasks of this machine with emulated GPUs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/host_tasks.hpp"
#include "tests/environment.hpp"

namespace convoy::spanning_collectives_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const Environment::Values kFourGpus{{"CONVOY_EMULATED_GPUS", "4"}};

Arguments training(std::uint32_t devices) {
  return {"--device=cuda",
          "--peer_timeout=30",  // a busy machine gives a task no processor for seconds
          "--plugin_path=" CONVOY_EMULATED_CUDA_FOLDER,
          "--num_devices=" + std::to_string(devices),
          "--model=lenet",
          "--batch_size=1",
          "--num_warmup_batches=0",
          "--num_batches=2",  // the second with what the first has made of the parameters
          "--display_every=1",
          "--init_learning_rate=1e-3",
          "--print_parameter_hash"};
}

const Arguments kNccl{"--variable_update=replicated", "--all_reduce_spec=nccl"};
const Arguments kEndless{"--num_batches=1000000"};

std::string hash_in(const std::string& text) {
  return text_after("parameter hash: ", text);
}

// The last number of every line of a step.
std::vector<double> losses_in(const std::string& text) {
  std::vector<double> losses;
  for (int step = 1;; ++step) {
    const std::string line = text_after("\n" + std::to_string(step) + "\t", text);
    if (line.empty()) return losses;
    losses.push_back(std::stod(line.substr(line.rfind('\t') + 1)));
  }
}

// Two workers that have two of the four GPUs each.
class TwoTasks {
 public:
  explicit TwoTasks(Arguments flags) : flags_(std::move(flags)), addresses_(free_addresses(2)) {}

  void start(std::size_t task, const Arguments& more = {},
             const Environment::Values& environment = {}) {
    const Environment scope(environment);
    programs_[task] = std::make_unique<RunningProgram>(command_line(task) + more);
  }
  Arguments command_line(std::size_t task) const {
    return Arguments{"run", "--worker_hosts=" + addresses_[0] + "," + addresses_[1],
                     "--job_name=worker", "--task_index=" + std::to_string(task),
                     task == 0 ? "--gpu_indices=0,1" : "--gpu_indices=2,3"} +
           flags_;
  }
  void start_both() {
    start(0);
    start(1);
  }
  RunningProgram& operator[](std::size_t task) { return *programs_[task]; }

 private:
  Arguments flags_;
  Arguments addresses_;
  std::unique_ptr<RunningProgram> programs_[2];
};

std::size_t shared_files() {
  const std::filesystem::directory_iterator files("/dev/shm");
  return static_cast<std::size_t>(
      std::count_if(begin(files), end(files), [](const std::filesystem::directory_entry& file) {
        return file.path().filename().string().find("convoy") != std::string::npos;
      }));
}

class SpanningCollectives : public ::testing::Test {
 private:
  Environment gpus_{kFourGpus};
};

// Four devices in one process and two in each of two. Without tolerance: the same bits.
void expect_same_training(const Arguments& flags, double tolerance, const Arguments& alones) {
  const ProgramResult alone =
      run_convoy(Arguments{"run", "--gpu_indices=0,1,2,3"} + training(4) + alones);
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  TwoTasks tasks(training(2) + flags);
  tasks.start_both();
  for (const std::size_t task : {0, 1}) ASSERT_EQ(tasks[task].exit_code(), 0) << tasks[task].err();
  const std::vector<double> wanted = losses_in(alone.out);
  const std::vector<double> got = losses_in(tasks[0].out());
  ASSERT_EQ(wanted.size(), 2u) << alone.out;
  ASSERT_EQ(got.size(), wanted.size()) << tasks[0].out();
  for (std::size_t step = 0; step < wanted.size(); ++step)
    EXPECT_NEAR(got[step], wanted[step], tolerance * wanted[step]);
  EXPECT_NE(hash_in(tasks[0].out()), "");
  EXPECT_EQ(hash_in(tasks[0].out()), hash_in(tasks[1].out()));
  if (tolerance > 0) return;
  EXPECT_EQ(hash_in(tasks[0].out()), hash_in(alone.out));
}

TEST_F(SpanningCollectives, TrainWhatOneHostTrainsToTheBit) {
  for (const Arguments& flags :
       {kNccl, Arguments{"--variable_update=replicated", "--all_reduce_spec=collective"},
        Arguments{"--variable_update=collective_all_reduce"},
        Arguments{"--variable_update=distributed_all_reduce", "--all_reduce_spec=nccl"},
        Arguments{"--variable_update=zero1"}}) {
    SCOPED_TRACE(::testing::PrintToString(flags));
    expect_same_training(flags, 0, flags);
  }
}

TEST_F(SpanningCollectives, SumInsideTasksAndThenBetweenThem) {
  const Arguments hierarchical{"--variable_update=hierarchical"};
  expect_same_training(hierarchical, 1e-5, hierarchical);
  expect_same_training({"--variable_update=replicated", "--all_reduce_spec=nccl/xring"}, 1e-5,
                       kNccl);
}

// What `plan` shows of a run's command line is what its tasks agree on.
TEST_F(SpanningCollectives, AreInThePlanThatIsShownOfTheTasks) {
  const std::string path = scratch_folder("spanning") + "/run.json";
  TwoTasks tasks(training(2) + kNccl);
  tasks.start(0, {"--output_file=" + path});
  tasks.start(1);
  for (const std::size_t task : {0, 1}) ASSERT_EQ(tasks[task].exit_code(), 0) << tasks[task].err();
  expect_plan_is_shown(tasks.command_line(0), path);
}

// No element of a gradient goes by message: every task sends a few numbers at most.
TEST_F(SpanningCollectives, AreOneOperationOfAllTasks) {
  const std::string path = scratch_folder("spanning") + "/run.json";
  TwoTasks tasks(training(2) + kNccl + Arguments{"--output_file=" + path});
  tasks.start_both();
  for (const std::size_t task : {0, 1}) ASSERT_EQ(tasks[task].exit_code(), 0) << tasks[task].err();
  const nlohmann::json record = parse_json(std::ifstream(path));
  EXPECT_LT(record["peers"][0]["bytes_sent"].get<double>(),
            0.1 * record["parameters"].get<double>());
}

TEST_F(SpanningCollectives, AreRefusedNamingTheTaskThatCannotAndTheOther) {
  TwoTasks tasks(training(2) + kNccl + Arguments{"--join_timeout=20"});
  tasks.start(0);
  tasks.start(1, {}, {{"CONVOY_EMULATED_NCCL", "missing"}});
  for (const std::size_t task : {0, 1}) {
    EXPECT_NE(tasks[task].exit_code().value_or(0), 0);
    EXPECT_THAT(tasks[task].err(),
                AllOf(HasSubstr("devices of worker 1 ("), HasSubstr("those of worker 0 ("),
                      HasSubstr("cuda:0: there is no NCCL"), HasSubstr("choose another way")));
  }
}

TEST_F(SpanningCollectives, AreMessagesWhereTasksShareAGpu) {
  TwoTasks tasks(training(1) + Arguments{"--variable_update=replicated", "--gpu_indices=0"});
  tasks.start_both();
  for (const std::size_t task : {0, 1}) ASSERT_EQ(tasks[task].exit_code(), 0) << tasks[task].err();
  EXPECT_EQ(hash_in(tasks[0].out()), hash_in(tasks[1].out()));
  EXPECT_THAT(tasks[0].out() + tasks[0].err(),
              HasSubstr("collectives run as copies and sums, because cuda:0 of worker 0 ("));
  TwoTasks refused(training(1) + kNccl + Arguments{"--gpu_indices=0"});
  refused.start_both();
  EXPECT_NE(refused[0].exit_code().value_or(0), 0);
  EXPECT_THAT(refused[0].err(), AllOf(HasSubstr("cuda:0 of worker 0 ("),
                                      HasSubstr("cuda:0 of worker 1 ("), HasSubstr("one device")));
}

TEST_F(SpanningCollectives, EndWhenTheOthersDoNotComeInTime) {
  TwoTasks tasks(training(2) + kNccl + Arguments{"--join_timeout=3"});
  tasks.start(0);
  tasks.start(1, {}, {{"CONVOY_EMULATED_NCCL", "deaf"}});
  for (const std::size_t task : {0, 1}) EXPECT_EQ(tasks[task].exit_code(), 6) << tasks[task].err();
  EXPECT_THAT(tasks[0].err() + tasks[1].err(),
              AllOf(HasSubstr("--join_timeout=3 s"), HasSubstr("cuda:0 (host 0)"),
                    HasSubstr("cuda:3 (host 1)")));
}

TEST_F(SpanningCollectives, EndWhenATaskDies) {
  for (const std::size_t victim : {0, 1}) {
    const std::size_t files = shared_files();
    TwoTasks tasks(training(2) + kNccl + kEndless);
    tasks.start_both();
    ASSERT_TRUE(tasks[victim].says("\n5\t")) << tasks[victim].err();
    tasks[victim].signal(SIGKILL);
    const std::size_t survivor = 1 - victim;
    EXPECT_EQ(tasks[survivor].exit_code(30), 6) << tasks[survivor].err();
    EXPECT_THAT(tasks[survivor].err(), HasSubstr("worker " + std::to_string(victim)));
    EXPECT_THAT(tasks[survivor].err(), HasSubstr(" lost"));
    EXPECT_EQ(shared_files(), files);
  }
}

// Worker 1 never finds the others, so worker 0 waits for its group until it hears of the loss.
TEST_F(SpanningCollectives, EndWhenATaskDiesThatTheOthersWaitForToJoin) {
  TwoTasks tasks(training(2) + kNccl + Arguments{"--join_timeout=100"});
  tasks.start(0);
  tasks.start(1, {}, {{"CONVOY_EMULATED_NCCL", "deaf"}});
  ASSERT_TRUE(tasks[1].says("Generating")) << tasks[1].err();
  EXPECT_EQ(tasks[0].exit_code(1), std::nullopt) << tasks[0].err();
  tasks[1].signal(SIGKILL);
  EXPECT_EQ(tasks[0].exit_code(30), 6) << tasks[0].err();
  EXPECT_THAT(tasks[0].err(), AllOf(HasSubstr("worker 1 ("), HasSubstr(" lost")));
}

// Both tasks live and send heartbeats; only the collective does not end.
TEST_F(SpanningCollectives, EndWhenOneDoesNotEndInTime) {
  TwoTasks tasks(training(2) + kNccl + kEndless + Arguments{"--collective_timeout=2"});
  tasks.start(0);
  tasks.start(1, {}, {{"CONVOY_EMULATED_NCCL", "hung"}});
  for (const std::size_t task : {0, 1})
    EXPECT_EQ(tasks[task].exit_code(60), 6) << tasks[task].err();
  EXPECT_THAT(tasks[0].err() + tasks[1].err(),
              AllOf(HasSubstr(" did not end within 2 s: rank "),
                    HasSubstr("; 2 ranks are in other processes, which may be late")));
}

TEST_F(SpanningCollectives, EndTogetherWhenATaskIsInterrupted) {
  TwoTasks tasks(training(2) + kNccl + kEndless);
  tasks.start_both();
  ASSERT_TRUE(tasks[1].says("\n3\t")) << tasks[1].err();
  tasks[1].signal(SIGINT);
  for (const std::size_t task : {0, 1})
    EXPECT_EQ(tasks[task].exit_code(30), 130) << tasks[task].err();
  EXPECT_EQ(hash_in(tasks[0].out()), hash_in(tasks[1].out()));
}

// Whoever began the next step would wait for the chief in a collective, which has a time limit.
TEST_F(SpanningCollectives, AreNotBegunBeforeTheChiefHasSaved) {
  const std::filesystem::path folder = scratch_folder("slow_disk");
  TwoTasks tasks(training(2) + kNccl +
                 Arguments{"--num_batches=3", "--save_model_steps=2",
                           "--train_dir=" + (folder / "train").string(),
                           "--collective_timeout=10"});
  tasks.start(0, {}, {{"LD_PRELOAD", CONVOY_SLOW_DISK}, {"CONVOY_DISK_FOLDER", folder.string()}});
  tasks.start(1);
  for (int look = 0; look < 600 && !std::filesystem::exists(folder / "waits"); ++look)
    EXPECT_EQ(tasks[1].exit_code(0.1), std::nullopt) << tasks[1].err();
  ASSERT_TRUE(std::filesystem::exists(folder / "waits")) << tasks[0].err();
  EXPECT_EQ(tasks[1].exit_code(13), std::nullopt) << tasks[1].err();
  std::ofstream(folder / "released").put('\n');
  for (const std::size_t task : {0, 1}) EXPECT_EQ(tasks[task].exit_code(), 0) << tasks[task].err();
  EXPECT_EQ(hash_in(tasks[0].out()), hash_in(tasks[1].out()));
}

// The survivor keeps its process, and its devices form new groups.
TEST_F(SpanningCollectives, GoOnWithATaskThatReplacesALostOne) {
  const Arguments length{"--num_batches=8"};
  const ProgramResult whole =
      run_convoy(Arguments{"run", "--gpu_indices=0,1,2,3"} + training(4) + kNccl + length);
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const std::string folder = scratch_folder("spanning");
  TwoTasks tasks(
      training(2) + kNccl + length +
      Arguments{"--restarts=1", "--save_model_steps=2", "--train_dir=" + folder + "/train"});
  tasks.start_both();
  ASSERT_TRUE(tasks[1].says("\n3\t")) << tasks[1].err();
  tasks[1].signal(SIGKILL);
  ASSERT_EQ(tasks[1].exit_code(), 137);
  tasks.start(1);
  for (const std::size_t task : {0, 1}) ASSERT_EQ(tasks[task].exit_code(), 0) << tasks[task].err();
  EXPECT_EQ(hash_in(tasks[0].out()), hash_in(whole.out));
  EXPECT_EQ(hash_in(tasks[1].out()), hash_in(whole.out));
}

}  // namespace
}  // namespace convoy::spanning_collectives_test
