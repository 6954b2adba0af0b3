// Runs the program as a user does and reads what it prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/end_to_end/reference_run.hpp"
#include "tests/end_to_end/run_program.hpp"
#include "tests/end_to_end/running_program.hpp"
#include "tests/support/pattern.hpp"

namespace convoy {
namespace {

using testing::HasSubstr;

std::vector<std::string> lenet_run(std::vector<std::string> more) {
  std::vector<std::string> arguments{"run",
                                     "--model=lenet",
                                     "--device=cpu",
                                     "--num_devices=2",
                                     "--num_intra_threads=1",
                                     "--batch_size=4",
                                     "--num_batches=6",
                                     "--num_warmup_batches=2",
                                     "--display_every=2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(Run, PrintsTheWellKnownLines) {
  const ProgramResult result =
      run_convoy(lenet_run({"--variable_update=replicated", "--all_reduce_spec=collective"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Pattern expected(
      "convoy:      [0-9.]+\n"
      "Model:       lenet\n"
      "Dataset:     imagenet \\(synthetic\\)\n"
      "Mode:        training\n"
      "SingleSess:  False\n"
      "Batch size:  8 global\n"
      "             4 per device\n"
      "Num batches: 6\n"
      "Num epochs:  0.00\n"
      "Devices:     \\['/cpu:0', '/cpu:1'\\]\n"
      "NUMA bind:   True\n"
      "Data format: NCHW\n"
      "Optimizer:   sgd\n"
      "Variables:   replicated\n"
      "AllReduce:   collective\n"
      "==========\n"
      "Generating training model\n"
      "Initializing graph\n"
      "Running warm up\n"
      "Done warm up\n"
      "Step\tImg/sec\ttotal_loss\n"
      "(?:[1246]\timages/sec: [0-9.]+ \\+/- [0-9.]+ \\(jitter = [0-9.]+\\)\t[0-9.]+\n){4}"
      "-{64}\n"
      "total images/sec: [0-9]+\\.[0-9]{2}\n"
      "-{64}\n");
  EXPECT_TRUE(expected.is_all_of(result.out)) << result.out;
}

TEST(Run, WritesEveryStepToJson) {
  const std::string path = scratch_folder("run_json") + "/run.json";
  const ProgramResult result =
      run_convoy(lenet_run({"--variable_update=parameter_server", "--local_parameter_device=cpu",
                            "--output_file=" + path}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json record = read_json(path);
  ASSERT_EQ(record.at("steps").size(), 6u);
  const std::string printed = result.out.substr(result.out.find("total images/sec: ") + 18);
  EXPECT_NEAR(record.at("total").at("images_per_sec").get<double>(), std::stod(printed), 0.01);
  EXPECT_EQ(record.at("strategy").at("name"), "parameter_server");
  EXPECT_EQ(record.at("devices").size(), 2u);
  EXPECT_EQ(record.at("exit_status"), 0);
}

// Its first layer has one input and 4096 outputs, which crashed with two threads.
TEST(Run, TrainsTheTrivialModelWithTwoThreads) {
  for (const char* data : {"imagenet", "cifar10"}) {
    const ProgramResult result =
        run_convoy({"run", "--model=trivial", std::string("--data_name=") + data, "--device=cpu",
                    "--num_devices=1", "--num_intra_threads=2", "--batch_size=4", "--num_batches=4",
                    "--num_warmup_batches=1", "--variable_update=replicated"});
    EXPECT_EQ(result.exit_code, 0) << data << ": " << result.err;
    EXPECT_THAT(result.out, HasSubstr("total images/sec: ")) << data;
  }
}

TEST(Run, TellsWhatIsForSeveralTasksWhereItIsAlone) {
  const ProgramResult result = run_convoy({"run",
                                           "--model=lenet",
                                           "--device=cpu",
                                           "--num_devices=1",
                                           "--batch_size=1",
                                           "--num_batches=1",
                                           "--num_warmup_batches=0",
                                           "--variable_update=replicated",
                                           "--restarts=2",
                                           "--certificate=/none",
                                           "--peer_timeout=1",
                                           "--network_channels=9",
                                           "--insecure_network",
                                           "--grpc_connections=2",
                                           "--max_ckpts_to_keep=2",
                                           "--on_bad_record=skip",
                                           "--on_save_error=continue",
                                           "--auto_inexact",
                                           "--fp16_inc_loss_scale_every_n=5",
                                           "--record_timeline"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* notice :
       {"--auto_inexact: without effect, because --variable_update names the strategy",
        "--fp16_inc_loss_scale_every_n: without effect, because without",
        "--record_timeline: without effect, because without --output_file and --report"})
    EXPECT_THAT(result.err, HasSubstr(notice));
  EXPECT_THAT(result.err,
              HasSubstr("--network_channels, --peer_timeout, --restarts, --certificate, "
                        "--insecure_network, --grpc_connections: without effect, because this "
                        "process runs alone"));
  EXPECT_THAT(result.err, HasSubstr("--on_bad_record: without effect, because without --data_dir "
                                    "images are synthetic"));
  EXPECT_THAT(result.err, HasSubstr("--max_ckpts_to_keep, --on_save_error: without effect, because "
                                    "without --train_dir no checkpoint is saved"));
}

TEST(Run, TracesOperationsUnderTheIdsOfThePlan) {
  const std::string path = scratch_folder("run_trace") + "/trace.json";
  const ProgramResult run =
      run_convoy(lenet_run({"--variable_update=parameter_server", "--trace_file=" + path}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ProgramResult plan =
      run_convoy({"plan", "--model=lenet", "--variable_update=parameter_server", "--device=cpu",
                  "--num_devices=2", "--lowered"});
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  std::size_t operations = 0;
  const nlohmann::json trace = read_json(path);
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X" || event.at("cat") != "operation") continue;
    ++operations;
    const std::string name = event.at("name").get<std::string>();
    const std::string kind = name.substr(0, name.find(' '));
    const Pattern line("#" + std::to_string(event.at("args").at("operation").get<int>()) +
                       " [^\n]*\\b" + kind + "\\b");
    EXPECT_TRUE(line.is_in(plan.out)) << event.dump();
  }
  EXPECT_GT(operations, 10u);
}

TEST(Run, GivesTheSameLossesOnOneTwoAndFourDevices) {
  std::vector<std::vector<double>> losses;
  for (const int devices : {1, 2, 4}) {
    const std::string path = scratch_folder("run_devices") + "/run.json";
    const ProgramResult result = run_convoy(
        {"run", "--model=lenet", "--device=cpu", "--num_intra_threads=1", "--num_warmup_batches=0",
         "--num_batches=5", "--data_name=hash", "--initializer=hash", "--optimizer=momentum",
         "--init_learning_rate=0.0005", "--num_devices=" + std::to_string(devices),
         "--batch_size=" + std::to_string(8 / devices), "--output_file=" + path});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const nlohmann::json record = read_json(path);
    losses.emplace_back();
    for (const nlohmann::json& step : record.at("steps")) losses.back().push_back(step.at("loss"));
  }
  for (std::size_t run = 1; run < losses.size(); ++run)
    for (std::size_t step = 0; step < losses[0].size(); ++step)
      EXPECT_NEAR(losses[run][step], losses[0][step], 1e-5 * losses[0][step])
          << "run " << run << " step " << step;
}

TEST(Run, TrainsOnTheSampleRecords) {
  const ProgramResult result =
      run_convoy(lenet_run({"--data_dir=" CONVOY_SOURCE_DIR "/share/sample_data/imagenet",
                            "--variable_update=replicated", "--print_training_accuracy"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Dataset:     imagenet\n"));
  EXPECT_THAT(result.out, HasSubstr("Step\tImg/sec\ttotal_loss\ttop_1_accuracy\ttop_5_accuracy\n"));
}

TEST(Run, EndsWithFiveWhenTheLossIsNotANumber) {
  const std::string path = scratch_folder("run_nan") + "/run.json";
  const ProgramResult result =
      run_convoy(lenet_run({"--init_learning_rate=1e30", "--output_file=" + path}));
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_THAT(result.err, HasSubstr("training diverged"));
  EXPECT_EQ(read_json(path).at("exit_status"), 5);
}

TEST(Run, GoesOnWhenOnlySyntheticImagesMakeTheLossOverflow) {
  const ProgramResult result = run_convoy({"run", "--model=alexnet", "--batch_size=1",
                                           "--num_batches=2", "--variable_update=independent"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("total images/sec: "));
}

class Interrupted : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(Interrupted, LeavesAPartialSummary) {
  const auto [signal, code] = GetParam();
  const std::string path = scratch_folder("run_signal") + "/run.json";
  const ProgramResult result =
      run_convoy(lenet_run({"--num_batches=1000000", "--output_file=" + path}),
                 {.timeout_seconds = 60, .signal = signal, .signal_after = "\n2\timages/sec"});
  EXPECT_EQ(result.exit_code, code) << result.err;
  EXPECT_THAT(result.out, HasSubstr("total images/sec: "));
  const nlohmann::json record = read_json(path);
  EXPECT_TRUE(record.at("interrupted").get<bool>());
  EXPECT_GE(record.at("steps").size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupted,
                         testing::Values(std::make_pair(SIGINT, 130),
                                         std::make_pair(SIGTERM, 143)));

template <typename Condition>
bool comes_true(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return condition();
}

// proc(5): the state is the letter behind the name, which is in brackets.
bool is_stopped(pid_t process) {
  std::ifstream stream("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(stream, text);
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.substr(name_end, 3) == ") T";
}

class StandingStill : public testing::TestWithParam<const char*> {};

// `convoy run --against` lets two runs take turns so.
TEST_P(StandingStill, LastsFromTheStepUnderWayUntilItIsToGoOn) {
  const std::string path = scratch_folder("stand_still") + "/run.json";
  RunningProgram run(lenet_run({"--num_batches=1000000", "--output_file=" + path,
                                std::string("--variable_update=") + GetParam()}));
  ASSERT_TRUE(run.says("\n2\timages/sec")) << run.err();
  const std::vector<pid_t> processes = processes_with(path);
  ASSERT_EQ(processes.size(), 1u);
  for (int turn = 0; turn < 2; ++turn) {
    run.signal(SIGUSR2);
    ASSERT_TRUE(comes_true([&] { return is_stopped(processes.front()); })) << "turn " << turn;
    const std::size_t said = run.out().size();
    run.signal(SIGCONT);
    ASSERT_TRUE(comes_true([&] { return run.out().size() > said; })) << "turn " << turn;
  }
  run.signal(SIGINT);
  EXPECT_EQ(run.exit_code(), 130);
  EXPECT_TRUE(read_json(path).at("interrupted").get<bool>());
}

INSTANTIATE_TEST_SUITE_P(Strategies, StandingStill, testing::Values("replicated", "ssp"));

}  // namespace
}  // namespace convoy
