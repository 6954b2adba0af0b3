#include "core/report/run_record.hpp"
#include "core/base/text/json.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/error.hpp"

namespace convoy::report {
namespace {

using nlohmann::json;

constexpr double kPreciseLoss = 7.123456789012345;

RunRecord example_record() {
  RunRecord record;
  record.environment = detect_environment("0.1.0");
  record.command_line = {"convoy", "run", "--batch_size=8"};
  record.flags = {{"batch_size", "8"}, {"model", "resnet50"}};
  record.model = "resnet50";
  record.dataset = "imagenet";
  record.strategy = "ring";
  record.strategy_options = {{"chunks", "2"}};
  record.optimizer = "sgd";
  record.compute_dtype = "bf16";
  record.devices = {{"cpu:0", "cpu", "a processor", "0x1", 2, 1024}};
  record.batch_per_device = 8;
  record.global_batch = 8;
  record.warmup_steps = 1;
  TrainingStep first;
  first.number = 1;
  first.seconds = 0.5;
  first.base_loss = 7;
  first.total_loss = kPreciseLoss;
  first.input_wait_seconds = 0.125;
  TrainingStep second;
  second.number = 2;
  second.seconds = 0.25;
  second.total_loss = 0.1 + 0.2;
  second.learning_rate = 0.001;
  second.top_1 = 0.25;
  second.top_5 = 0.5;
  record.steps = {first, second};
  record.total_seconds = 0.75;
  record.total_images_per_second = 16 / 0.75;
  record.exit_status = 130;
  record.interrupted = true;
  return record;
}

TEST(RunRecord, JsonReadsBack) {
  const json read = parse_json(run_record_json(example_record()));
  EXPECT_EQ(read["schema_version"], kRunRecordSchemaVersion);
  EXPECT_EQ(read["environment"]["convoy_version"], "0.1.0");
  EXPECT_GT(read["environment"]["processors"], 0);
  EXPECT_EQ(read["command_line"][1], "run");
  EXPECT_EQ(read["flags"]["batch_size"], "8");
  EXPECT_EQ(read["strategy"]["name"], "ring");
  EXPECT_EQ(read["strategy"]["options"]["chunks"], "2");
  EXPECT_EQ(read["compute_dtype"], "bf16");
  EXPECT_EQ(read["devices"][0]["threads"], 2);
  EXPECT_EQ(read["total"]["steps"], 2);
  EXPECT_EQ(read["exit_status"], 130);
  EXPECT_EQ(read["interrupted"], true);
  ASSERT_EQ(read["steps"].size(), 2u);
  EXPECT_EQ(read["steps"][0]["loss"].get<double>(), kPreciseLoss);
  EXPECT_EQ(read["steps"][1]["loss"].get<double>(), 0.1 + 0.2);
  EXPECT_EQ(read["steps"][0]["images_per_sec"], 16);
  EXPECT_FALSE(read["steps"][0].contains("top_1_accuracy"));
  EXPECT_EQ(read["steps"][1]["top_5_accuracy"], 0.5);
}

// As the lines of such a run say.
TEST(RunRecord, AStepOfAWorkerByItselfHasItsOwnImages) {
  RunRecord record = example_record();
  record.global_batch = 16;
  record.worker_batch = 8;
  const json read = parse_json(run_record_json(record));
  EXPECT_EQ(read["steps"][0]["images_per_sec"], 16);
  EXPECT_EQ(read["global_batch"], 16);
}

// Steps are written one after the other, and nobody can tell.
TEST(RunRecord, JsonIsWrittenAsOneValueWouldBe) {
  for (const std::size_t steps : {0u, 1u, 3u}) {
    RunRecord record = example_record();
    record.steps.resize(steps);
    if (steps > 1) {
      record.gradient_names = {"weights"};
      record.steps.back().gradient_norms = {0.5};
    }
    const std::string text = run_record_json(record);
    EXPECT_EQ(json_text(parse_ordered_json(text), 2) + "\n", text) << steps;
    EXPECT_EQ(parse_ordered_json(text).at("steps").size(), steps);
  }
}

// The watts are those of this task's devices, and so are the images.
TEST(RunRecord, PowerOfOneTaskIsComparedWithItsOwnImages) {
  RunRecord record = example_record();
  record.global_batch = 16;
  record.total_images_per_second = 200;
  EXPECT_DOUBLE_EQ(record.own_images_per_second(), 100);
  GpuReadings gpu;
  gpu.watts.add(100);
  record.gpus = {gpu};
  const json read = parse_json(run_record_json(record));
  EXPECT_DOUBLE_EQ(read["gpus"]["images_per_sec_per_watt"].get<double>(), 1);
}

TEST(RunRecord, WritesNumbersThatAreNotFiniteAsNull) {
  RunRecord record = example_record();
  record.steps[0].total_loss = std::numeric_limits<double>::quiet_NaN();
  record.steps[1].total_loss = std::numeric_limits<double>::infinity();
  const json read = parse_json(run_record_json(record));
  EXPECT_TRUE(read["steps"][0]["loss"].is_null());
  EXPECT_TRUE(read["steps"][1]["loss"].is_null());
}

TEST(RunRecord, SurvivesTextThatIsNotUtf8) {
  RunRecord record = example_record();
  record.command_line.push_back("--data_dir=\xff\xfe");
  EXPECT_NO_THROW(parse_json(run_record_json(record)));
  EXPECT_NO_THROW(run_record_json_lines(record));
}

TEST(RunRecord, JsonLinesHaveOneLinePerStepAndASummary) {
  std::istringstream text(run_record_json_lines(example_record()));
  std::vector<json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(parse_json(line));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["kind"], "step");
  EXPECT_EQ(lines[1]["step"], 2);
  EXPECT_EQ(lines[2]["kind"], "summary");
  EXPECT_EQ(lines[2]["model"], "resnet50");
  EXPECT_FALSE(lines[2].contains("steps"));
}

TEST(RunRecord, CsvHasATitleAndOneLinePerStep) {
  EXPECT_EQ(run_record_csv(example_record()),
            "step,seconds,images_per_sec,loss,learning_rate,input_wait_seconds,top_1_accuracy,"
            "top_5_accuracy,evaluation_top_1,evaluation_top_5,evaluation_examples\n"
            "1,0.5,16,7.123456789012345,0,0.125,,,,,\n"
            "2,0.25,32,0.30000000000000004,0.001,0,0.25,0.5,,,\n");
}

RunRecord evaluated_record() {
  RunRecord record = example_record();
  record.mode = "training + evaluation";
  record.evaluations = {{1, 11, {0.25, 0.5}, 64, 0.5, 128, ""},
                        {2, 12, {0.75, 1}, 64, 0.25, 256, "model-12.safetensors"}};
  return record;
}

TEST(RunRecord, ListsEvaluationsInJson) {
  const json read = parse_json(run_record_json(evaluated_record()));
  EXPECT_EQ(read["mode"], "training + evaluation");
  ASSERT_EQ(read["evaluations"].size(), 2u);
  EXPECT_EQ(read["evaluations"][0]["step"], 1);
  EXPECT_EQ(read["evaluations"][0]["global_step"], 11);
  EXPECT_EQ(read["evaluations"][0]["top_1"], 0.25);
  EXPECT_EQ(read["evaluations"][0]["top_5"], 0.5);
  EXPECT_EQ(read["evaluations"][0]["examples"], 64);
  EXPECT_EQ(read["evaluations"][0]["examples_per_sec"], 128);
  EXPECT_FALSE(read["evaluations"][0].contains("checkpoint"));
  EXPECT_EQ(read["evaluations"][1]["checkpoint"], "model-12.safetensors");
  EXPECT_EQ(parse_json(run_record_json(example_record()))["evaluations"], json::array());
}

TEST(RunRecord, HasALineForEveryEvaluation) {
  std::istringstream text(run_record_json_lines(evaluated_record()));
  std::vector<json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(parse_json(line));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[2]["kind"], "evaluation");
  EXPECT_EQ(lines[3]["top_1"], 0.75);
  EXPECT_EQ(lines[4]["kind"], "summary");
}

TEST(RunRecord, CsvHasEvaluationsBehindTheirSteps) {
  const std::string text = run_record_csv(evaluated_record());
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "1,0.5,16,7.123456789012345,0,0.125,,,,,\n"
            "1,0.5,128,,,,,,0.25,0.5,64\n"
            "2,0.25,32,0.30000000000000004,0.001,0,0.25,0.5,,,\n"
            "2,0.25,256,,,,,,0.75,1,64\n");
}

TEST(RunRecord, CsvHasTheNormsAndScalesThatTheRunReports) {
  RunRecord record = evaluated_record();
  record.evaluations.resize(1);
  record.gradient_names = {"conv/weights", "a \"b\", c"};
  record.steps[0].gradient_norms = {3, 4};
  record.steps[0].gradient_norm = 5;
  record.steps[0].loss_scale = 128;
  record.steps[1].gradient_norms = {0.5, -std::numeric_limits<double>::quiet_NaN()};
  record.steps[1].gradient_norm = std::numeric_limits<double>::infinity();
  record.steps[1].loss_scale = 64;
  EXPECT_EQ(run_record_csv(record),
            "step,seconds,images_per_sec,loss,learning_rate,input_wait_seconds,top_1_accuracy,"
            "top_5_accuracy,evaluation_top_1,evaluation_top_5,evaluation_examples,loss_scale,"
            "gradient_norm,\"gradient_norm of conv/weights\",\"gradient_norm of a \"\"b\"\", c\"\n"
            "1,0.5,16,7.123456789012345,0,0.125,,,,,,128,5,3,4\n"
            "1,0.5,128,,,,,,0.25,0.5,64,,,,\n"
            "2,0.25,32,0.30000000000000004,0.001,0,0.25,0.5,,,,64,inf,0.5,nan\n");
}

TEST(RunRecord, CsvHasAnEmptyCellForALossThatIsNotComputed) {
  RunRecord record = example_record();
  record.computes_loss = false;
  EXPECT_NE(run_record_csv(record).find("1,0.5,16,,0,"), std::string::npos)
      << run_record_csv(record);
}

TEST(RunRecord, CsvHasNoSignOfWhatIsNotANumber) {
  RunRecord record = example_record();
  record.steps.resize(1);
  record.steps[0].total_loss = -std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(run_record_csv(record).find(",16,nan,0,"), std::string::npos) << run_record_csv(record);
}

TEST(RunRecord, TheSuffixChoosesTheForm) {
  const std::string base = testing::TempDir() + "convoy_record_" + std::to_string(getpid());
  const RunRecord record = example_record();
  for (const auto& [suffix, expected] : {std::pair{".json", run_record_json(record)},
                                         {".jsonl", run_record_json_lines(record)},
                                         {".csv", run_record_csv(record)}}) {
    const std::filesystem::path path = base + suffix;
    check_record_path(path);
    write_run_record(record, path);
    std::stringstream content;
    content << std::ifstream(path).rdbuf();
    EXPECT_EQ(content.str(), expected) << suffix;
    std::filesystem::remove(path);
  }
}

TEST(RunRecord, RefusesOtherSuffixes) {
  for (const char* path : {"result.xml", "result"}) {
    EXPECT_THROW(check_record_path(path), Error) << path;
    EXPECT_THROW(write_run_record(example_record(), path), Error) << path;
  }
}

}  // namespace
}  // namespace convoy::report
