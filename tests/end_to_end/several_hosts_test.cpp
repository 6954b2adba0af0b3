// Runs of several tasks on this machine: what they compute, how they agree, and how they end.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "core/base/text/json.hpp"
#include "core/network/addresses.hpp"
#include "tests/end_to_end/damaged_data.hpp"
#include "tests/end_to_end/host_tasks.hpp"
#include "tests/end_to_end/run_program.hpp"
#include "tests/end_to_end/running_program.hpp"

namespace convoy::several_hosts_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// A busy machine gives a task no processor for seconds: then it is not lost.
const Arguments kTraining{
    "--peer_timeout=30",      "--model=lenet",         "--device=cpu",
    "--batch_size=4",         "--num_intra_threads=1", "--num_batches=4",
    "--num_warmup_batches=1", "--display_every=1",     "--init_learning_rate=1e-5",
    "--print_parameter_hash"};
const char* const kImages = CONVOY_SOURCE_DIR "/share/sample_data/imagenet";
const Arguments kRing{"--variable_update=replicated", "--all_reduce_spec=xring"};

std::string hash_in(const std::string& text) {
  return text_after("parameter hash: ", text);
}

ProgramResult launch(const Arguments& tasks, const Arguments& flags) {
  return run_convoy(Arguments{"launch"} + tasks + Arguments{"--"} + flags);
}

// The command lines of two workers and a server, as they were published: one per task.
struct Tasks {
  Tasks() : addresses(free_addresses(3)) {
    const Arguments& at = addresses;
    const Arguments common{"run", "--worker_hosts=" + at[0] + "," + at[1], "--ps_hosts=" + at[2]};
    worker_0 = common + Arguments{"--job_name=worker", "--task_index=0"};
    worker_1 = common + Arguments{"--job_name=worker", "--task_index=1"};
    server = common + Arguments{"--job_name=ps", "--task_index=0"};
  }
  Arguments addresses;
  Arguments worker_0, worker_1, server;
};

// All at once, each with its own options.
std::vector<ProgramResult> run_all(const std::vector<std::pair<Arguments, ProgramOptions>>& tasks) {
  std::vector<ProgramResult> results(tasks.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    threads.emplace_back([&, i] { results[i] = run_convoy(tasks[i].first, tasks[i].second); });
  threads.clear();
  return results;
}

TEST(SeveralHosts, TrainWhatOneHostTrainsToTheBit) {
  const ProgramResult alone = run_convoy(Arguments{"run", "--num_devices=2"} + kTraining + kRing);
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  for (const std::string transport : {"shm", "grpc"}) {
    const ProgramResult two =
        launch({"--workers=2"}, kTraining + kRing + Arguments{"--transport=" + transport});
    ASSERT_EQ(two.exit_code, 0) << two.err;
    EXPECT_EQ(hash_in(two.out), hash_in(alone.out));
    EXPECT_EQ(text_after("worker 1: parameter hash: ", two.err), hash_in(alone.out));
    EXPECT_THAT(two.out,
                AllOf(HasSubstr("Batch size:  8 global"), HasSubstr("total images/sec: ")));
    EXPECT_THAT(two.err, HasSubstr(" by " + transport + " ("));
    EXPECT_EQ(two.err.find("worker 1: total images/sec"), std::string::npos);
  }
}

TEST(SeveralHosts, PassOptionsOnToTheirTransports) {
  const auto run = [](const Arguments& more) { return launch({"--workers=2"}, kTraining + more); };
  EXPECT_EQ(run({"--transport=grpc", "--grpc_connections=2"}).exit_code, 0);
  const ProgramResult refused = run({"--transport=grpc", "--grpc_connections=0"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.err, HasSubstr("grpc_connections must be 1 to "));
  const ProgramResult foreign = run({"--transport=shm", "--grpc_connections=2"});
  EXPECT_EQ(foreign.exit_code, 2);
  EXPECT_THAT(foreign.err, HasSubstr("have such an option; it is an option of transport grpc"));
}

TEST(SeveralHosts, RunThePublishedCommandLinesOneATask) {
  const Tasks tasks;
  const Arguments flags = kTraining + Arguments{"--variable_update=distributed_replicated"};
  const auto results =
      run_all({{tasks.worker_0 + flags, {}}, {tasks.worker_1 + flags, {}}, {tasks.server, {}}});
  for (const ProgramResult& result : results) EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(hash_in(results[0].out), "");
  EXPECT_EQ(hash_in(results[0].out), hash_in(results[1].out));
  EXPECT_THAT(results[0].out, HasSubstr("Variables:   distributed_replicated"));
  EXPECT_THAT(results[0].out, HasSubstr("total images/sec: "));
  EXPECT_EQ(results[1].out.find("total images/sec: "), std::string::npos);
}

// What `plan` shows of a run's command line is what its tasks agree on.
TEST(SeveralHosts, RunThePlanThatIsShownOfThem) {
  for (const Arguments& strategy :
       {Arguments{"--variable_update=distributed_replicated"},
        Arguments{"--variable_update=replicated", "--all_reduce_spec=xring"}}) {
    const Tasks tasks;
    const std::string path = scratch_folder("several_hosts") + "/run.json";
    const Arguments flags = kTraining + strategy + Arguments{"--num_devices=1"};
    const auto results = run_all({{tasks.worker_0 + flags + Arguments{"--output_file=" + path}, {}},
                                  {tasks.worker_1 + flags, {}},
                                  {tasks.server, {}}});
    for (const ProgramResult& result : results) ASSERT_EQ(result.exit_code, 0) << result.err;
    expect_plan_is_shown(tasks.worker_0 + flags, path);
  }
}

TEST(SeveralHosts, RecordWhatWentBetweenThem) {
  const std::string path = scratch_folder("several_hosts") + "/run.json";
  const ProgramResult result =
      launch({"--workers=2"}, kTraining + kRing + Arguments{"--output_file=" + path});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json record = parse_json(std::ifstream(path));
  ASSERT_EQ(record["peers"].size(), 1u);
  EXPECT_THAT(record["peers"][0]["task"].get<std::string>(), HasSubstr("worker 1"));
  EXPECT_EQ(record["peers"][0]["transport"], "shm");
  // Two halves of the gradients each way in each of five steps, and little else.
  const double gradients = 4 * record["parameters"].get<double>();
  EXPECT_NEAR(record["peers"][0]["bytes_sent"].get<double>(), 5 * gradients, 0.6 * gradients);
  EXPECT_GT(record["peers"][0]["round_trip_seconds"], 1e-7);
  EXPECT_LT(record["peers"][0]["round_trip_seconds"], 0.1);
  EXPECT_GT(record["peers"][0]["bytes_per_second"], 1e7);
  EXPECT_EQ(record["global_batch"], 8);
  double seconds = 0;  // the mean is that of the images of all tasks, as every step's rate is
  for (const nlohmann::json& step : record["steps"]) seconds += step["seconds"].get<double>();
  EXPECT_NEAR(record["total"]["images_per_sec_mean"].get<double>() * seconds,
              8.0 * static_cast<double>(record["steps"].size()), 1e-6);
  EXPECT_EQ(record["step_breakdown"]["network_by_host"].size(), 1u);
  EXPECT_EQ(record["parameter_hash"], hash_in(result.out));
}

// Begin and end of all operations of this kind, by task and number.
using Times = std::map<std::pair<std::string, int>, std::pair<double, double>>;
Times times_of(const nlohmann::json& trace, const std::string& kind) {
  std::map<int, std::string> tasks;
  Times times;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    const int process = event.at("pid").get<int>();
    const nlohmann::json& arguments = event.at("args");
    if (event.at("name") == "process_name") {
      const auto name = arguments.at("name").get<std::string>();
      tasks[process] = name.substr(0, name.find(' ', name.find(' ') + 1));  // "ps 0" of "ps 0 ps:0"
    }
    if (event.at("ph") != "X" || !event.at("name").get<std::string>().starts_with(kind)) continue;
    const double begin = event.at("ts").get<double>() / 1e6;
    times[{tasks.at(process), arguments.value("operation", -1)}] = {
        begin, begin + event.at("dur").get<double>() / 1e6};
  }
  return times;
}

std::set<std::string> tasks_of(const Times& times) {
  std::set<std::string> tasks;
  for (const auto& [key, time] : times) tasks.insert(key.first);
  return tasks;
}

// What one task receives another one has sent before, as far as their clocks can tell.
TEST(SeveralHosts, TraceAllTasksOnOneClock) {
  const std::string path = scratch_folder("several_hosts") + "/trace.json";
  for (const Arguments& flags :
       {Arguments{"--variable_update=distributed_replicated"},
        Arguments{"--variable_update=parameter_server", "--cross_replica_sync=false"}}) {
    const ProgramResult result =
        launch({"--workers=2", "--servers=1"},
               kTraining + flags + Arguments{"--num_warmup_batches=3", "--trace_file=" + path});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("3 tasks on one clock"));
    const nlohmann::json trace = parse_json(std::ifstream(path));
    const nlohmann::json& errors = trace.at("otherData").at("clock_error_seconds");
    ASSERT_EQ(errors.size(), 3u);
    double error = 0;
    for (const nlohmann::json& of_task : errors) error += of_task.get<double>();
    EXPECT_EQ(tasks_of(times_of(trace, "forward")),
              (std::set<std::string>{"worker 0", "worker 1"}));
    EXPECT_EQ(tasks_of(times_of(trace, "apply")), (std::set<std::string>{"ps 0"}));
    const Times sent = times_of(trace, "send");
    const Times received = times_of(trace, "receive");
    EXPECT_EQ(tasks_of(sent), (std::set<std::string>{"ps 0", "worker 0", "worker 1"}));
    EXPECT_EQ(tasks_of(received), tasks_of(sent));
    if (flags.size() > 1) continue;  // each task has its own step of that number
    std::map<int, double> begins;
    for (const auto& [key, time] : sent) begins[key.second] = time.first;
    for (const auto& [key, time] : received)
      EXPECT_GE(time.second, begins.at(key.second) - error) << key.first << " #" << key.second;
  }
}

// Layers are those of each task's own replicas.
TEST(SeveralHosts, TraceTheLayersOfAllTasks) {
  const std::string path = scratch_folder("several_hosts") + "/layers.json";
  const ProgramResult result =
      launch({"--workers=2"}, kTraining + kRing + Arguments{"--profile", "--trace_file=" + path});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(tasks_of(times_of(parse_json(std::ifstream(path)), "affine")),
            (std::set<std::string>{"worker 0", "worker 1"}));
}

// Of whichever task: the chief saves after a step that all agree on, once, and they go on.
TEST(SeveralHosts, SaveOnRequestAndGoOn) {
  for (const bool chief_is_asked : {true, false}) {
    const Tasks tasks;
    const std::string folder = scratch_folder("several_hosts") + "/requested";
    const Arguments flags =
        kTraining + Arguments{"--variable_update=distributed_replicated", "--num_batches=80",
                              "--max_ckpts_to_keep=0", "--train_dir=" + folder};
    ProgramOptions asked;
    asked.signal = SIGUSR1;
    asked.signal_after = "\n10\t";
    const auto results =
        run_all({{tasks.worker_0 + flags, chief_is_asked ? asked : ProgramOptions{}},
                 {tasks.worker_1 + flags, chief_is_asked ? ProgramOptions{} : asked},
                 {tasks.server, {}}});
    for (const ProgramResult& result : results) EXPECT_EQ(result.exit_code, 0) << result.err;
    std::set<int> steps;
    for (const auto& file : std::filesystem::directory_iterator(folder))
      if (file.path().extension() == ".safetensors")
        steps.insert(std::stoi(file.path().stem().string().substr(
            file.path().stem().string().find_first_of("0123456789"))));
    ASSERT_EQ(steps.size(), 2u) << testing::PrintToString(steps);
    EXPECT_GE(*steps.begin(), 10);
    EXPECT_LT(*steps.begin(), 80);
    EXPECT_EQ(*steps.rbegin(), 81) << "with the step of warm-up";
  }
}

// Two tasks and one train on from each other's checkpoints as if nothing had happened.
TEST(SeveralHosts, GoOnFromACheckpointOnAnotherNumberOfHosts) {
  const Arguments flags =
      kTraining + kRing +
      Arguments{"--optimizer=momentum", "--nodropout", "--num_warmup_batches=0"};
  const Arguments one_host = Arguments{"run", "--num_devices=2"} + flags;
  const ProgramResult whole = run_convoy(one_host + Arguments{"--num_batches=6"});
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const Arguments folder{"--train_dir=" + scratch_folder("several_hosts") + "/train"};
  const ProgramResult first = launch(
      {"--workers=2"}, flags + folder + Arguments{"--num_batches=2", "--save_model_steps=1"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const ProgramResult second = run_convoy(one_host + folder + Arguments{"--num_batches=4"});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  const ProgramResult third =
      launch({"--workers=2"}, flags + folder + Arguments{"--num_batches=6"});
  ASSERT_EQ(third.exit_code, 0) << third.err;
  EXPECT_THAT(third.err, HasSubstr("step 4"));
  EXPECT_EQ(hash_in(third.out), hash_in(whole.out));
}

TEST(SeveralHosts, OfOneTaskSayNothingOfOthers) {
  const ProgramResult alone = launch({"--workers=1"}, kTraining);
  EXPECT_EQ(alone.exit_code, 0);
  EXPECT_THAT(alone.err, Not(HasSubstr("convoy: \n")));
}

// Horovod's name for a ring through processes of one device each.
TEST(SeveralHosts, TrainUnderHorovodsNameWhatTheRingTrains) {
  const ProgramResult ring = launch({"--workers=2"}, kTraining + kRing);
  const ProgramResult named = launch(
      {"--workers=2"}, kTraining + Arguments{"--variable_update=horovod", "--num_devices=1"});
  ASSERT_EQ(named.exit_code, 0) << named.err;
  EXPECT_NE(hash_in(named.out), "");
  EXPECT_EQ(hash_in(named.out), hash_in(ring.out));
  const ProgramResult crowded =
      run_convoy(Arguments{"run", "--variable_update=horovod", "--num_devices=2"} + kTraining);
  EXPECT_EQ(crowded.exit_code, 2);
  EXPECT_THAT(crowded.err, HasSubstr("one process per device: take --num_devices=1"));
}

// The chief evaluates while the others wait; all end when it has reached the target.
TEST(SeveralHosts, EvaluateOnTheChief) {
  const Arguments every{"--eval_during_training_every_n_steps=2", "--num_eval_batches=3"};
  const Arguments flags = kTraining + kRing;
  const ProgramResult plain = launch({"--workers=2"}, flags);
  const ProgramResult evaluated = launch({"--workers=2"}, flags + every);
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_EQ(hash_in(evaluated.out), hash_in(plain.out));
  EXPECT_THAT(evaluated.out, HasSubstr("Accuracy @ 1 = "));
  EXPECT_EQ(evaluated.err.find("worker 1: Accuracy @ 1"), std::string::npos);
  const ProgramResult reached = launch(
      {"--workers=2", "--servers=1"},
      kTraining + every +
          Arguments{"--variable_update=distributed_replicated", "--stop_at_top_1_accuracy=0"});
  EXPECT_EQ(reached.exit_code, 0) << reached.err;
  EXPECT_THAT(reached.out, HasSubstr("Stopping, as eval accuracy of at least 0 was reached"));
  EXPECT_THAT(reached.out, HasSubstr("\n2\timages/sec: "));
  EXPECT_EQ(reached.out.find("\n3\timages/sec: "), std::string::npos);
}

// The chief compares strategies on the links that were measured, and all take what it decides.
TEST(SeveralHosts, TakeAStrategyByThemselves) {
  const std::string path = scratch_folder("several_hosts") + "/auto.json";
  for (const Arguments& tasks :
       {Arguments{"--workers=2"}, Arguments{"--workers=2", "--servers=1"}}) {
    const ProgramResult result =
        launch(tasks, kTraining + Arguments{"--record_timeline", "--output_file=" + path});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const std::string takes = "convoy: --variable_update=auto takes ";
    const std::string decided = text_after("worker 0: " + takes, result.err);
    EXPECT_THAT(decided, HasSubstr(" tasks, on links of "));
    EXPECT_EQ(text_after("worker 1: " + takes, result.err), decided);
    if (tasks.size() > 1) {
      EXPECT_EQ(text_after("ps 0: " + takes, result.err), decided);
    }
    EXPECT_NE(hash_in(result.out), "");
    const nlohmann::json record = parse_json(std::ifstream(path));
    EXPECT_EQ(record["selection"]["origin"], "simulated");
    EXPECT_GT(record["selection"]["predicted_step_seconds"], 0);
    EXPECT_THAT(decided, HasSubstr(record["selection"]["flags"].get<std::string>()));
    EXPECT_THAT(record["selection"]["flags"].get<std::string>(),
                HasSubstr("--variable_update=" + record["strategy"]["name"].get<std::string>()));
    EXPECT_GT(record["prediction"]["step_seconds"], 0) << record["prediction"];
  }
}

TEST(SeveralHosts, TakeAStrategyThatKnowsTheOptionsGiven) {
  const ProgramResult result =
      launch({"--workers=2"}, kTraining + Arguments{"--all_reduce_spec=xring"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(text_after("worker 0: convoy: --variable_update=auto takes ", result.err),
              AllOf(HasSubstr("--all_reduce_spec=xring"), HasSubstr("on links of")));
  const ProgramResult by_rule =
      launch({"--workers=2"}, kTraining + Arguments{"--all_reduce_spec=xring", "--deterministic"});
  ASSERT_EQ(by_rule.exit_code, 0) << by_rule.err;
  EXPECT_EQ(by_rule.err.find("on links of"), std::string::npos) << by_rule.err;
}

TEST(SeveralHosts, DivideRealDataAmongThem) {
  const Arguments data{std::string("--data_dir=") + kImages};
  const ProgramResult alone =
      run_convoy(Arguments{"run", "--num_devices=2"} + kTraining + kRing + data);
  const ProgramResult two = launch({"--workers=2"}, kTraining + kRing + data);
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  ASSERT_EQ(two.exit_code, 0) << two.err;
  EXPECT_EQ(hash_in(two.out), hash_in(alone.out));
}

TEST(SeveralHosts, RefuseTasksThatContradictEachOther) {
  const Tasks tasks;
  const Arguments flags =
      kTraining + Arguments{"--variable_update=distributed_replicated", "--join_timeout=10"};
  const auto results = run_all({{tasks.worker_0 + flags, {}},
                                {tasks.worker_1 + flags + Arguments{"--batch_size=3"}, {}},
                                {tasks.server + Arguments{"--join_timeout=10"}, {}}});
  for (const ProgramResult& result : results) EXPECT_NE(result.exit_code, 0) << result.out;
  const std::string& said = results[1].err;
  EXPECT_THAT(said, AllOf(HasSubstr("worker 0"), HasSubstr("worker 1"), HasSubstr("batch_size")));
}

// The first half of the sample data, as another data set.
std::string half_of_the_data() {
  namespace fs = std::filesystem;
  std::string folder = scratch_folder("half_of_the_data");
  for (const auto& file : fs::directory_iterator(kImages))
    if (const std::string name = file.path().filename();
        name.find("-of-00004") == std::string::npos)
      fs::copy_file(file, fs::path(folder) / name);
  for (const char* const part : {"0", "1"})
    fs::copy_file(fmt::format("{}/train-0000{}-of-00004", kImages, part),
                  fmt::format("{}/train-0000{}-of-00002", folder, part));
  return folder;
}

// Each worker takes its share of one order of all images.
TEST(SeveralHosts, RefuseWorkersWithOtherData) {
  const Arguments flags = kTraining + kRing + Arguments{"--join_timeout=20"};
  const std::string half = half_of_the_data();
  for (const auto& [others, words] :
       {std::pair{Arguments{}, "--data_dir=.*a folder"},
        std::pair{Arguments{"--data_dir=" + half}, "give every worker the same files"}}) {
    const Tasks tasks;
    const auto results =
        run_all({{tasks.worker_0 + flags + Arguments{std::string("--data_dir=") + kImages}, {}},
                 {tasks.worker_1 + flags + others, {}},
                 {tasks.server + Arguments{"--join_timeout=20"}, {}}});
    for (const ProgramResult& result : results) EXPECT_NE(result.exit_code, 0) << result.out;
    EXPECT_THAT(results[0].err, ContainsRegex(words));
    EXPECT_THAT(results[1].err, ContainsRegex(words));
  }
}

TEST(SeveralHosts, NameTheTaskThatDoesNotCome) {
  const Tasks tasks;
  const ProgramResult result =
      run_convoy(tasks.worker_0 + kTraining + kRing + Arguments{"--join_timeout=1"});
  EXPECT_EQ(result.exit_code, 6) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("worker 1"), HasSubstr("ps 0")));
}

// Every survivor ends at once, says who was lost, and keeps what it has.
TEST(SeveralHosts, EndWhenOneOfThemDies) {
  const Arguments endless =
      kTraining + Arguments{"--variable_update=distributed_replicated", "--num_batches=1000000"};
  for (const bool chief_dies : {false, true}) {
    const Tasks tasks;
    const std::string path = scratch_folder("several_hosts") + "/partial.json";
    ProgramOptions victim;
    victim.signal = SIGKILL;
    victim.signal_after = "\n20\t";
    const auto results =
        run_all({{tasks.worker_0 + endless + Arguments{"--output_file=" + path},
                  chief_dies ? victim : ProgramOptions{}},
                 {tasks.worker_1 + endless, chief_dies ? ProgramOptions{} : victim},
                 {tasks.server, {}}});
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (i == (chief_dies ? 0u : 1u)) continue;
      EXPECT_EQ(results[i].exit_code, 6) << i << ": " << results[i].err;
      EXPECT_THAT(results[i].err, HasSubstr(chief_dies ? "worker 0" : "worker 1"));
      EXPECT_THAT(results[i].err, HasSubstr(" lost"));
    }
    if (chief_dies) continue;
    const nlohmann::json record = parse_json(std::ifstream(path));
    EXPECT_EQ(record["exit_status"], 6);
    EXPECT_GE(record["steps"].size(), 20u);
    EXPECT_GT(record["total"]["images_per_sec"], 0);
    EXPECT_GT(record["total"]["seconds"], 0);
    EXPECT_THAT(record["error"].get<std::string>(), HasSubstr("worker 1"));
  }
}

// The survivors keep their processes, wait for another worker 1, and all go on from the newest
// checkpoint as if nothing had happened.
TEST(SeveralHosts, GoOnWithATaskThatReplacesALostOne) {
  const Arguments flags =
      kTraining + kRing +
      Arguments{"--optimizer=momentum", "--num_warmup_batches=0", "--num_batches=40"};
  const ProgramResult whole = launch({"--workers=2"}, flags);
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const Tasks tasks;
  const std::string folder = scratch_folder("several_hosts");
  const Arguments lasting =
      flags + Arguments{"--restarts=1", "--save_model_steps=10", "--train_dir=" + folder + "/train",
                        "--output_file=" + folder + "/run.json"};
  ProgramOptions victim;
  victim.signal = SIGKILL;
  victim.signal_after = "\n25\t";
  std::vector<ProgramResult> replaced(2);
  std::jthread second([&] {
    replaced[0] = run_convoy(tasks.worker_1 + lasting, victim);
    replaced[1] = run_convoy(tasks.worker_1 + lasting);
  });
  const auto results = run_all({{tasks.worker_0 + lasting, {}}, {tasks.server, {}}});
  second.join();
  EXPECT_NE(replaced[0].exit_code, 0);
  EXPECT_EQ(replaced[1].exit_code, 0) << replaced[1].err;
  for (const ProgramResult& survivor : results) {
    EXPECT_EQ(survivor.exit_code, 0) << survivor.err;
    EXPECT_THAT(survivor.err, HasSubstr("worker 1"));
    EXPECT_THAT(survivor.err, HasSubstr("waiting for the lost task to be started again"));
  }
  EXPECT_EQ(hash_in(results[0].out), hash_in(whole.out));
  EXPECT_EQ(hash_in(replaced[1].out), hash_in(whole.out));
  EXPECT_EQ(parse_json(std::ifstream(folder + "/run.json"))["restarts"], 1);
}

// Ctrl-C on worker 1 ends all after one and the same step, and nobody takes that for a whole run.
void expect_to_end_together(const Arguments& flags) {
  const Tasks tasks;
  const std::string path = scratch_folder("several_hosts") + "/stopped.json";
  const Arguments endless = kTraining + flags + Arguments{"--num_batches=1000000"};
  ProgramOptions interrupted;
  interrupted.signal = SIGINT;
  interrupted.signal_after = "\n20\t";
  const auto results = run_all({{tasks.worker_0 + endless + Arguments{"--output_file=" + path}, {}},
                                {tasks.worker_1 + endless, interrupted},
                                {tasks.server, {}}});
  for (const ProgramResult& result : results) {
    EXPECT_EQ(result.exit_code, 130) << result.err;
    EXPECT_THAT(result.err, ContainsRegex("worker 1 [(].*[)] was stopped by SIGINT; the summary"));
  }
  const nlohmann::json record = parse_json(std::ifstream(path));
  EXPECT_EQ(record["exit_status"], 130);
  EXPECT_EQ(record["interrupted"], true);
  EXPECT_THAT(record["notices"].dump(), HasSubstr("was stopped by SIGINT"));
  EXPECT_THAT(results[0].out, HasSubstr("total images/sec: "));
  EXPECT_NE(hash_in(results[0].out), "");
  EXPECT_EQ(hash_in(results[0].out), hash_in(results[1].out));
}

TEST(SeveralHosts, EndTogetherWhenOneIsInterrupted) {
  expect_to_end_together({"--variable_update=distributed_replicated"});
}

const Arguments kAsynchronous{"--variable_update=parameter_server", "--cross_replica_sync=false"};

// A controller only watches over the run. Its Ctrl-C is no loss.
TEST(SeveralHosts, EndTogetherWhenTheirControllerIsInterrupted) {
  for (const Arguments& update : {kRing, kAsynchronous}) {
    const Arguments at = free_addresses(3);
    const Arguments common{"run", "--worker_hosts=" + at[0] + "," + at[1],
                           "--controller_host=" + at[2]};
    const Arguments worker =
        common + kTraining + update + Arguments{"--num_batches=1000000", "--job_name=worker"};
    RunningProgram controller(common + Arguments{"--job_name=controller"});
    RunningProgram first(worker + Arguments{"--task_index=0"});
    RunningProgram second(worker + Arguments{"--task_index=1"});
    ASSERT_TRUE(first.says("\n20\timages")) << first.err() << controller.err();
    controller.signal(SIGINT);
    for (RunningProgram* task : {&controller, &first, &second}) {
      EXPECT_EQ(task->exit_code(), 130) << task->err();
      EXPECT_THAT(task->err(), ContainsRegex("controller.* was stopped by SIGINT"));
      EXPECT_THAT(task->err(), Not(HasSubstr(" lost")));
    }
    EXPECT_THAT(first.out(), HasSubstr("total images/sec: "));
  }
}

// The survivors of a loss wait for the task that is to replace the lost one. Whichever of them is
// interrupted meanwhile ends all of them.
TEST(SeveralHosts, EndTogetherWhenOneIsInterruptedThatWaitsForALostOne) {
  for (const bool chief : {true, false}) {
    const Tasks tasks;
    const Arguments lasting =
        kTraining + Arguments{"--variable_update=distributed_replicated", "--num_batches=1000000",
                              "--restarts=1", "--train_dir=" + scratch_folder("several_hosts")};
    RunningProgram worker(tasks.worker_0 + lasting);
    RunningProgram victim(tasks.worker_1 + lasting);
    RunningProgram server(tasks.server);
    ASSERT_TRUE(worker.says("\n20\timages")) << worker.err() << server.err();
    victim.signal(SIGKILL);
    RunningProgram& interrupted = chief ? worker : server;
    ASSERT_TRUE(interrupted.says("waiting for the lost task")) << interrupted.err();
    interrupted.signal(SIGTERM);
    for (RunningProgram* task : {&worker, &server})
      EXPECT_EQ(task->exit_code(), 143) << task->err();
    EXPECT_THAT((chief ? server : worker).err(),
                ContainsRegex(chief ? "worker 0 [(].*[)] was stopped before all tasks had joined"
                                    : "ps 0 [(].*[)] was stopped before all tasks had joined"));
  }
}

// Waits until somebody listens at this address of this machine. Listening there or connecting would
// disturb the task.
bool is_listened_to(const std::string& address) {
  const std::string listener =
      fmt::format(":{:04X} 00000000", network::parse_host_port(address, "a test").port);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < end) {
    for (const char* const table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
      std::ifstream lines(table);
      for (std::string line; std::getline(lines, line);)
        if (line.find(listener) != std::string::npos) return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// One that is interrupted before it has joined is waited for otherwise.
TEST(SeveralHosts, EndTogetherWhenOneIsInterruptedThatHasJustStarted) {
  const Tasks tasks;
  RunningProgram chief(tasks.worker_0 + kTraining + kRing);
  ASSERT_TRUE(is_listened_to(tasks.addresses.front()));
  RunningProgram worker(tasks.worker_1 + kTraining + kRing);
  ASSERT_TRUE(worker.catches(SIGINT));
  worker.signal(SIGINT);
  EXPECT_EQ(worker.exit_code(), 130) << worker.err();
  EXPECT_EQ(chief.exit_code(), 130) << chief.err();
  EXPECT_THAT(chief.err(),
              ContainsRegex("worker 1 [(].*[)] was stopped before all tasks had joined"));
}

// What a task other than the chief is told to write is not written, and it says so unless the chief
// was told the same.
TEST(SeveralHosts, SayThatFilesAreTheChiefs) {
  const Tasks tasks;
  const std::string folder = scratch_folder("several_hosts");
  const Arguments flags = kTraining + Arguments{"--variable_update=distributed_replicated"};
  const Arguments same{"--output_file=" + folder + "/same.json"};
  const Arguments trace{"--trace_file=" + folder + "/trace.json"};
  const auto results = run_all({{tasks.worker_0 + flags + same, {}},
                                {tasks.worker_1 + flags + same + trace, {}},
                                {tasks.server + trace, {}}});
  for (const ProgramResult& result : results) ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string without_effect = trace.front() + " has no effect on this task";
  EXPECT_THAT(results[0].err, Not(HasSubstr("has no effect")));
  for (const std::size_t task : {1u, 2u}) {
    EXPECT_THAT(results[task].err, HasSubstr(without_effect));
    EXPECT_THAT(results[task].err, Not(HasSubstr("output_file")));
  }
}

TEST(SeveralHosts, TrainWithoutWaitingForEachOther) {
  const std::string path = scratch_folder("several_hosts") + "/asynchronous.json";
  for (const Arguments& tasks :
       {Arguments{"--workers=2", "--servers=1"}, Arguments{"--workers=2"}}) {
    const ProgramResult result = launch(
        tasks, kTraining + kAsynchronous + Arguments{"--num_batches=20", "--output_file=" + path});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(hash_in(result.out), "");
    EXPECT_EQ(text_after("worker 1: parameter hash: ", result.err), hash_in(result.out));
    EXPECT_THAT(result.out, HasSubstr("total images/sec: "));
    const nlohmann::json record = parse_json(std::ifstream(path));
    ASSERT_EQ(record["workers"].size(), 2u);
    double speed = 0;
    std::int64_t steps = 0;
    for (const nlohmann::json& worker : record["workers"]) {
      speed += worker["images_per_sec"].get<double>();
      steps += worker["steps"].get<std::int64_t>();
      EXPECT_FALSE(worker["staleness"].empty()) << worker;
    }
    EXPECT_GE(steps, 2 * 20 - 1);
    EXPECT_EQ(record["steps"].size(), record["workers"][0]["steps"]);
    EXPECT_NEAR(record["total"]["images_per_sec"].get<double>(), speed, 0.01 * speed);
  }
}

// A worker that may run for a tenth of the time slows itself.
TEST(SeveralHosts, AreNotSlowedByASlowWorkerThatNobodyWaitsFor) {
  const Tasks tasks;
  const std::string path = scratch_folder("several_hosts") + "/slow.json";
  const Arguments flags = kTraining + kAsynchronous + Arguments{"--num_batches=100"};
  ProgramOptions slow;
  slow.stopped_share = 0.9;
  slow.signal_after = "Done warm up";
  const auto results = run_all({{tasks.worker_0 + flags + Arguments{"--output_file=" + path}, {}},
                                {tasks.worker_1 + flags, slow},
                                {tasks.server, {}}});
  for (const ProgramResult& result : results) ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json workers = parse_json(std::ifstream(path))["workers"];
  ASSERT_EQ(workers.size(), 2u);
  // If one waited for the other, both would have as many. How many times as many it is depends on
  // what else this machine does.
  EXPECT_GT(2 * workers[0]["steps"].get<int>(), 3 * workers[1]["steps"].get<int>()) << workers;
  EXPECT_GE(workers[0]["steps"].get<int>() + workers[1]["steps"].get<int>(), 199) << workers;
  EXPECT_GT(workers[1]["staleness"].back()["updates"].get<int>(), 3) << workers;
}

TEST(SeveralHosts, EndWhenOneDiesThatNobodyWaitsFor) {
  const Tasks tasks;
  const Arguments endless = kTraining + kAsynchronous + Arguments{"--num_batches=1000000"};
  ProgramOptions victim;
  victim.signal = SIGKILL;
  victim.signal_after = "\n20\t";
  const auto results = run_all(
      {{tasks.worker_0 + endless, {}}, {tasks.worker_1 + endless, victim}, {tasks.server, {}}});
  for (const std::size_t survivor : {0, 2}) {
    EXPECT_EQ(results[survivor].exit_code, 6) << results[survivor].err;
    EXPECT_THAT(results[survivor].err, AllOf(HasSubstr("worker 1"), HasSubstr(" lost")));
  }
}

TEST(SeveralHosts, EndTogetherWhenOneIsInterruptedThatNobodyWaitsFor) {
  expect_to_end_together(kAsynchronous);
}

TEST(SeveralHosts, SaveAtTheEndWhatTheyTrainedWithoutWaiting) {
  const Arguments folder{"--train_dir=" + scratch_folder("several_hosts") + "/asynchronous"};
  const Arguments flags = kTraining + kAsynchronous + Arguments{"--optimizer=momentum"} + folder;
  ASSERT_EQ(launch({"--workers=2", "--servers=1"}, flags).exit_code, 0);
  const ProgramResult again = launch({"--workers=2"}, flags);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("restored "));
}

// The chief decides when, all drain, and go on.
TEST(SeveralHosts, SaveAndEvaluateMeanwhileWhatTheyTrainWithoutWaiting) {
  const std::string folder = scratch_folder("several_hosts") + "/meanwhile";
  const std::string path = scratch_folder("several_hosts") + "/meanwhile.json";
  const Arguments flags =
      kTraining + kAsynchronous +
      Arguments{"--num_batches=60",      "--save_model_steps=20",
                "--train_dir=" + folder, "--eval_during_training_every_n_steps=25",
                "--num_eval_batches=2",  "--output_file=" + path};
  const ProgramResult result = launch({"--workers=2", "--servers=1"}, flags);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json record = parse_json(std::ifstream(path));
  EXPECT_GE(record["checkpoints"].size(), 1u) << record["checkpoints"];
  EXPECT_GE(record["evaluations"].size(), 1u) << record["evaluations"];
  for (const nlohmann::json& it : record["evaluations"])  // both are of one point
    EXPECT_EQ(it["step"].get<int>() + 1, it["global_step"].get<int>());
  EXPECT_EQ(text_after("worker 1: parameter hash: ", result.err), hash_in(result.out));
  const ProgramResult again = launch({"--workers=2"}, flags);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("restored "));
}

// All save together, although the failure is the chief's alone.
TEST(SeveralHosts, SaveWhatTheyTrainedBeforeAnEvaluationThatFails) {
  for (const Arguments& strategy : {kRing, kAsynchronous}) {
    const std::filesystem::path folder = scratch_folder("evaluation_fails");
    const ProgramResult result = launch(
        {"--workers=2"},
        kTraining + strategy +
            Arguments{"--data_dir=" + data_with_damaged_validation(folder / "data").string(),
                      "--train_dir=" + (folder / "checkpoints").string(), "--num_batches=200",
                      "--eval_during_training_every_n_steps=2", "--num_eval_batches=3"});
    EXPECT_EQ(result.exit_code, 1) << "worker 1 may end first: " << result.err;
    EXPECT_THAT(result.err, HasSubstr("wrong checksum"));
    EXPECT_THAT(result.err, HasSubstr("training ends at global_step"));
    EXPECT_TRUE(std::filesystem::exists(folder / "checkpoints/checkpoint")) << result.err;
  }
}

// What the prologue makes of the values is not saved: it runs again.
TEST(SeveralHosts, GoOnWithWhatThePrologueMakesOfTheValues) {
  const Arguments flags =
      kTraining + Arguments{"--variable_update=local_sgd", "--local_steps=2", "--outer_rate=0.5",
                            "--num_warmup_batches=0", "--nodropout"};
  const Arguments folder{"--train_dir=" + scratch_folder("several_hosts") + "/prologue"};
  const ProgramResult whole = launch({"--workers=2"}, flags + Arguments{"--num_batches=8"});
  ASSERT_EQ(launch({"--workers=2"}, flags + folder).exit_code, 0);
  const ProgramResult rest = launch({"--workers=2"}, flags + folder + Arguments{"--num_batches=8"});
  EXPECT_NE(hash_in(whole.out), "");
  EXPECT_EQ(hash_in(rest.out), hash_in(whole.out)) << rest.err;
}

// The plan of two devices that share nothing is that of two hosts, too, but what one host saved of
// both does not fit into either of the two.
TEST(SeveralHosts, GoOnWithTheModelOfOneHostThatHadTheSamePlan) {
  const Arguments flags = Arguments{"--model=resnet20"} +
                          Arguments(kTraining.begin() + 1, kTraining.end()) +
                          Arguments{"--variable_update=independent", "--num_warmup_batches=0",
                                    "--train_dir=" + scratch_folder("several_hosts") + "/one_host"};
  const ProgramResult one = run_convoy(Arguments{"run", "--num_devices=2"} + flags);
  ASSERT_EQ(one.exit_code, 0) << one.err;
  const ProgramResult two = launch({"--workers=2"}, flags + Arguments{"--num_batches=6"});
  EXPECT_EQ(two.exit_code, 0) << two.err;
  EXPECT_THAT(two.err, HasSubstr("is left out"));
}

TEST(SeveralHosts, SayWhatTheyCannotDoBeforeAnybodyWaits) {
  const Tasks tasks;
  for (const std::string flag : {"--auto=measure", "--forward_only", "--hosts=2", "--restarts=1"}) {
    const ProgramResult result = run_convoy(tasks.worker_0 + kTraining + Arguments{flag});
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr(flag.substr(0, flag.find('='))));
  }
}

TEST(Launch, EndsWithTheCodeOfTheTaskThatFails) {
  const ProgramResult result = launch({"--workers=2"}, {"--model=lenett"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("ended with code 3"));
}

std::string file_of(pid_t process, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(process) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Whether SIGINT is in a set of signals of the process, such as "SigCgt" of those that it handles.
bool has_interrupt_in(pid_t process, const std::string& set) {
  const std::string signals = text_after(set + ":", file_of(process, "status"));
  return !signals.empty() && (std::stoull(signals, nullptr, 16) >> (SIGINT - 1)) % 2 == 1;
}

// Looks again and again for a minute at most.
bool comes_true(const std::function<bool()>& condition) {
  for (int look = 0; look < 6000; ++look) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

// A server waits for worker 0, which refuses its command line.
TEST(Launch, PassesCtrlCOnAfterATaskHasFailed) {
  const std::string mark = "--train_dir=" + scratch_folder("several_hosts") + "/ctrl_c";
  RunningProgram running({"launch", "--workers=1", "--servers=1", "--end_timeout=600", "--",
                          "--model=lenet", "--forward_only", mark});
  ASSERT_TRUE(running.says("worker 0 ended with code 2")) << running.err();
  const std::vector<pid_t> left = processes_with(mark);  // launcher and server
  // Without a handler of its own the signal kills a process.
  comes_true([&] {
    return std::ranges::all_of(left, [](pid_t it) { return has_interrupt_in(it, "SigCgt"); });
  });
  running.signal(SIGINT);
  EXPECT_EQ(running.exit_code(60), 2) << running.err();
  // Nobody had to kill it.
  EXPECT_THAT(running.err(), HasSubstr("ps 0: convoy: error: interrupted"));
}

// The workers of a launcher whose command line has this text.
std::vector<pid_t> workers_with(const std::string& text) {
  std::vector<pid_t> workers = processes_with(text);
  std::erase_if(workers, [](pid_t process) {
    return file_of(process, "cmdline").find("--job_name=worker") == std::string::npos;
  });
  return workers;
}

bool is_stopped(pid_t process) {
  return file_of(process, "status").find("\nState:\tT") != std::string::npos;
}

// A task that is stopped and has had no processor yet would take a signal first.
bool stop_and_wait(pid_t task) {
  ::kill(task, SIGSTOP);
  return comes_true([task] { return is_stopped(task); });
}

// A launcher with one task, which is stopped when the launcher's SIGINT has come to it: it takes
// long to end. Tasks beside one that has failed would get no time.
class SlowToEnd : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(launch_.says("\n20\timages")) << launch_.err();
    const std::vector<pid_t> workers = workers_with(folder_);
    ASSERT_FALSE(workers.empty());
    task_ = workers.back();
    ASSERT_TRUE(stop_and_wait(task_));
    launch_.signal(SIGINT);
    // The signal waits for the process to go on.
    ASSERT_TRUE(comes_true([&] { return has_interrupt_in(task_, "ShdPnd"); }));
  }

  std::string folder_ = scratch_folder("slow_to_end");
  RunningProgram launch_{Arguments{"launch", "--workers=1", "--end_timeout=0", "--"} + kTraining +
                         Arguments{"--num_batches=1000000", "--train_dir=" + folder_}};
  pid_t task_ = -1;
};

TEST_F(SlowToEnd, ATaskOfLaunchEndsByItself) {
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the launcher looks every 50 ms
  ::kill(task_, SIGCONT);
  EXPECT_EQ(launch_.exit_code(), 130) << launch_.err();
  EXPECT_THAT(launch_.err(), HasSubstr("was stopped by SIGINT; the summary covers"));
  EXPECT_THAT(launch_.out(), HasSubstr("total images/sec: "));
  EXPECT_FALSE(std::filesystem::is_empty(folder_)) << "no checkpoint";
}

TEST_F(SlowToEnd, ATaskOfLaunchIsEndedByASecondSignal) {
  // Signals within a second count as one.
  for (int look = 0; look < 600 && !launch_.exit_code(0.1); ++look) launch_.signal(SIGINT);
  EXPECT_EQ(launch_.exit_code(0), 128 + SIGINT) << launch_.err();
  comes_true([&] { return processes_with(folder_).empty(); });
  EXPECT_EQ(processes_with(folder_), std::vector<pid_t>());
}

// Both are stopped when they are asked to end. The one that is left would never end by itself.
TEST(Launch, EndsTheOtherWhenATaskCrashesThatWasAskedToEnd) {
  const std::string folder = scratch_folder("asked_to_end");
  RunningProgram launch(
      Arguments{"launch", "--workers=2", "--end_timeout=0", "--"} + kTraining + kRing +
      Arguments{"--num_batches=1000000", "--train_dir=" + folder, "--peer_timeout=60"});
  ASSERT_TRUE(launch.says("\n20\timages")) << launch.err();
  const std::vector<pid_t> workers = workers_with(folder);
  ASSERT_EQ(workers.size(), 2u);
  for (const pid_t worker : workers) ASSERT_TRUE(stop_and_wait(worker));
  launch.signal(SIGINT);
  for (const pid_t worker : workers)
    ASSERT_TRUE(comes_true([worker] { return has_interrupt_in(worker, "ShdPnd"); }));
  ::kill(workers.back(), SIGKILL);
  EXPECT_EQ(launch.exit_code(), 128 + SIGKILL) << launch.err();
  EXPECT_THAT(launch.err(), HasSubstr("ended with code 137"));
  EXPECT_EQ(processes_with(folder), std::vector<pid_t>());
}

// The other one, which is stopped, is lost. The chief waits for one that replaces it until it is
// asked to end.
TEST(Launch, EndsAStoppedTaskWhenTheChiefHasEnded) {
  const std::string folder = scratch_folder("stopped_task");
  RunningProgram launch(
      Arguments{"launch", "--workers=2", "--restarts=1", "--end_timeout=1", "--"} + kTraining +
      kRing + Arguments{"--num_batches=1000000", "--train_dir=" + folder, "--peer_timeout=3"});
  ASSERT_TRUE(launch.says("\n20\timages")) << launch.err();
  const std::vector<pid_t> workers = workers_with(folder);
  ASSERT_EQ(workers.size(), 2u);
  ASSERT_TRUE(stop_and_wait(workers.back()));
  ASSERT_TRUE(launch.says("no heartbeat for 3.0 s")) << launch.err();
  launch.signal(SIGINT);
  EXPECT_EQ(launch.exit_code(), 130) << launch.err();
  EXPECT_THAT(launch.err(), HasSubstr("worker 1 has not ended after 1 s (--end_timeout)"));
  EXPECT_EQ(processes_with(folder), std::vector<pid_t>());
}

TEST(Launch, StopsAndGoesOnWithItsTasks) {
  const std::string folder = scratch_folder("suspended");
  RunningProgram launch(
      Arguments{"launch", "--workers=2", "--"} + kTraining + kRing +
      Arguments{"--num_batches=1000000", "--train_dir=" + folder, "--peer_timeout=3"});
  ASSERT_TRUE(launch.says("\n20\timages")) << launch.err();
  const std::vector<pid_t> all = processes_with(folder);
  ASSERT_EQ(all.size(), 3u);
  launch.signal(SIGTSTP);
  ASSERT_TRUE(comes_true([&] { return std::ranges::all_of(all, is_stopped); }));
  std::this_thread::sleep_for(std::chrono::seconds(4));  // longer than the limit for silence
  launch.signal(SIGCONT);
  ASSERT_TRUE(comes_true([&] { return std::ranges::none_of(all, is_stopped); }));
  launch.signal(SIGINT);
  EXPECT_EQ(launch.exit_code(), 130) << launch.err();
  EXPECT_THAT(launch.err(), Not(HasSubstr("lost")));
}

TEST(Launch, RefusesWhatIsNotItsOwn) {
  const ProgramResult result = run_convoy({"launch", "--workers=0", "--", "--model=lenet"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--workers=0"));
  EXPECT_EQ(run_convoy({"launch", "--model=lenet"}).exit_code, 2);
}

}  // namespace
}  // namespace convoy::several_hosts_test
