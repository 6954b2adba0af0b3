// Standard output, byte for byte but for measured numbers, as scripts read it since 2017.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/run_program.hpp"
#include "tests/support/pattern.hpp"

namespace convoy::published_output_test {
namespace {

using Arguments = std::vector<std::string>;

// Numbers with decimals become "#.##", with as many decimals as they have.
std::string without_measures(const std::string& text) {
  static const Pattern kNumber("[0-9]+\\.([0-9]+)");
  std::string result;
  std::size_t end = 0;
  for (const Pattern::Match& number : kNumber.all_in(text)) {
    result.append(text, end, number.begin - end);
    result += "#." + std::string(number.groups[1].size(), '#');
    end = number.begin + number.groups[0].size();
  }
  return result.append(text, end);
}

std::string output_of(Arguments arguments) {
  const Arguments common = {
      "--model=lenet",          "--device=cpu",
      "--num_devices=2",        "--batch_size=8",
      "--num_warmup_batches=1", "--variable_update=replicated",
      "--display_every=2",      "--data_dir=" CONVOY_SOURCE_DIR "/share/sample_data/imagenet"};
  arguments.insert(arguments.begin(), "run");
  arguments.insert(arguments.end(), common.begin(), common.end());
  const ProgramResult result = run_convoy(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  // The line that names the program is convoy's own.
  EXPECT_THAT(result.out, ::testing::MatchesRegex("convoy:      [0-9.]+\n(.|\n)*"));
  return without_measures(result.out.substr(result.out.find('\n') + 1));
}

std::string header(const std::string& mode, int batches) {
  return "Model:       lenet\n"
         "Dataset:     imagenet\n"
         "Mode:        " +
         mode +
         "\n"
         "SingleSess:  False\n"
         "Batch size:  16 global\n"
         "             8 per device\n"
         "Num batches: " +
         std::to_string(batches) +
         "\n"
         "Num epochs:  #.##\n"
         "Devices:     ['/cpu:0', '/cpu:1']\n"
         "NUMA bind:   True\n"
         "Data format: NCHW\n"
         "Optimizer:   sgd\n"
         "Variables:   replicated\n"
         "AllReduce:   None\n"
         "==========\n";
}

const std::string kTrainingModel = "Generating training model\n";
const std::string kEvaluationModel = "Generating evaluation model\n";
const std::string kWarmUp = "Initializing graph\nRunning warm up\nDone warm up\n";
const std::string kColumns = "Step\tImg/sec\ttotal_loss\n";
const std::string kAccuracy = "Accuracy @ 1 = #.#### Accuracy @ 5 = #.#### [48 examples]\n";
const std::string kTotal =
    "----------------------------------------------------------------\n"
    "total images/sec: #.##\n"
    "----------------------------------------------------------------\n";

std::string step(int number, const std::string& more = {}) {
  return std::to_string(number) + "\timages/sec: #.# +/- #.# (jitter = #.#)\t#.###" + more + "\n";
}

TEST(PublishedOutput, OfTrainingGoingOnAndScoring) {
  const std::string folder = "--train_dir=" + scratch_folder("published");
  EXPECT_EQ(output_of({"--num_batches=4", folder}), header("training", 4) + kTrainingModel +
                                                        kWarmUp + kColumns + step(1) + step(2) +
                                                        step(4) + kTotal);
  EXPECT_EQ(
      output_of({"--num_batches=8", folder}),
      header("training", 8) + kTrainingModel + kWarmUp + kColumns + step(1) + step(2) + kTotal)
      << "5 of the 8 were done before, warm-up included";
  std::string loaded = "Successfully loaded model from " + folder.substr(12);
  loaded += "/model-9.safetensors.\n";
  EXPECT_EQ(output_of({"--num_batches=3", "--eval", folder}),
            header("evaluation", 3) + kEvaluationModel + "Initializing graph\n" + loaded +
                "2\t#.# examples/sec\n" + kAccuracy + kTotal);
}

TEST(PublishedOutput, OfInference) {
  EXPECT_EQ(output_of({"--num_batches=2", "--forward_only"}),
            header("forward only", 2) + kTrainingModel + kWarmUp +
                "Step\tImg/sec\ttotal_loss\ttop_1_accuracy\ttop_5_accuracy\n" +
                step(1, "\t#.###\t#.###") + step(2, "\t#.###\t#.###") + kTotal);
}

TEST(PublishedOutput, OfEvaluationDuringTraining) {
  const Arguments arguments = {"--num_batches=4", "--eval_during_training_every_n_steps=2",
                               "--num_eval_batches=3"};
  const std::string scored = "2\t#.# examples/sec\n" + kAccuracy;
  const std::string begin = header("training + evaluation", 4) + kTrainingModel + kEvaluationModel +
                            kWarmUp + kColumns + step(1) + step(2) +
                            "Running evaluation at global_step 3\n" + scored;
  EXPECT_EQ(output_of(arguments), begin + "Resuming training\n" + step(4) +
                                      "Done with training\n"
                                      "Running final evaluation at global_step 5\n" +
                                      scored);
  Arguments stopped = arguments;
  stopped.emplace_back("--stop_at_top_1_accuracy=0");
  EXPECT_EQ(output_of(stopped), begin +
                                    "Stopping, as eval accuracy of at least 0 was reached\n"
                                    "Done with training\n");
}

}  // namespace
}  // namespace convoy::published_output_test
