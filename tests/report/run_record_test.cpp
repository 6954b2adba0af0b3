#include "core/report/run_record.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/error.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

class RunRecordFile : public ::testing::Test {
 protected:
  RunRecordFile() {
    std::string pattern = (fs::temp_directory_path() / "convoy_record_XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~RunRecordFile() override { fs::remove_all(directory_); }

  std::string write(const RunRecord& record, const std::string& name) {
    write_run_record(record, directory_ / name);
    std::ifstream in(directory_ / name);
    std::ostringstream content;
    content << in.rdbuf();
    return content.str();
  }

  fs::path directory_;
};

RunRecord two_steps() {
  RunRecord record;
  record.version = "0.1.0";
  record.model = "resnet50";
  record.strategy = "parameter_server";
  record.command_line = {"convoy", "run", "--model=resnet50"};
  record.flags = {{"model", "resnet50"}};
  record.environment = {{"host", "a \"quoted\" name"}};
  record.devices = {"/cpu:0"};
  record.device_batch = 4;
  record.global_batch = 4;
  record.steps = {{1, 0.5, 8, 7.0123456789012345, 6.9, 0.005, 0.01},
                  {2, 0.25, 16, 1.0 / 3, 0.25, 0.005, 0, Accuracy{0.25, 0.75}}};
  record.total_seconds = 0.8;
  record.total_images_per_second = 10;
  record.speed = Speed{10, 1, 2};
  record.percentiles = StepTimePercentiles{0.3, 0.4, 0.5, 0.5};
  return record;
}

TEST_F(RunRecordFile, JsonParsesBackToTheSameNumbers) {
  const auto json = nlohmann::json::parse(write(two_steps(), "run.json"));
  EXPECT_EQ(json["schema_version"], kRunRecordSchemaVersion);
  EXPECT_EQ(json["model"], "resnet50");
  EXPECT_EQ(json["strategy"], "parameter_server");
  EXPECT_EQ(json["command_line"][2], "--model=resnet50");
  EXPECT_EQ(json["environment"]["host"], "a \"quoted\" name");
  EXPECT_EQ(json["interrupted"], false);
  EXPECT_EQ(json["exit_status"], 0);
  EXPECT_EQ(json["images_per_sec"]["jitter"], 2.0);
  EXPECT_EQ(json["step_seconds"]["p99"], 0.5);
  ASSERT_EQ(json["steps"].size(), 2u);
  EXPECT_EQ(json["steps"][0]["loss"].get<double>(), 7.0123456789012345);
  EXPECT_EQ(json["steps"][1]["loss"].get<double>(), 1.0 / 3);
  EXPECT_EQ(json["steps"][1]["top_5_accuracy"], 0.75);
  EXPECT_FALSE(json["steps"][0].contains("top_5_accuracy"));
}

TEST_F(RunRecordFile, JsonLinesHasOneObjectForEachStepAndASummary) {
  std::istringstream lines(write(two_steps(), "run.jsonl"));
  std::vector<nlohmann::json> objects;
  for (std::string line; std::getline(lines, line);) objects.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_EQ(objects[0]["step"], 1);
  EXPECT_EQ(objects[1]["images_per_sec"], 16.0);
  EXPECT_EQ(objects[2]["total_images_per_sec"], 10.0);
  EXPECT_FALSE(objects[2].contains("steps"));
}

TEST_F(RunRecordFile, CsvHasARowForEachStepWithFullPrecision) {
  EXPECT_EQ(write(two_steps(), "run.csv"),
            "step,seconds,images_per_sec,loss,base_loss,learning_rate,input_wait_seconds,"
            "top_1_accuracy,top_5_accuracy\n"
            "1,0.5,8,7.0123456789012346,6.9000000000000004,0.0050000000000000001,0.01,,\n"
            "2,0.25,16,0.33333333333333331,0.25,0.0050000000000000001,0,0.25,0.75\n");
}

TEST_F(RunRecordFile, RunWithoutATimedStepIsStillWritten) {
  RunRecord record;
  record.interrupted = true;
  record.exit_status = 130;
  const auto json = nlohmann::json::parse(write(record, "run.json"));
  EXPECT_EQ(json["interrupted"], true);
  EXPECT_EQ(json["exit_status"], 130);
  EXPECT_TRUE(json["steps"].empty());
  EXPECT_FALSE(json.contains("images_per_sec"));
}

TEST_F(RunRecordFile, LossThatIsNoNumberBecomesNull) {
  RunRecord record = two_steps();
  record.steps[0].loss = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(nlohmann::json::parse(write(record, "run.json"))["steps"][0]["loss"].is_null());
}

TEST_F(RunRecordFile, BytesThatAreNotUtf8DoNotLoseTheResults) {
  RunRecord record = two_steps();
  record.command_line.push_back("--data_dir=\xff");
  EXPECT_NO_THROW(nlohmann::json::parse(write(record, "run.json")));
}

TEST_F(RunRecordFile, ReplacesTheOldFileAndLeavesNothingBeside) {
  write(two_steps(), "run.csv");
  write(RunRecord{}, "run.csv");
  check_run_record_path(directory_ / "run.csv");
  int files = 0;
  for (const auto& entry : fs::directory_iterator(directory_)) {
    ++files;
    EXPECT_EQ(entry.path().filename(), "run.csv");
  }
  EXPECT_EQ(files, 1);
}

void expect_refusal(const fs::path& path, ExitCode code) {
  for (auto attempt : {+[](const fs::path& p) { write_run_record({}, p); },
                       +[](const fs::path& p) { check_run_record_path(p); }}) {
    try {
      attempt(path);
      FAIL() << path << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
    }
  }
}

TEST_F(RunRecordFile, UnwritablePathsAreNamed) {
  expect_refusal(directory_ / "missing" / "run.json", ExitCode::kUnavailable);
  fs::create_directory(directory_ / "folder.json");
  expect_refusal(directory_ / "folder.json", ExitCode::kUnavailable);
}

TEST_F(RunRecordFile, OtherSuffixesAreRefused) {
  expect_refusal(directory_ / "run.yaml", ExitCode::kUsage);
  expect_refusal(directory_ / "run", ExitCode::kUsage);
}

}  // namespace
}  // namespace convoy
