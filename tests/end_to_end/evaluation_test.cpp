// Evaluation during training and inference, as a user runs them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/damaged_data.hpp"
#include "tests/end_to_end/run_program.hpp"
#include "tests/support/pattern.hpp"

namespace convoy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// lenet on the sample pictures: 1,600 for training, so that 0.01 epochs are two steps of 8.
std::vector<std::string> evaluated_lenet(std::vector<std::string> more) {
  std::vector<std::string> arguments{"run",
                                     "--model=lenet",
                                     "--device=cpu",
                                     "--num_devices=2",
                                     "--num_intra_threads=1",
                                     "--batch_size=4",
                                     "--num_batches=6",
                                     "--num_warmup_batches=1",
                                     "--display_every=1",
                                     "--variable_update=replicated",
                                     "--data_dir=" CONVOY_SOURCE_DIR "/share/sample_data/imagenet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

struct Recorded {
  ProgramResult program;
  nlohmann::json record;

  std::vector<double> losses() const {
    std::vector<double> result;
    for (const nlohmann::json& step : record.at("steps")) result.push_back(step.at("loss"));
    return result;
  }
  std::vector<std::int64_t> evaluated_steps() const {
    std::vector<std::int64_t> result;
    for (const nlohmann::json& it : record.at("evaluations")) result.push_back(it.at("step"));
    return result;
  }
  std::vector<double> top_1() const {
    std::vector<double> result;
    for (const nlohmann::json& it : record.at("evaluations")) result.push_back(it.at("top_1"));
    return result;
  }
};

Recorded run_recorded(const std::string& name, std::vector<std::string> arguments) {
  const std::string path = scratch_folder(name) + "/run.json";
  arguments.push_back("--output_file=" + path);
  Recorded result{run_convoy(arguments), {}};
  EXPECT_EQ(result.program.exit_code, 0) << result.program.err;
  std::ifstream in(path);
  result.record = parse_json(in);
  return result;
}

int count_lines(const std::string& text, const std::string& pattern) {
  return static_cast<int>(Pattern("(^|\n)" + pattern).all_in(text).size());
}

TEST(ForwardOnly, PrintsAccuraciesAndNoLoss) {
  const Recorded run = run_recorded("forward_only", evaluated_lenet({"--forward_only"}));
  EXPECT_THAT(run.program.out, HasSubstr("\nMode:        forward only\n"));
  EXPECT_THAT(run.program.out,
              HasSubstr("\nStep\tImg/sec\ttotal_loss\ttop_1_accuracy\ttop_5_accuracy\n"));
  EXPECT_EQ(count_lines(run.program.out,
                        "[1-6]\timages/sec: [0-9.]+ \\+/- [0-9.]+ \\(jitter = [0-9.]+\\)\t0\\.000"
                        "\t[01]\\.[0-9]{3}\t[01]\\.[0-9]{3}(?=\n)"),
            6)
      << run.program.out;
  EXPECT_THAT(run.program.out, HasSubstr("\ntotal images/sec: "));
  EXPECT_EQ(run.record.at("mode"), "forward only");
  EXPECT_TRUE(run.record.at("steps").at(0).at("loss").is_null());
  EXPECT_GT(run.record.at("total").at("images_per_sec"), 0);
}

TEST(ForwardOnly, GivesTheSameAnswersInEveryEpochBecauseNothingIsUpdated) {
  // Labels and pictures of hash data are the same in every step, so only updates could change hits.
  const Recorded run = run_recorded(
      "forward_same", {"run", "--model=lenet", "--device=cpu", "--batch_size=16", "--num_batches=4",
                       "--num_warmup_batches=2", "--data_name=hash", "--initializer=hash",
                       "--init_learning_rate=0.1", "--forward_only"});
  const nlohmann::json& steps = run.record.at("steps");
  ASSERT_EQ(steps.size(), 4u);
  for (const nlohmann::json& step : steps)
    EXPECT_EQ(step.at("top_5_accuracy"), steps[0].at("top_5_accuracy"));
}

TEST(ForwardOnly, MeasuresAllItsStepsWithAModelThatWasTrainedLonger) {
  const std::string folder = scratch_folder("forward_trained");
  ASSERT_EQ(run_convoy(evaluated_lenet({"--train_dir=" + folder})).exit_code, 0);
  for (const std::string& trained : {folder, folder + "/model-7.safetensors"}) {
    const Recorded run = run_recorded(
        "forward_of_trained",
        evaluated_lenet({"--train_dir=" + trained, "--forward_only", "--num_batches=3"}));
    EXPECT_EQ(run.record.at("steps").size(), 3u) << run.program.err;
    EXPECT_THAT(run.program.err, HasSubstr("restored "));
    EXPECT_THAT(run.program.err, Not(HasSubstr("left to do")));
  }
}

TEST(ForwardOnly, TakesTheOldFreezeFlagAndSaysThatItChangesNothing) {
  const ProgramResult result =
      run_convoy(evaluated_lenet({"--forward_only", "--freeze_when_forward_only=True"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("variables are constants"));
}

TEST(EvaluationDuringTraining, PrintsTheWellKnownLines) {
  const ProgramResult result = run_convoy(evaluated_lenet(
      {"--eval_during_training_every_n_steps=3", "--num_eval_batches=4", "--eval_batch_size=5"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nMode:        training + evaluation\n"));
  const std::string speed = "(?:[1-4]\t[0-9.]+\\.[0-9] examples/sec\n){4}";
  const std::string accuracy =
      "Accuracy @ 1 = [01]\\.[0-9]{4} Accuracy @ 5 = [01]\\.[0-9]{4} \\[40 examples\\]\n";
  const std::string steps = "(?:[1-6]\timages/sec: [^\n]*\n){3}";
  const Pattern expected(steps + "Running evaluation at global_step 4\n" + speed + accuracy +
                         "Resuming training\n" + steps +
                         "Done with training\n"
                         "Running final evaluation at global_step 7\n" +
                         speed + accuracy);
  const std::string lines = result.out.substr(result.out.find("\n1\timages/sec") + 1);
  EXPECT_TRUE(expected.is_all_of(lines)) << result.out;
}

TEST(EvaluationDuringTraining, IsTheSameInAllWaysToSayWhen) {
  const Recorded plain = run_recorded("eval_plain", evaluated_lenet({}));
  EXPECT_EQ(plain.record.at("mode"), "training");
  EXPECT_TRUE(plain.record.at("evaluations").empty());
  std::vector<double> accuracies;
  for (const char* trigger : {"every_n_steps=2", "every_n_epochs=0.01", "at_specified_steps=2,4",
                              "at_specified_epochs=0.01,0.02,0.03"}) {
    const Recorded run = run_recorded(
        "eval_trigger", evaluated_lenet({std::string("--eval_during_training_") + trigger,
                                         "--num_eval_batches=4"}));
    EXPECT_THAT(run.evaluated_steps(), ElementsAre(2, 4, 6)) << trigger;
    EXPECT_EQ(run.losses(), plain.losses()) << trigger;
    if (accuracies.empty()) accuracies = run.top_1();
    EXPECT_EQ(run.top_1(), accuracies) << trigger;
    for (const nlohmann::json& it : run.record.at("evaluations")) {
      EXPECT_EQ(it.at("global_step").get<int>(), it.at("step").get<int>() + 1);
      EXPECT_EQ(it.at("examples"), 32);
      EXPECT_GE(it.at("top_5"), it.at("top_1"));
    }
  }
}

TEST(EvaluationDuringTraining, PassesOverTheValidationDataAsManyTimesAsAsked) {
  const Recorded run =
      run_recorded("eval_epochs", evaluated_lenet({"--eval_during_training_at_specified_steps=1",
                                                   "--num_batches=1", "--num_eval_epochs=0.5"}));
  ASSERT_EQ(run.evaluated_steps().size(), 1u);  // the last step's is the final one
  EXPECT_EQ(run.record.at("evaluations")[0].at("examples"), 160);
}

TEST(EvaluationDuringTraining, EndsTrainingWhenTheTargetIsReached) {
  const std::vector<std::string> every{"--eval_during_training_every_n_steps=2",
                                       "--num_eval_batches=40", "--init_learning_rate=0.02",
                                       "--num_batches=40"};
  const Recorded whole = run_recorded("eval_whole", evaluated_lenet(every));
  const std::vector<double> top_1 = whole.top_1();
  ASSERT_EQ(top_1.size(), 20u);
  std::size_t better = 1;
  while (better < top_1.size() && top_1[better] <= top_1[0]) ++better;
  ASSERT_LT(better, top_1.size()) << "lenet learned nothing in 40 steps";
  std::vector<std::string> stopping = every;
  stopping.push_back("--stop_at_top_1_accuracy=" + std::to_string(top_1[better] - 1e-4));
  const Recorded run = run_recorded("eval_stop", evaluated_lenet(stopping));
  EXPECT_EQ(run.evaluated_steps().size(), better + 1);
  EXPECT_EQ(count_lines(run.program.out, "[0-9]+\timages/sec"), static_cast<int>(2 * (better + 1)));
  EXPECT_THAT(run.program.out, HasSubstr("\nStopping, as eval accuracy of at least "));
  EXPECT_THAT(run.program.out, Not(HasSubstr("final")));
  EXPECT_THAT(run.program.out, Not(HasSubstr("total images/sec")));
}

// Trains with checkpoints at the end only, and with validation data that cannot be read.
struct FailingEvaluation {
  explicit FailingEvaluation(const std::string& every_n_steps)
      : folder(scratch_folder("failing_evaluation")),
        program(run_convoy(evaluated_lenet(
            {"--data_dir=" + data_with_damaged_validation(folder / "data").string(),
             "--train_dir=" + (folder / "checkpoints").string(),
             "--output_file=" + (folder / "run.json").string(),
             "--eval_during_training_every_n_steps=" + every_n_steps, "--num_eval_batches=2"}))) {}

  std::filesystem::path folder;
  ProgramResult program;
};

TEST(EvaluationDuringTraining, ThatFailsAtTheEndLeavesTheCheckpoint) {
  const FailingEvaluation run("100");
  EXPECT_EQ(run.program.exit_code, 1) << run.program.err;
  EXPECT_THAT(run.program.out, HasSubstr("Running final evaluation"));
  EXPECT_TRUE(std::filesystem::exists(run.folder / "checkpoints/model-7.safetensors"))
      << run.program.err;
}

TEST(EvaluationDuringTraining, ThatFailsInAPauseLeavesWhatWasTrained) {
  const FailingEvaluation run("3");
  EXPECT_EQ(run.program.exit_code, 1) << run.program.err;
  EXPECT_THAT(run.program.err, HasSubstr("wrong checksum"));
  EXPECT_THAT(run.program.err, HasSubstr("training ends at global_step 4"));
  EXPECT_TRUE(std::filesystem::exists(run.folder / "checkpoints/model-4.safetensors"))
      << run.program.err;
  EXPECT_THAT(run.program.out, Not(HasSubstr("Resuming training")));
  EXPECT_THAT(run.program.out, Not(HasSubstr("Done with training")));
  const nlohmann::json record = parse_json(std::ifstream(run.folder / "run.json"));
  EXPECT_EQ(record.at("steps").size(), 3u);
  EXPECT_THAT(record.at("error"), HasSubstr("wrong checksum"));
}

TEST(Evaluation, LengthWithoutAnEvaluationIsSaidToHaveNoEffect) {
  const ProgramResult result = run_convoy(evaluated_lenet({"--num_eval_batches=2"}));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err,
              HasSubstr("--num_eval_batches: without effect, because nothing is evaluated"));
}

// Weights that no training of convoy's has saved.
TEST(Evaluation, ScoresInitialWeightsAsItScoresTheSameCheckpoint) {
  const std::filesystem::path folder = scratch_folder("scored_weights");
  const std::string train_dir = "--train_dir=" + folder.string();
  ASSERT_EQ(run_convoy(evaluated_lenet({train_dir})).exit_code, 0);
  const std::string weights = "--init_weights=" + (folder / "model-7.safetensors").string();
  const Recorded saved = run_recorded("scored_saved", evaluated_lenet({"--eval", train_dir}));
  const Recorded given = run_recorded(
      "scored_given", evaluated_lenet({"--eval", weights, "--profile", "--print_parameter_hash"}));
  EXPECT_THAT(given.program.err,
              HasSubstr("--profile, --print_parameter_hash: without effect, because --eval"));
  EXPECT_FALSE(given.top_1().empty());
  EXPECT_EQ(given.top_1(), saved.top_1());
  const ProgramResult both = run_convoy(evaluated_lenet({"--eval", train_dir, weights}));
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("give one of them"));
}

TEST(EvaluationDuringTraining, LeavesAPartialSummaryWhenItIsInterrupted) {
  const ProgramResult result = run_convoy(
      evaluated_lenet({"--eval_during_training_every_n_steps=2", "--num_eval_batches=1000000"}),
      {.timeout_seconds = 60, .signal = SIGINT, .signal_after = "examples/sec"});
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Accuracy @ 1 = "));
  EXPECT_THAT(result.out, HasSubstr("Done with training\n"));
}

// Trains for a while and leaves checkpoints.
std::string trained_folder(const std::string& name, std::vector<std::string> more = {}) {
  std::string folder = scratch_folder(name) + "/train";
  more.push_back("--train_dir=" + folder);
  const ProgramResult result = run_convoy(evaluated_lenet(more));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return folder;
}

TEST(Evaluation, PrintsTheWellKnownLines) {
  const std::string folder = trained_folder("eval_lines");
  const Recorded run = run_recorded(
      "eval_lines_out", evaluated_lenet({"--eval", "--train_dir=" + folder, "--eval_batch_size=5",
                                         "--num_eval_batches=7", "--display_every=3"}));
  const Pattern expected(
      "Mode:        evaluation\n"
      "SingleSess:  False\n"
      "Batch size:  10 global\n"
      "             5 per device\n"
      "Num batches: 7\n"
      "Num epochs:  0.22\n"
      "(?:[A-Z][^\n]*\n)+"
      "==========\n"
      "Generating evaluation model\n"
      "Initializing graph\n"
      "Successfully loaded model from [^\n]*/model-7[.]safetensors[.]\n"
      "3\t[0-9]+\\.[0-9] examples/sec\n"
      "6\t[0-9]+\\.[0-9] examples/sec\n"
      "Accuracy @ 1 = [01]\\.[0-9]{4} Accuracy @ 5 = [01]\\.[0-9]{4} \\[70 examples\\]\n"
      "-{64}\n"
      "total images/sec: [0-9]+\\.[0-9]{2}\n"
      "-{64}\n");
  const std::string lines = run.program.out.substr(run.program.out.find("Mode: "));
  EXPECT_TRUE(expected.is_all_of(lines)) << run.program.out;
  const double total = run.record.at("total").at("images_per_sec");
  EXPECT_THAT(run.program.out, HasSubstr(fmt::format("\ntotal images/sec: {:.2f}\n", total)));
  EXPECT_EQ(run.record.at("mode"), "evaluation");
  EXPECT_EQ(run.evaluated_steps(), std::vector<std::int64_t>{7});  // 1 for warming up
  EXPECT_EQ(run.record.at("evaluations")[0].at("checkpoint"), "model-7.safetensors");
}

TEST(Evaluation, GivesWhatTheEvaluationDuringTrainingGave) {
  const std::string folder = scratch_folder("eval_same") + "/train";
  const Recorded training = run_recorded(
      "eval_same_out",
      evaluated_lenet({"--eval_during_training_every_n_steps=3", "--num_eval_batches=10",
                       "--train_dir=" + folder, "--save_model_steps=3"}));
  ASSERT_THAT(training.evaluated_steps(), ElementsAre(3, 6));
  const std::vector<std::string> at = {folder + "/model-4.safetensors", folder};
  for (std::size_t i = 0; i < 2; ++i) {
    const Recorded run =
        run_recorded("eval_same_out",
                     evaluated_lenet({"--eval", "--train_dir=" + at[i], "--num_eval_batches=10"}));
    for (const char* field : {"global_step", "top_1", "top_5", "examples"})
      EXPECT_EQ(run.record.at("evaluations")[0].at(field),
                training.record.at("evaluations")[i].at(field))
          << field << " of " << at[i];
  }
}

// 320 images in batches of 64, which divide them, and of 74, which do not.
TEST(Evaluation, CountsEveryImageOnceUnlessANumberOfBatchesIsAskedFor) {
  const std::string folder = trained_folder("eval_once");
  const auto scored = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--eval", "--train_dir=" + folder});
    return run_recorded("eval_once_out", evaluated_lenet(more)).record.at("evaluations")[0];
  };
  const nlohmann::json even = scored({"--eval_batch_size=32", "--num_eval_epochs=1"});
  EXPECT_EQ(even.at("examples"), 320);
  // 6 batches are what training takes, and 100 what it takes by default.
  for (const char* length : {"--num_eval_epochs=1", "--num_batches=6", "--num_batches=100"}) {
    const nlohmann::json odd = scored({"--eval_batch_size=37", length});
    EXPECT_EQ(odd.at("examples"), 320) << length;
    EXPECT_NEAR(odd.at("top_1"), even.at("top_1"), 1.5 / 320) << length;
    EXPECT_NEAR(odd.at("top_5"), even.at("top_5"), 1.5 / 320) << length;
  }
  const ProgramResult odd = run_convoy(
      evaluated_lenet({"--eval", "--train_dir=" + folder, "--batch_size=37", "--num_batches=100"}));
  EXPECT_THAT(odd.out, HasSubstr("Num epochs:  1.00\n")) << odd.err;
  EXPECT_EQ(scored({"--eval_batch_size=37", "--num_batches=3"}).at("examples"), 3 * 74);
  EXPECT_EQ(scored({"--eval_batch_size=37", "--num_eval_batches=6"}).at("examples"), 6 * 74);
}

TEST(Evaluation, IsNotSeveralPassesBecauseTheTrainingIs) {
  const std::string folder = trained_folder("eval_epochs_of_training");
  for (const auto& [epochs, examples] : {std::pair{"4", 320}, std::pair{"0.5", 160}}) {
    std::vector<std::string> arguments =
        evaluated_lenet({"--eval", "--train_dir=" + folder, std::string("--num_epochs=") + epochs});
    std::erase(arguments, "--num_batches=6");
    const Recorded run = run_recorded("eval_epochs_of_training_out", arguments);
    EXPECT_EQ(run.record.at("evaluations")[0].at("examples"), examples) << epochs;
  }
}

TEST(EvaluationDuringTraining, TakesEveryImageOnceWhereTrainingIsLonger) {
  const Recorded run = run_recorded(
      "eval_once_training",
      evaluated_lenet({"--eval_during_training_at_specified_steps=6", "--eval_batch_size=37"}));
  ASSERT_EQ(run.record.at("evaluations").size(), 1u);
  EXPECT_EQ(run.record.at("evaluations")[0].at("examples"), 320);
}

TEST(Evaluation, EndsWithAnErrorWithoutACheckpoint) {
  const std::string folder = scratch_folder("eval_none");
  const ProgramResult result = run_convoy(evaluated_lenet({"--eval", "--train_dir=" + folder}));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("no checkpoint in --train_dir=" + folder));
  EXPECT_EQ(result.out.find("Mode:"), std::string::npos)
      << "a signal while what was prepared for nothing ends would come behind the error: "
      << result.out;
}

TEST(Evaluation, WaitsForACheckpointAndLooksAgain) {
  const std::string folder = scratch_folder("eval_wait");
  const ProgramResult result = run_convoy(
      evaluated_lenet({"--eval", "--train_dir=" + folder, "--eval_interval_secs=1"}),
      {.timeout_seconds = 60, .signal = SIGINT, .signal_after = "Checkpoint not found in"});
  EXPECT_EQ(result.exit_code, 130) << result.err;
}

TEST(Evaluation, RefusesTheCheckpointOfAnotherModel) {
  const std::string folder = trained_folder("eval_other");
  const ProgramResult result =
      run_convoy({"run", "--model=trivial", "--device=cpu", "--eval", "--train_dir=" + folder});
  EXPECT_EQ(result.exit_code, 1) << result.out;
  EXPECT_THAT(result.err, Not(HasSubstr("no checkpoint")));
}

TEST(EvaluationDuringTraining, IsNoPartOfTheSpeedOfWorkersThatDoNotWait) {
  const Recorded run = run_recorded(
      "eval_asynchronous", evaluated_lenet({"--variable_update=ssp", "--num_batches=20",
                                            "--eval_during_training_every_n_steps=4",
                                            "--num_eval_batches=40", "--eval_batch_size=8"}));
  const nlohmann::json& total = run.record.at("total");
  const double images = 4.0 * total.at("steps").get<double>();
  const double speed = images / total.at("seconds").get<double>();
  EXPECT_GE(run.record.at("evaluations").size(), 2u);
  EXPECT_NEAR(total.at("images_per_sec").get<double>(), speed, 1e-6 * speed);
  double of_workers = 0;
  for (const nlohmann::json& worker : run.record.at("workers"))
    of_workers += worker.at("images_per_sec").get<double>();
  EXPECT_NEAR(of_workers, speed, 1e-6 * speed);
}

TEST(ForwardOnly, RunsOnTheWeightsOfACheckpointAndSavesNone) {
  const std::string folder = trained_folder("forward_restored");
  const Recorded run = run_recorded("forward_restored_out",
                                    evaluated_lenet({"--forward_only", "--train_dir=" + folder}));
  EXPECT_THAT(run.program.err, HasSubstr("model-7.safetensors"));
  EXPECT_FALSE(std::ifstream(folder + "/model-14.safetensors").good());
}

}  // namespace
}  // namespace convoy
