// Checkpoints as a user meets them: training, stopping, going on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/text/json.hpp"
#include "core/checkpoint/safetensors_file.hpp"
#include "tests/end_to_end/damaged_data.hpp"
#include "tests/end_to_end/run_program.hpp"

namespace convoy {
namespace {

using checkpoint::SafetensorsFile;

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Arguments = std::vector<std::string>;

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

struct Trained {
  ProgramResult program;
  nlohmann::json record;
};

// A small run that writes its record.
Trained run_lenet(const fs::path& folder, const Arguments& more) {
  const fs::path record = fs::path(scratch_folder("checkpoint_record")) / "run.json";
  Arguments arguments{"run",
                      "--model=lenet",
                      "--device=cpu",
                      "--num_devices=2",
                      "--num_intra_threads=1",
                      "--batch_size=4",
                      "--variable_update=replicated",
                      "--display_every=1",
                      "--output_file=" + record.string()};
  if (!folder.empty()) arguments.push_back("--train_dir=" + folder.string());
  arguments.insert(arguments.end(), more.begin(), more.end());
  Trained result{run_convoy(arguments), {}};
  if (fs::exists(record)) result.record = parse_json(std::ifstream(record));
  return result;
}

// Steps and folder as given.
Trained train(const fs::path& folder, int warmup, int steps, Arguments more = {}) {
  more.push_back("--num_warmup_batches=" + std::to_string(warmup));
  more.push_back("--num_batches=" + std::to_string(steps));
  return run_lenet(folder, more);
}

std::vector<double> losses(const Trained& trained) {
  std::vector<double> values;
  for (const auto& step : trained.record.at("steps")) values.push_back(step.at("loss"));
  return values;
}

std::string sample_data() {
  return "--data_dir=" + std::string(CONVOY_SOURCE_DIR) + "/share/sample_data/imagenet";
}

class Resumed : public testing::TestWithParam<Arguments> {};

TEST_P(Resumed, RunsEndAsIfTheyHadNotStopped) {
  Arguments more = GetParam();
  more.push_back(sample_data());
  const fs::path folder = scratch_folder("checkpoint_resumed");
  const Trained whole = train({}, 1, 8, more);
  ASSERT_EQ(whole.program.exit_code, 0) << whole.program.err;
  const Trained first = train(folder, 1, 3, more);
  ASSERT_EQ(first.program.exit_code, 0) << first.program.err;
  EXPECT_THAT(files_in(folder), ElementsAre("checkpoint", "model-4.safetensors"));
  const Trained second = train(folder, 0, 9, more);  // 4 are done
  ASSERT_EQ(second.program.exit_code, 0) << second.program.err;
  EXPECT_THAT(second.program.err, HasSubstr("step 4, 32 samples"));
  const std::vector<double> expected = losses(whole);
  EXPECT_EQ(losses(second), std::vector<double>(expected.begin() + 3, expected.end()));
  EXPECT_EQ(second.record.at("parameter_hash"), whole.record.at("parameter_hash"));
}

INSTANTIATE_TEST_SUITE_P(
    Runs, Resumed,
    testing::Values(Arguments{}, Arguments{"--optimizer=adam", "--init_learning_rate=0.001"},
                    Arguments{"--variable_consistency=relaxed", "--optimizer=momentum"},
                    Arguments{"--variable_update=independent", "--optimizer=rmsprop"},
                    Arguments{"--fp16_loss_scale=1024", "--fp16_enable_auto_loss_scale",
                              "--fp16_inc_loss_scale_every_n=3"},
                    Arguments{"--variable_update=parameter_server", "--staged_vars"},
                    // A residual per bucket, all of one name.
                    Arguments{"--variable_update=topk", "--bucket_mb=1"}));

// 5 warm-up and 20 timed steps, then 40 asked for: 25 are done, 15 lines come.
TEST(Resuming, CountsTheStepsOfEarlierRuns) {
  const fs::path folder = scratch_folder("checkpoint_count");
  ASSERT_EQ(train(folder, 5, 20).program.exit_code, 0);
  const Trained second = train(folder, 5, 40);
  EXPECT_EQ(second.record.at("steps").size(), 15u);
  EXPECT_THAT(second.program.err, HasSubstr("15 of 40 steps left to do: the checkpoint is at "
                                            "step 25"));
  EXPECT_THAT(files_in(folder),
              ElementsAre("checkpoint", "model-25.safetensors", "model-45.safetensors"));
  const Trained forward = train(folder, 5, 48, {"--forward_only", "--save_model_steps=1"});
  ASSERT_EQ(forward.program.exit_code, 0) << forward.program.err;
  EXPECT_EQ(forward.record.at("steps").size(), 48u) << "inference takes no steps of a training";
  EXPECT_THAT(forward.program.err, HasSubstr("--save_model_steps: without effect, because "
                                             "--forward_only saves nothing"));
  const Trained third = train(folder, 5, 40);
  EXPECT_EQ(third.program.exit_code, 0);
  EXPECT_THAT(third.program.err, HasSubstr("no step is left to do: the checkpoint is at step 45"));
  EXPECT_THAT(third.record.at("steps"), testing::IsEmpty());
  const Trained evaluated = train(folder, 5, 40, {"--eval_during_training_every_n_steps=100"});
  EXPECT_EQ(evaluated.program.exit_code, 0) << evaluated.program.err;
  ASSERT_EQ(evaluated.record.at("evaluations").size(), 1u);
  EXPECT_EQ(evaluated.record.at("evaluations")[0].at("examples"), 40 * 8)
      << "as after an unbroken run";
}

// One that was stopped when it had done as many steps as are timed, but had warmed up as well.
TEST(Resuming, EndsAtTheStepAtWhichAnUnbrokenRunWouldEnd) {
  const fs::path folder = scratch_folder("checkpoint_corner");
  ASSERT_EQ(train(folder, 0, 22).program.exit_code, 0);
  const Trained second = train(folder, 5, 20);
  EXPECT_EQ(second.record.at("steps").size(), 3u);
  EXPECT_THAT(second.program.err,
              HasSubstr("3 of 20 steps left to do: the checkpoint is at step 22"));
  EXPECT_THAT(files_in(folder), testing::Contains("model-25.safetensors"));
  EXPECT_THAT(train(folder, 5, 20).program.err, HasSubstr("no step is left to do"));
}

// The checkpoint is at step 15, after 10 timed steps. The second run warms up until step 20.
TEST(Resuming, EvaluatesAfterTheStepsOfAnUnbrokenRun) {
  const fs::path folder = scratch_folder("checkpoint_evaluations");
  ASSERT_EQ(train(folder, 5, 10).program.exit_code, 0);
  const Trained second =
      train(folder, 5, 30,
            {"--eval_during_training_at_specified_steps=10,12,17,22", "--num_eval_batches=1"});
  std::vector<int> steps;
  for (const auto& it : second.record.at("evaluations")) steps.push_back(it.at("global_step"));
  EXPECT_THAT(steps, ElementsAre(21, 22, 27, 35)) << second.program.err;
}

TEST(Resuming, GoesOnOnAnotherNumberOfDevicesAndStrategy) {
  const fs::path folder = scratch_folder("checkpoint_devices");
  ASSERT_EQ(train(folder, 0, 3, {"--variable_update=independent"}).program.exit_code, 0);
  const Trained second =
      train(folder, 0, 5, {"--num_devices=1", "--variable_update=parameter_server"});
  EXPECT_EQ(second.program.exit_code, 0) << second.program.err;
  EXPECT_THAT(second.program.err, HasSubstr("is left out, because this run has another plan"));
  EXPECT_EQ(second.record.at("steps").size(), 2u);
  const ProgramResult info = run_convoy({"info", (folder / "model-5.safetensors").string()});
  EXPECT_THAT(info.out, HasSubstr("samples: 32"));  // 3 steps of 8 and 2 of 4
}

// 400 images: an epoch with 2 batches of 25, one with those of 10, one with those of 50.
TEST(Resuming, CountsEpochsByImagesWhereTheBatchChanges) {
  const fs::path folder = scratch_folder("checkpoint_epochs");
  // A fourth of the sample data is enough.
  const fs::path data = scratch_folder("checkpoint_epochs_data");
  fs::copy_file(fs::path(CONVOY_SOURCE_DIR) / "share/sample_data/imagenet/train-00000-of-00004",
                data / "train-00000-of-00001");
  const auto rates = [&](const char* batch, const char* epochs) {
    const Trained run =
        run_lenet(folder, {"--data_dir=" + data.string(), std::string("--batch_size=") + batch,
                           std::string("--num_epochs=") + epochs, "--num_warmup_batches=0",
                           "--piecewise_learning_rate_schedule=0.004;1;0.002;2;0.001;3;0.0005"});
    EXPECT_EQ(run.program.exit_code, 0) << run.program.err;
    std::vector<double> values;
    for (const auto& step : run.record.at("steps")) values.push_back(step.at("learning_rate"));
    return values;
  };
  EXPECT_EQ(rates("25", "1"), std::vector<double>(8, 0.004));
  EXPECT_EQ(rates("10", "2"), std::vector<double>(20, 0.002));
  EXPECT_EQ(rates("50", "3"), std::vector<double>(4, 0.001));
  EXPECT_THAT(rates("50", "3"), testing::IsEmpty());
}

// What each replica keeps of its optimizer is of no use to another one.
TEST(Resuming, GoesOnWithAnotherOptimizer) {
  const fs::path folder = scratch_folder("checkpoint_optimizer");
  ASSERT_EQ(train(folder, 0, 3, {"--variable_update=independent", "--optimizer=momentum"})
                .program.exit_code,
            0);
  const Trained second = train(folder, 0, 5, {"--variable_update=independent", "--optimizer=sgd"});
  EXPECT_EQ(second.program.exit_code, 0) << second.program.err;
  EXPECT_THAT(second.program.err, HasSubstr("is left out, because this run has another plan"));
  EXPECT_EQ(second.record.at("steps").size(), 2u);
}

double largest_change(const fs::path& before, const fs::path& after, const std::string& tensor) {
  const SafetensorsFile files[] = {SafetensorsFile(before), SafetensorsFile(after)};
  const std::vector<float> old_values = files[0].read_floats(*files[0].find(tensor));
  const std::vector<float> new_values = files[1].read_floats(*files[1].find(tensor));
  double largest = 0;
  for (std::size_t i = 0; i < old_values.size(); ++i)
    largest = std::max(largest, std::fabs(static_cast<double>(new_values[i]) - old_values[i]));
  return largest;
}

// Adam's moments start anew, and so does the number of updates by which they are corrected. Its
// first update changes every parameter by nearly the learning rate, or not at all; corrected for
// the fourth update it would be 0.58 of that.
TEST(Resuming, AdamAfterAnotherOptimizerBeginsWithItsFirstUpdate) {
  const fs::path folder = scratch_folder("checkpoint_adam");
  ASSERT_EQ(
      train(folder, 0, 3, {"--optimizer=sgd", "--init_learning_rate=0.0001"}).program.exit_code, 0);
  const Trained second = train(folder, 0, 4, {"--optimizer=adam", "--init_learning_rate=0.001"});
  ASSERT_EQ(second.program.exit_code, 0) << second.program.err;
  EXPECT_NEAR(largest_change(folder / "model-3.safetensors", folder / "model-4.safetensors",
                             "conv0/kernel"),
              0.001, 1e-6);
}

// One that has adapted goes on, one that was never adapted says nothing about the next run's.
TEST(Resuming, TakesALossScaleThatHasAdapted) {
  const fs::path folder = scratch_folder("checkpoint_loss_scale");
  ASSERT_EQ(train(folder, 0, 1).program.exit_code, 0);
  const Arguments adapts{"--fp16_enable_auto_loss_scale", "--fp16_inc_loss_scale_every_n=1"};
  const auto loss_scale = [&](int steps, const char* begin) {
    Arguments more = adapts;
    more.push_back(std::string("--fp16_loss_scale=") + begin);
    const Trained run = train(folder, 0, steps, more);
    EXPECT_EQ(run.program.exit_code, 0) << run.program.err;
    return run.record.at("steps").at(0).at("loss_scale").get<double>();
  };
  EXPECT_EQ(loss_scale(5, "1024"), 1024) << "the first run did not scale its loss";
  EXPECT_GT(loss_scale(6, "8"), 1024);
}

TEST(Saving, KeepsTheNewestCheckpoints) {
  const fs::path folder = scratch_folder("checkpoint_keep");
  const Trained run = train(folder, 0, 20, {"--save_model_steps=2", "--max_ckpts_to_keep=3"});
  EXPECT_EQ(run.program.exit_code, 0) << run.program.err;
  EXPECT_THAT(files_in(folder), ElementsAre("checkpoint", "model-16.safetensors",
                                            "model-18.safetensors", "model-20.safetensors"));
}

// Synthetic data is for speed: such a run goes on, and must not take away what is good. The weights
// grow by a factor of 10^17 in a step.
TEST(Saving, HappensBeforeImagesThatCannotBeReadEndTheRun) {
  const fs::path folder = scratch_folder("checkpoint_bad_record");
  const fs::path data = damaged_data(folder / "data", "train-00002", 400'000);
  const Trained run = train(folder / "saved", 1, 100, {"--data_dir=" + data.string()});
  EXPECT_EQ(run.program.exit_code, 1);
  EXPECT_THAT(run.record.at("error"), HasSubstr("wrong checksum"));
  const std::size_t steps = run.record.at("steps").size();
  ASSERT_GT(steps, 0u) << run.program.err;
  const std::string last = "model-" + std::to_string(1 + steps) + ".safetensors";
  EXPECT_THAT(files_in(folder / "saved"), ElementsAre("checkpoint", last));
}

TEST(Saving, PassesOverWhatHasDiverged) {
  const fs::path folder = scratch_folder("checkpoint_diverged");
  const Trained run =
      train(folder, 0, 6, {"--weight_decay=1e20", "--save_model_steps=1", "--max_ckpts_to_keep=1"});
  EXPECT_EQ(run.program.exit_code, 0) << run.program.err;
  EXPECT_EQ(run.record.at("steps").size(), 6u);
  EXPECT_THAT(run.program.err, HasSubstr("step 2 and later steps are not saved"));
  EXPECT_THAT(run.program.err, Not(HasSubstr("step 3 is not saved")));
  EXPECT_THAT(files_in(folder), ElementsAre("checkpoint", "model-1.safetensors"));
  const Trained second = train(folder, 0, 2);
  EXPECT_EQ(second.program.exit_code, 0) << second.program.err;
  EXPECT_THAT(second.program.err, HasSubstr("step 1, 8 samples"));
}

TEST(Saving, HappensWhenTheUserInterrupts) {
  const fs::path folder = scratch_folder("checkpoint_interrupted");
  const ProgramResult result =
      run_convoy({"run", "--model=lenet", "--device=cpu", "--num_devices=1", "--batch_size=4",
                  "--num_batches=1000000", "--num_warmup_batches=0", "--display_every=1",
                  "--train_dir=" + folder.string()},
                 {.signal = SIGINT, .signal_after = "\n3\t"});
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_EQ(files_in(folder).size(), 2u);
}

ProgramResult train_without_end(const fs::path& folder, int signal, const char* after,
                                const Arguments& more = {}) {
  Arguments arguments = {"run",
                         "--model=lenet",
                         "--device=cpu",
                         "--num_devices=1",
                         "--batch_size=4",
                         "--num_warmup_batches=0",
                         "--display_every=1",
                         "--train_dir=" + folder.string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_convoy(arguments, {.signal = signal, .signal_after = after});
}

TEST(Saving, HappensWhenTheTerminalGoesAway) {
  const fs::path folder = scratch_folder("checkpoint_hung_up");
  const ProgramResult result =
      train_without_end(folder, SIGHUP, "\n3\t", {"--num_batches=1000000"});
  EXPECT_EQ(result.exit_code, 143) << result.err;
  EXPECT_THAT(result.err, HasSubstr("ends after the steps under way"));
  EXPECT_EQ(files_in(folder).size(), 2u);
}

TEST(Saving, TheTerminalMayGoAwayUnderNohup) {
  const ProgramResult result =
      run_convoy({"run", "--model=lenet", "--device=cpu", "--num_devices=1", "--batch_size=4",
                  "--num_batches=100", "--num_warmup_batches=0", "--display_every=1"},
                 {.signal = SIGHUP, .signal_after = "\n3\t", .ignored_signal = SIGHUP});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\n100\t"));
}

// Schedulers send SIGUSR1 before the time is up.
TEST(Saving, HappensOnRequestAndTrainingGoesOn) {
  const fs::path folder = scratch_folder("checkpoint_requested");
  const ProgramResult result =
      train_without_end(folder, SIGUSR1, "\n3\t", {"--num_batches=80", "--max_ckpts_to_keep=0"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("total images/sec"));
  EXPECT_EQ(files_in(folder).size(), 3u);  // the marker, that one and the last
}

TEST(Saving, OnRequestWithoutAFolderIsAnswered) {
  const ProgramResult result =
      run_convoy({"run", "--model=lenet", "--device=cpu", "--num_devices=1", "--batch_size=4",
                  "--num_batches=80", "--num_warmup_batches=0", "--display_every=1"},
                 {.signal = SIGUSR1, .signal_after = "\n3\t"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("without --train_dir no checkpoint is saved"));
}

// It has no training state.
TEST(Saving, OnRequestOfWhatOnlyComputesForwardIsAnswered) {
  const fs::path folder = scratch_folder("checkpoint_forward");
  ASSERT_EQ(train(folder, 0, 1).program.exit_code, 0);
  const ProgramResult result =
      train_without_end(folder, SIGUSR1, "\n3\t", {"--num_batches=80", "--forward_only"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("--forward_only saves nothing"));
  EXPECT_THAT(files_in(folder), ElementsAre("checkpoint", "model-1.safetensors"));
}

TEST(Saving, AtIntervalsWithoutAFolderIsSaidToHaveNoEffect) {
  for (const char* flag : {"--save_model_steps", "--save_model_secs"}) {
    const Trained run = train({}, 0, 1, {std::string(flag) + "=1"});
    EXPECT_EQ(run.program.exit_code, 0) << run.program.err;
    EXPECT_THAT(run.program.err, HasSubstr(std::string(flag) + ": without effect, because "
                                                               "without --train_dir no "
                                                               "checkpoint is saved"));
  }
}

// Before anything is said of the run: the plan and the data may take long.
TEST(InitialWeights, ThatCannotBeReadAreRefusedAtOnce) {
  const Trained missing = train({}, 0, 1, {"--init_weights=/none/such.safetensors"});
  EXPECT_EQ(missing.program.exit_code, 2);
  EXPECT_THAT(missing.program.err, HasSubstr("--init_weights=/none/such.safetensors: cannot"));
  EXPECT_EQ(missing.program.out, "");
  const fs::path folder = scratch_folder("checkpoint_weights");
  ASSERT_EQ(train(folder, 0, 1).program.exit_code, 0);
  const std::string weights = "--init_weights=" + (folder / "model-1.safetensors").string();
  const Trained map = train({}, 0, 1, {weights, "--weights_map=/none/such.json"});
  EXPECT_NE(map.program.exit_code, 0);
  EXPECT_THAT(map.program.err, HasSubstr("/none/such.json"));
  EXPECT_EQ(map.program.out, "");
  EXPECT_EQ(train({}, 0, 1, {weights}).program.exit_code, 0);
}

// Nothing is lost then, and compiling a large network takes long.
TEST(Interrupting, EndsTheRunAtOnceBeforeTheFirstStep) {
  const auto start = std::chrono::steady_clock::now();
  const ProgramResult result =
      run_convoy({"run", "--model=inception4", "--device=cpu", "--num_devices=1", "--batch_size=1",
                  "--num_batches=1", "--variable_update=replicated"},
                 {.signal = SIGTERM, .signal_after = "Generating training model"});
  EXPECT_EQ(result.exit_code, 143) << result.err;
  EXPECT_THAT(result.err, HasSubstr("interrupted before the first step"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
}

TEST(Saving, StepsAndSecondsContradictEachOther) {
  const Trained run = train("unused", 0, 1, {"--save_model_steps=2", "--save_model_secs=5"});
  EXPECT_EQ(run.program.exit_code, 2);
  EXPECT_THAT(run.program.err, HasSubstr("--save_model_secs=5: give one of them"));
}

TEST(Checkpoints, DamagedOnesArePassedOver) {
  const fs::path folder = scratch_folder("checkpoint_damaged");
  ASSERT_EQ(train(folder, 0, 4, {"--save_model_steps=2"}).program.exit_code, 0);
  fs::resize_file(folder / "model-4.safetensors", 5000);
  const Trained run = train(folder, 0, 5);
  EXPECT_EQ(run.program.exit_code, 0) << run.program.err;
  EXPECT_THAT(run.program.err, HasSubstr("model-4.safetensors: "));
  EXPECT_THAT(run.program.err, HasSubstr("step 2, 16 samples"));
  EXPECT_EQ(run.record.at("steps").size(), 3u);
}

TEST(Checkpoints, ThatWereMovedAwayAreMissed) {
  const fs::path folder = scratch_folder("checkpoint_gone");
  ASSERT_EQ(train(folder, 0, 2).program.exit_code, 0);
  fs::remove(folder / "model-2.safetensors");
  const Trained run = train(folder, 0, 2);
  EXPECT_EQ(run.program.exit_code, 0);
  EXPECT_THAT(run.program.err,
              HasSubstr("model-2.safetensors, but no checkpoint is in the folder"));
}

TEST(Checkpoints, OfAnotherModelAreRefusedWithTheDifferences) {
  const fs::path folder = scratch_folder("checkpoint_model");
  ASSERT_EQ(train(folder, 0, 1).program.exit_code, 0);
  const Trained run = train(folder, 0, 5, {"--model=trivial"});
  EXPECT_EQ(run.program.exit_code, 1);
  EXPECT_THAT(run.program.err, HasSubstr("does not fit model trivial"));
  EXPECT_THAT(run.program.err, HasSubstr("missing: "));
}

TEST(Checkpoints, OfATrainingNeedAFolder) {
  const fs::path folder = scratch_folder("checkpoint_file");
  ASSERT_EQ(train(folder, 0, 1).program.exit_code, 0);
  const Trained run = train(folder / "model-1.safetensors", 0, 5);
  EXPECT_EQ(run.program.exit_code, 1);
  EXPECT_THAT(run.program.err, HasSubstr("is a file"));
  EXPECT_THAT(run.program.err, HasSubstr("--init_weights"));
}

TEST(SaveErrors, EndTheRunUnlessToldOtherwise) {
  const fs::path folder = scratch_folder("checkpoint_no_folder");
  std::ofstream(folder / "file") << "x";
  const Trained stopped = train(folder / "file" / "below", 0, 2);
  EXPECT_EQ(stopped.program.exit_code, 1);
  EXPECT_THAT(stopped.program.err, HasSubstr("file/below"));
  const Trained going_on = train(folder / "file" / "below", 0, 2, {"--on_save_error=continue"});
  EXPECT_EQ(going_on.program.exit_code, 0) << going_on.program.err;
  EXPECT_EQ(going_on.record.at("steps").size(), 2u);
  EXPECT_THAT(going_on.program.err, HasSubstr("step 2 is not saved"));
}

// A limit on the size of files stands for a full disk.
TEST(SaveErrors, AFullDiskLeavesTheLastGoodCheckpoint) {
  const fs::path folder = scratch_folder("checkpoint_full");
  ASSERT_EQ(train(folder, 0, 1).program.exit_code, 0);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{100000, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Trained stopped = train(folder, 0, 3);
  const Trained going_on = train(folder, 0, 4, {"--on_save_error=continue"});
  ::setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(stopped.program.exit_code, 1);
  EXPECT_THAT(stopped.program.err, HasSubstr("File too large"));
  EXPECT_EQ(going_on.program.exit_code, 0) << going_on.program.err;
  EXPECT_THAT(files_in(folder), ElementsAre("checkpoint", "model-1.safetensors"));
  const Trained after = train(folder, 0, 3);
  EXPECT_THAT(after.program.err, HasSubstr("step 1, 8 samples"));
}

TEST(RecordErrors, DoNotHideWhyARunFailed) {
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{1000, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const ProgramResult run =
      run_convoy({"run", "--model=lenet", "--device=cpu", "--num_devices=1", "--batch_size=2",
                  "--variable_update=replicated", "--num_batches=50", "--num_warmup_batches=0",
                  "--init_learning_rate=1e30",
                  "--output_file=" +
                      (fs::path(scratch_folder("checkpoint_unwritten")) / "run.json").string()});
  ::setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(run.exit_code, 5) << run.err;
  EXPECT_THAT(run.err, HasSubstr("is not a finite number"));
  EXPECT_THAT(run.err, HasSubstr("run.json: File too large"));
}

TEST(Info, ListsWhatACheckpointHolds) {
  const fs::path folder = scratch_folder("checkpoint_info");
  ASSERT_EQ(train(folder, 0, 2, {"--optimizer=momentum"}).program.exit_code, 0);
  const std::string path = (folder / "model-2.safetensors").string();
  const ProgramResult text = run_convoy({"info", path});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("optimizer/momentum/"));
  EXPECT_THAT(text.out, HasSubstr("step: 2"));
  const auto json = parse_json(run_convoy({"info", path, "--json"}).out);
  EXPECT_EQ(json.at("metadata").at("model"), "lenet");
}

}  // namespace
}  // namespace convoy
