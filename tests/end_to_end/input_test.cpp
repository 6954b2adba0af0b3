// What a run says about its input, and the input alone.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "core/base/text/json.hpp"
#include "core/checkpoint/safetensors_file.hpp"
#include "core/data/jpeg/jpeg_encoder.hpp"
#include "core/data/tfrecord/example.hpp"
#include "core/data/tfrecord/tfrecord_writer.hpp"
#include "tests/end_to_end/run_program.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kImages = "--data_dir=" CONVOY_SOURCE_DIR "/share/sample_data/imagenet";

// A folder with the training files of CIFAR-10, ten grey pictures each.
std::string cifar10_folder() {
  const std::filesystem::path folder = scratch_folder("cifar10");
  std::filesystem::create_directories(folder);
  for (int file = 1; file <= 5; ++file) {
    std::ofstream stream(folder / ("data_batch_" + std::to_string(file) + ".bin"),
                         std::ios::binary);
    for (char label = 0; label < 10; ++label) stream << label << std::string(3072, '\x70');
  }
  return "--data_dir=" + folder.string();
}

nlohmann::json record_at(const std::string& path) {
  std::ifstream stream(path);
  return parse_json(stream);
}

// Images that were made while so many were taken: some of these were made before the clock started,
// and up to two batches are made ahead.
void expect_images(const nlohmann::json& record, std::int64_t taken, std::int64_t global_batch) {
  const auto images = record["input_only"]["images"].get<std::int64_t>();
  EXPECT_GT(images, 0);
  EXPECT_LE(images, taken + 2 * global_batch);
}

TEST(Input, AloneIsMeasuredPerCore) {
  for (const auto& [data, model] : {std::pair<std::string, std::string>{kImages, "--model=lenet"},
                                    {cifar10_folder(), "--model=resnet20"}}) {
    const std::string file = scratch_folder("input_only") + "/run.json";
    const ProgramResult result = run_convoy(
        {"run", data, model, "--device=cpu", "--input_only", "--batch_size=8", "--num_batches=4",
         "--num_warmup_batches=1", "--input_threads=2", "--output_file=" + file, "--profile"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("without effect, because --input_only"));
    EXPECT_THAT(result.out, HasSubstr("Mode:        input only\n"));
    EXPECT_THAT(result.out, HasSubstr("total images/sec: "));
    EXPECT_THAT(result.out, HasSubstr("images/sec/core"));
    const nlohmann::json record = record_at(file);
    expect_images(record, 32, 8);
    EXPECT_EQ(record["input_only"]["threads"], 2);
    EXPECT_GT(record["input_only"]["images_per_sec_and_core"], 0);
    EXPECT_EQ(record["mode"], "input only");
    EXPECT_TRUE(record["total"]["images_per_sec_standard_error"].is_null());
  }
}

// The sample has 1,600 pictures for training, the published data set 800 times as many.
TEST(Input, AloneReadsEpochsOfTheFilesThatAreThere) {
  const std::string file = scratch_folder("input_epochs") + "/run.json";
  const ProgramResult result = run_convoy(
      {"run", kImages, "--model=lenet", "--device=cpu", "--num_devices=2", "--input_only",
       "--batch_size=4", "--num_epochs=0.01", "--num_warmup_batches=0", "--output_file=" + file});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nNum batches: 2\nNum epochs:  0.01\n"));
  expect_images(record_at(file), 16, 8);
}

TEST(Input, ItsFirstBatchIsWrittenForWhoeverWantsToLook) {
  const std::string file = scratch_folder("dump") + "/batch.safetensors";
  const auto dump = [&](const std::string& more) {
    return run_convoy({"run", kImages, "--model=lenet", "--device=cpu", "--num_devices=2",
                       "--batch_size=3", "--num_batches=1", "--num_warmup_batches=0",
                       "--dump=" + file, more});
  };
  ASSERT_EQ(dump("--input_only").exit_code, 0);
  const checkpoint::SafetensorsFile batch(file);
  ASSERT_NE(batch.find("images"), nullptr);
  ASSERT_NE(batch.find("labels"), nullptr);
  EXPECT_THAT(batch.find("images")->info.shape, testing::ElementsAre(6, 3, 28, 28));
  EXPECT_THAT(batch.find("labels")->info.shape, testing::ElementsAre(6));
  const std::vector<float> images = batch.read_floats(*batch.find("images"));
  EXPECT_NE(std::ranges::min(images), std::ranges::max(images));
  const ProgramResult without = dump("--noinput_only");
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("--input_only, which was not given"));
}

TEST(Input, NamesFilesThatAreMissing) {
  const std::filesystem::path folder = scratch_folder("missing_files");
  for (const auto& entry :
       std::filesystem::directory_iterator(CONVOY_SOURCE_DIR "/share/sample_data/imagenet"))
    if (entry.path().filename() != "train-00002-of-00004")
      std::filesystem::copy(entry.path(), folder);
  const ProgramResult result =
      run_convoy({"run", "--data_dir=" + folder.string(), "--model=lenet", "--device=cpu",
                  "--input_only", "--batch_size=2", "--num_batches=1", "--num_warmup_batches=0"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("3 of the 4 files train-*-of-00004"));
  EXPECT_THAT(result.err, HasSubstr("train-00002-of-00004 is missing"));
}

TEST(Input, AloneNeedsDataAndTraining) {
  const ProgramResult synthetic = run_convoy({"run", "--model=lenet", "--input_only"});
  EXPECT_EQ(synthetic.exit_code, 2);
  EXPECT_THAT(synthetic.err, HasSubstr("there is no --data_dir"));
  const ProgramResult inference =
      run_convoy({"run", "--model=lenet", kImages, "--input_only", "--forward_only"});
  EXPECT_EQ(inference.exit_code, 2);
  EXPECT_THAT(inference.err, HasSubstr("leave out --eval, --forward_only"));
}

TEST(Input, ARunOnRealDataSaysWhetherTheInputKeepsUp) {
  const std::string file = scratch_folder("input_verdict") + "/run.json";
  const ProgramResult result =
      run_convoy({"run", "--model=lenet", kImages, "--device=cpu", "--num_devices=1",
                  "--batch_size=8", "--num_batches=4", "--num_warmup_batches=1",
                  "--datasets_use_prefetch=true", "--output_file=" + file});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("without waiting for input"));
  EXPECT_TRUE(record_at(file)["input"]["input_bound"].is_boolean());
  const ProgramResult synthetic =
      run_convoy({"run", "--model=lenet", "--device=cpu", "--num_devices=1", "--batch_size=8",
                  "--num_batches=2", "--num_warmup_batches=1"});
  EXPECT_THAT(synthetic.out, Not(HasSubstr("waiting for input")));
}

// Each step is one device's there. The lines are about both devices, as the total is.
TEST(Input, OfWorkersThatDoNotWaitIsAsFastAsTheyAre) {
  const std::string file = scratch_folder("input_asynchronous") + "/run.json";
  const ProgramResult result = run_convoy(
      {"run", "--model=lenet", kImages, "--device=cpu", "--num_devices=2", "--variable_update=ssp",
       "--batch_size=4", "--num_batches=6", "--num_warmup_batches=1", "--output_file=" + file});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json record = record_at(file);
  const double total = record["total"]["images_per_sec"];
  EXPECT_NEAR(record["input"]["images_per_sec"].get<double>(), total, 1e-6 * total);
  const double first = record["steps"][0]["images_per_sec"];
  EXPECT_THAT(result.out, HasSubstr(fmt::format("\n1\timages/sec: {:.1f} +/- 0.0", 2 * first)));
}

// Two megapixels of noise take one thread far longer to decode than the trivial model takes to
// learn from them, with sanitizers, too.
std::string folder_of_large_pictures() {
  constexpr int kWidth = 1600, kHeight = 1200;
  std::mt19937 random(1);
  std::vector<std::uint8_t> pixels(std::size_t{3} * kWidth * kHeight);
  for (std::uint8_t& value : pixels) value = static_cast<std::uint8_t>(random());
  const std::string image = data::encode_jpeg(pixels.data(), kWidth, kHeight, 3, {90, false, true});
  const std::filesystem::path folder = scratch_folder("imagenet_of_large_pictures");
  std::filesystem::create_directories(folder);
  data::TfRecordWriter writer(folder / "train-00000-of-00001");
  for (int label = 1; label <= 2; ++label)
    writer.write(data::serialise_example({image, label, {}}));
  writer.close();
  return "--data_dir=" + folder.string();
}

TEST(Input, ARunThatWaitsForImagesIsInputBound) {
  const std::string file = scratch_folder("input_bound") + "/run.json";
  const ProgramResult result =
      run_convoy({"run", "--model=trivial", folder_of_large_pictures(), "--device=cpu",
                  "--num_devices=1", "--num_intra_threads=1", "--input_threads=1", "--batch_size=4",
                  "--num_batches=12", "--num_warmup_batches=1", "--output_file=" + file});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("input-bound: "));
  const nlohmann::json input = record_at(file)["input"];
  EXPECT_TRUE(input["input_bound"].get<bool>()) << input;
}

}  // namespace
}  // namespace convoy
