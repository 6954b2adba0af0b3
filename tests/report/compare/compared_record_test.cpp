#include "core/report/compare/compared_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/base/error.hpp"
#include "core/base/text/json.hpp"
#include "core/report/compare/difference_text.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::compare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

Json record(double seconds) {
  Json steps = Json::array();
  for (int i = 1; i <= 20; ++i) steps.push_back({{"step", i}, {"seconds", seconds}});
  return {{"schema_version", 1},
          {"environment", {{"cpu", "a processor"}, {"processors", 2}}},
          {"model", "lenet"},
          {"dataset", "imagenet"},
          {"flags", {{"batch_size", "8"}, {"output_file", "x"}}},
          {"devices", {{{"name", "cpu:0"}, {"kind", "cpu"}, {"model", "2 threads"}}}},
          {"global_batch", 8},
          {"total", {{"step_seconds", {{"p50", seconds}}}}},
          {"steps", steps}};
}

std::string written(const std::string& name, const Json& json) {
  static const std::string kFolder = scratch_folder("compared_record");
  std::string path = kFolder + "/" + name;
  std::ofstream(path) << json.dump();
  return path;
}

TEST(ComparedRecord, ReadsOneRunSeveralRecordsAndRepeats) {
  const std::string a = written("a.json", record(0.8));
  EXPECT_DOUBLE_EQ(read_compared(a).side.runs.at(0).at(0), 0.1);  // per image
  EXPECT_EQ(read_compared(a + "," + written("b.json", record(0.4))).side.runs.size(), 2u);
  Json repeated = record(0.8);
  repeated["repeats"] = {{{"seconds", {0.8, 0.9}}}, {{"seconds", {0.7}}}, {{"seconds", {0.6}}}};
  const ComparedRecord read = read_compared(written("repeated.json", repeated));
  ASSERT_EQ(read.side.runs.size(), 3u);
  EXPECT_THAT(read.side.runs[0], ElementsAre(0.1, 0.9 / 8));
}

TEST(ComparedRecord, CountsNoRecordTwice) {
  const std::string a = written("a.json", record(0.8));
  const std::string same = std::filesystem::path(a).parent_path() / "." / "a.json";
  EXPECT_THAT(thrown_text([&] { read_compared(a + "," + a); }), HasSubstr("is given twice"));
  EXPECT_THAT(thrown_text([&] { read_compared(a + "," + same); }), HasSubstr(same));
}

TEST(ComparedRecord, HasTheTurnsOfRunsUnlessTheyCannotBeTrue) {
  const auto turns = [](const Json& standstills) {
    Json json = record(0.8);
    json["repeats"] = {{{"seconds", {0.8, 0.9, 0.7}}, {"standstills", standstills}}};
    return read_compared(written("turns.json", json)).side.turns.at(0);
  };
  EXPECT_THAT(turns({1, 3}), ElementsAre(1u, 3u));
  for (const Json& untrue : {Json(nullptr), Json(3), Json{3, 1}, Json{0, 1}, Json{1, 4}, Json{"1"}})
    EXPECT_THAT(turns(untrue), IsEmpty()) << untrue;
}

TEST(ComparedRecord, OtherMachinesAndModelsAreUnlikeOtherBatchesAreNot) {
  const ComparedRecord a = read_compared(written("a.json", record(0.8)));
  Json other = record(0.8);
  other["global_batch"] = 16;
  other["flags"]["batch_size"] = "16";
  const ComparedRecord batch = read_compared(written("batch.json", other));
  EXPECT_THAT(unlike(a, batch), IsEmpty());
  const auto flags = flag_differences(a, batch);
  ASSERT_EQ(flags.size(), 1u);
  EXPECT_EQ(flags[0].second, "16");
  other["environment"]["cpu"] = "another one";
  other["model"] = "resnet50";
  EXPECT_THAT(unlike(a, read_compared(written("other.json", other))),
              ElementsAre("processor: a processor and another one", "model: lenet and resnet50"));
}

// A record of auto has the options of all strategies, of which one was taken.
TEST(ComparedRecord, OptionsOfStrategiesThatAutoDidNotTakeDoNotDiffer) {
  Json all_given = record(0.8);
  all_given["flags"]["variable_update"] = "a strategy";
  const ComparedRecord named = read_compared(written("named.json", all_given));
  Json chosen = record(0.8);
  chosen["flags"]["variable_update"] = "auto";
  chosen["flags"]["taken_option"] = "2";
  chosen["flags"]["other_option"] = "3";
  chosen["flags"]["num_devices"] = "2";
  chosen["command_line"] = {"--model=lenet", "--num_devices=2"};
  chosen["strategy"]["options"]["taken_option"] = 2;
  const ComparedRecord automatic = read_compared(written("chosen.json", chosen));
  for (const auto& flags :
       {flag_differences(named, automatic), flag_differences(automatic, named)}) {
    std::vector<std::string> names(flags.size());
    std::ranges::transform(flags, names.begin(), &FlagDifference::flag);
    EXPECT_THAT(names, ElementsAre("num_devices", "taken_option", "variable_update"));
  }
}

TEST(ComparedRecord, WhatHasNoTimedStepsIsRefused) {
  Json empty = record(0.8);
  empty["steps"] = Json::array();
  const std::string file = written("empty.json", empty);
  try {
    read_compared(file);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.what(), StartsWith(file));
  }
  EXPECT_THROW(read_compared("/nowhere.json"), Error);
}

TEST(ComparedRecord, BatchesThatNoRunHasAreRefusedAndSuchTimesLeftOut) {
  for (const Json& images : {Json(1e-320), Json(0.5), Json(-1), Json(1e300), Json("8")}) {
    Json odd = record(0.8);
    odd["global_batch"] = images;
    EXPECT_THROW(read_compared(written("batch.json", odd)), Error) << images;
  }
  Json odd = record(0.8);
  for (const auto& [step, seconds] : {std::pair{0, 1e308}, {1, 1e-320}, {2, -0.8}})
    odd["steps"][step]["seconds"] = seconds;
  odd["total"]["images_per_sec"] = 1e308;
  const ComparedRecord read = read_compared(written("times.json", odd));
  EXPECT_EQ(read.side.runs.at(0).size(), 17u);
  EXPECT_THAT(read.rates, IsEmpty());
}

// A comparison with what was measured until then is better than none, but not the same.
TEST(ComparedRecord, SaysWhichRunsDidNotGetToTheirEnd) {
  Json whole = record(0.8);
  whole["interrupted"] = false;
  whole["error"] = "";
  EXPECT_THAT(read_compared(written("whole.json", whole)).notices, IsEmpty());
  Json interrupted = whole;
  interrupted["interrupted"] = true;
  const std::string first = written("interrupted.json", interrupted);
  Json failed = whole;
  failed["error"] = "no space is left";
  const std::string second = written("failed.json", failed);
  const ComparedRecord read = read_compared(first + "," + second);
  EXPECT_THAT(
      read.notices,
      ElementsAre(first + ": the run was interrupted; what is compared is its 20 timed steps",
                  second + ": the run failed (no space is left); what is compared is its 20 timed "
                           "steps"));
  const Json json =
      parse_ordered_json(difference_json({read, read, compare(read.side, read.side)}));
  EXPECT_EQ(json.at("first").at("notices").size(), 2u);
}

TEST(ComparedRecord, LinesForOtherProgramsAreNoRecord) {
  try {
    read_compared(written("lines.jsonl", record(0.8)));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("lines.jsonl: a .jsonl file has lines for other programs"));
    EXPECT_THAT(error.what(), HasSubstr("--output_file=x.json"));
  }
}

std::string refusal(const std::string& files) {
  try {
    read_compared(files);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "it was accepted";
}

// What it means may have changed.
TEST(ComparedRecord, OfAVersionThatIsNotKnownIsRefused) {
  Json later = record(0.8);
  later["schema_version"] = 9;
  EXPECT_THAT(refusal(written("later.json", later)), HasSubstr("a record of version 9"));
}

TEST(ComparedRecord, NamesOfRecordsAreNotEmpty) {
  const std::string a = written("a.json", record(0.8));
  for (const std::string& files : {std::string(), "," + a, a + ","})
    EXPECT_THAT(refusal(files), HasSubstr("an empty name"));
}

TEST(ComparedRecord, EveryFormSaysTheSame) {
  const ComparedRecord a = read_compared(written("a.json", record(0.8)));
  const ComparedRecord b = read_compared(written("b.json", record(0.4)));
  const DifferenceReport report{a, b, compare(a.side, b.side)};
  EXPECT_THAT(difference_text(report), HasSubstr("faster by 50.0 % +- "));
  EXPECT_THAT(difference_markdown(report),
              HasSubstr("| images/s, 10 % quantile | 10 | 20 | +100.0 % |"));
  EXPECT_THAT(difference_csv(report), HasSubstr(",faster\n"));
  const Json json = parse_ordered_json(difference_json(report));
  EXPECT_EQ(json["verdict"], "faster");
  EXPECT_NEAR(json["time_change"].get<double>(), -0.5, 1e-12);
  EXPECT_EQ(json["quantile"], 0.1);
  const DifferenceReport usual{a, b, compare(a.side, b.side, {.quantile = 0.5})};
  EXPECT_THAT(difference_markdown(usual), HasSubstr("| images/s, median steps | 10 | 20 |"));
  EXPECT_THAT(difference_csv(usual), HasSubstr(",0.5,faster\n"));
}

// Names of files and values of flags may have what divides cells.
TEST(ComparedRecord, MarkdownCellsStayCells) {
  const ComparedRecord a = read_compared(written("a.json", record(0.8)));
  Json other = record(0.8);
  other["flags"]["batch_size"] = "1|2";
  other["flags"].erase("output_file");
  other["flags"]["shift_ratio"] = "0.5";
  const ComparedRecord b = read_compared(written("b|c.json", other));
  const std::string text = difference_markdown({a, b, compare(a.side, b.side)});
  EXPECT_THAT(text, HasSubstr("b\\|c.json | change |"));
  EXPECT_THAT(text, HasSubstr("| `--batch_size` | 8 | 1\\|2 | |"));
  EXPECT_THAT(text, HasSubstr("| `--shift_ratio` | unset | 0.5 | |"));
}

// The steps are those of one worker; the total is that of all.
TEST(ComparedRecord, OfWorkersThatDoNotWaitForEachOtherTheTotalCounts) {
  Json fast = record(0.8);
  fast["workers"] = {{{"steps", 20}}, {{"steps", 20}}};
  fast["total"]["images_per_sec"] = 20.0;
  Json slow = fast;
  slow["total"]["images_per_sec"] = 15.0;
  const ComparedRecord a = read_compared(written("workers_fast.json", fast));
  const ComparedRecord b = read_compared(written("workers_slow.json", slow));
  EXPECT_NEAR(a.side.runs.at(0).at(0), 1 / 20.0, 1e-12);
  const Difference difference = compare(a.side, b.side);
  EXPECT_EQ(difference.verdict, Verdict::kSlower);
  EXPECT_NEAR(difference.change, 20 / 15.0 - 1, 1e-9);
  Json uneven = fast;  // as many images in all, one step in four slower
  for (std::size_t i = 0; i < uneven["steps"].size(); ++i)
    uneven["steps"][i]["seconds"] = i % 4 == 3 ? 1.1 : 0.7;
  const ComparedRecord c = read_compared(written("workers_uneven.json", uneven));
  EXPECT_NEAR(compare(a.side, c.side).change, 0, 1e-9);
  slow["repeats"] = {{{"seconds", {0.8, 0.8}}, {"images_per_sec", 10.0}},
                     {{"seconds", {0.4, 0.4}}, {"images_per_sec", 16.0}}};
  const ComparedRecord repeated = read_compared(written("workers_repeated.json", slow));
  EXPECT_NEAR(repeated.side.runs.at(0).at(0), 1 / 10.0, 1e-12);
  EXPECT_NEAR(repeated.side.runs.at(1).at(0), 1 / 16.0, 1e-12);
}

// Every row says what it is of: all runs, or the first one.
TEST(ComparedRecord, RowsAreOfAllRunsWhereRecordsHaveThem) {
  Json repeated = record(0.8);
  repeated["memory"] = {{"planned_bytes", 1000}};
  repeated["repeats"] = {{{"seconds", {0.8, 0.8}}, {"images_per_sec", 9.0}},
                         {{"seconds", {0.4, 0.4}}, {"images_per_sec", 17.0}},
                         {{"seconds", {0.2, 0.2}}, {"images_per_sec", 33.0}}};
  const ComparedRecord a = read_compared(written("rows.json", repeated));
  const DifferenceReport report{a, a, compare(a.side, a.side)};
  const std::string text = difference_markdown(report);
  EXPECT_THAT(text, HasSubstr("| images/s, 10 % quantile | 20 | 20 | +0.0 % |"));
  EXPECT_THAT(text, HasSubstr("| images/s, whole runs | 17 | 17 | +0.0 % |"));
  EXPECT_THAT(text, HasSubstr("| median step | 400 ms | 400 ms | +0.0 % |"));
  EXPECT_THAT(text, HasSubstr("is of one run of each side"));
  const Json first = parse_ordered_json(difference_json(report)).at("first");
  EXPECT_DOUBLE_EQ(first.at("total_images_per_sec").get<double>(), 17);
  EXPECT_DOUBLE_EQ(first.at("step_seconds").at("p10").get<double>(), 0.2);
  EXPECT_DOUBLE_EQ(first.at("step_seconds").at("p50").get<double>(), 0.4);
  EXPECT_DOUBLE_EQ(first.at("step_seconds").at("p99").get<double>(), 0.8);
}

}  // namespace
}  // namespace convoy::compare
