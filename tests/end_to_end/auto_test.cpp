// --variable_update=auto and compare as a user sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/run_program.hpp"

namespace convoy {
namespace {

using ::testing::HasSubstr;

struct AutoRun {
  ProgramResult result;
  nlohmann::json record;
};

AutoRun run_auto(const std::string& cache, std::vector<std::string> more = {}) {
  const std::string file = scratch_folder("record") + "/run.json";
  std::vector<std::string> arguments = {"run",
                                        "--model=lenet",
                                        "--device=cpu",
                                        "--num_devices=2",
                                        "--batch_size=4",
                                        "--num_batches=12",
                                        "--num_warmup_batches=1",
                                        "--output_file=" + file};
  arguments.insert(arguments.end(), more.begin(), more.end());
  ProgramOptions options;
  options.cache_folder = cache;
  AutoRun run{run_convoy(arguments, options), {}};
  if (run.result.exit_code == 0) run.record = parse_json(std::ifstream(file));
  return run;
}

TEST(AutoEndToEnd, SaysInOneLineWhatItTakesAndPredicts) {
  const AutoRun run = run_auto(scratch_folder("cache"));
  ASSERT_EQ(run.result.exit_code, 0) << run.result.err;
  EXPECT_THAT(run.result.err, HasSubstr("convoy: --variable_update=auto takes --variable_update="));
  EXPECT_THAT(run.result.err, HasSubstr("predicted step"));
  EXPECT_THAT(run.result.err, HasSubstr("median step"));
  const nlohmann::json& selection = run.record["selection"];
  EXPECT_EQ(selection["origin"], "simulated");
  EXPECT_GT(selection["predicted_step_seconds"].get<double>(), 0);
  EXPECT_GT(selection["measured_step_seconds"].get<double>(), 0);
  EXPECT_EQ(run.record["strategy"]["verdict"], "synchronous");
  EXPECT_THAT(selection["flags"].get<std::string>(),
              HasSubstr(run.record["strategy"]["name"].get<std::string>()));
}

TEST(AutoEndToEnd, RemembersTheChoiceForTheSameCircumstancesOnly) {
  const std::string cache = scratch_folder("cache");
  const AutoRun first = run_auto(cache);
  const AutoRun again = run_auto(cache);
  const AutoRun other = run_auto(cache, {"--batch_size=5"});
  const AutoRun anew = run_auto(cache, {"--auto=simulate"});
  ASSERT_EQ(again.result.exit_code, 0) << again.result.err;
  EXPECT_EQ(first.record["selection"]["origin"], "simulated");
  EXPECT_EQ(again.record["selection"]["origin"], "remembered");
  EXPECT_EQ(again.record["selection"]["flags"], first.record["selection"]["flags"]);
  EXPECT_EQ(other.record["selection"]["origin"], "simulated");
  EXPECT_EQ(anew.record["selection"]["origin"], "simulated");
}

TEST(AutoEndToEnd, ChoosesAnewForAnotherFileOfTheDevice) {
  const std::string cache = scratch_folder("cache");
  const std::filesystem::path device =
      std::filesystem::path(scratch_folder("device")) / "convoy_device_cpu.so";
  std::filesystem::copy_file(CONVOY_BINARY_DIR "/lib/convoy/plugins/convoy_device_cpu.so", device);
  const std::string named = "--device=" + device.string();
  const AutoRun first = run_auto(cache, {named});
  ASSERT_EQ(first.result.exit_code, 0) << first.result.err;
  EXPECT_EQ(run_auto(cache, {named}).record["selection"]["origin"], "remembered");
  const auto built = std::filesystem::last_write_time(device);
  std::filesystem::last_write_time(device, built + std::chrono::seconds(1));
  EXPECT_EQ(run_auto(cache, {named}).record["selection"]["origin"], "simulated");
}

TEST(AutoEndToEnd, IgnoresADamagedMemoryWithANote) {
  const std::string cache = scratch_folder("cache");
  run_auto(cache);
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache)) {
    if (!entry.is_regular_file()) continue;
    std::ofstream(entry.path(), std::ios::trunc) << "{ not json";
    ++files;
  }
  ASSERT_EQ(files, 1);
  const AutoRun run = run_auto(cache);
  ASSERT_EQ(run.result.exit_code, 0) << run.result.err;
  EXPECT_THAT(run.result.err, HasSubstr("cannot be read"));
  EXPECT_EQ(run.record["selection"]["origin"], "simulated");
}

TEST(AutoEndToEnd, TakesTheRuleOfThumbOnRequest) {
  const AutoRun run = run_auto(scratch_folder("cache"), {"--auto=rule"});
  ASSERT_EQ(run.result.exit_code, 0) << run.result.err;
  EXPECT_THAT(run.result.err, HasSubstr("rule of thumb"));
  EXPECT_EQ(run.record["selection"]["predicted_step_seconds"], nullptr);
}

TEST(AutoEndToEnd, RefusesAnUnknownWayToChoose) {
  const AutoRun run = run_auto(scratch_folder("cache"), {"--auto=guess"});
  EXPECT_EQ(run.result.exit_code, 2);
  EXPECT_THAT(run.result.err, HasSubstr("--auto=guess"));
}

// The gathers of zero1 go on beside the next step's forward pass, which must be there for both.
TEST(AutoEndToEnd, RanksByTheStepThatSimulateTells) {
  const auto with = [](std::string verb, std::vector<std::string> more) {
    more.insert(more.begin(), {std::move(verb), "--platform=dgx1-p100", "--num_gpus=2",
                               "--model=lenet", "--gradient_clip_norm=1"});
    return run_convoy(more);
  };
  const std::string file = scratch_folder("record") + "/zero1.json";
  const ProgramResult alone =
      with("simulate", {"--variable_update=zero1", "--bucket_mb=8", "--output_file=" + file});
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  const nlohmann::json simulated = parse_json(std::ifstream(file));
  const ProgramResult ranked = with("plan", {"--variable_update=auto", "--json"});
  ASSERT_EQ(ranked.exit_code, 0) << ranked.err;
  const nlohmann::json ranking = parse_json(ranked.out);
  for (const nlohmann::json& candidate : ranking["candidates"]) {
    if (candidate["flags"] != "--variable_update=zero1 --bucket_mb=8") continue;
    EXPECT_EQ(candidate["step_seconds"], simulated["results"][0]["step"]["seconds"]);
    return;
  }
  FAIL() << ranked.out;
}

TEST(CompareEndToEnd, SimulatesATableAndSaysWhyACellHasNoRate) {
  const ProgramResult result =
      run_convoy({"compare", "--platform=dgx1-p100", "--models=lenet", "--num_gpus=1,4,16",
                  "--strategies=auto,replicated:all_reduce_spec=nccl", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json json = parse_json(result.out);
  ASSERT_EQ(json["cells"].size(), 6u);
  EXPECT_EQ(json["simulated"], true);
  const nlohmann::json& four = json["cells"][1];
  EXPECT_EQ(four["devices"], 4);
  EXPECT_THAT(four["taken"].get<std::string>(), HasSubstr("--variable_update="));
  EXPECT_LE(four["images_per_second"].get<double>(),
            four["linear_images_per_second"].get<double>() * 1.001);
  EXPECT_EQ(json["cells"][5]["images_per_second"], nullptr);
  EXPECT_THAT(json["cells"][5]["problem"].get<std::string>(), HasSubstr("8"));
}

nlohmann::json compared(std::vector<std::string> more) {
  more.insert(more.begin(), {"compare", "--models=lenet", "--json"});
  const ProgramResult result = run_convoy(more);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return parse_json(result.out);
}

// As efficiencies are in simulate's tables, and whatever the order of the strategies.
TEST(CompareEndToEnd, SpeedUpsAreAgainstTheFastestStrategyOnOneDevice) {
  const std::vector<std::string> where = {"--platform=dgx1-p100", "--hosts=2", "--num_devices=2"};
  std::vector<double> rates;
  for (const char* strategies : {"replicated,parameter_server", "parameter_server,replicated"}) {
    std::vector<std::string> arguments = where;
    arguments.push_back(std::string("--strategies=") + strategies);
    rates.push_back(compared(arguments)["one_device_images_per_second"]["lenet"]);
  }
  EXPECT_EQ(rates[0], rates[1]);
}

TEST(CompareEndToEnd, KnowsTheSpeedUpOnUnlikeHosts) {
  const nlohmann::json cell =
      compared({"--platform=dgx1-p100:1+dgx1-v100:1", "--num_devices=2", "--strategies=replicated"})
          .at("cells")[0];
  EXPECT_EQ(cell["devices"], 4);
  EXPECT_GT(cell["speed_up"], 0) << cell;
}

TEST(CompareEndToEnd, ACellWithoutARateCountsTheDevicesOfAllHosts) {
  const nlohmann::json cells = compared({"--platform=dgx1-p100", "--hosts=2", "--num_devices=2",
                                         "--strategies=replicated,horovod"})
                                   .at("cells");
  EXPECT_EQ(cells[1]["images_per_second"], nullptr);
  EXPECT_EQ(cells[1]["devices"], 4);
  EXPECT_EQ(cells[1]["linear_images_per_second"], cells[0]["linear_images_per_second"]);
}

TEST(CompareEndToEnd, TakesAMachineFromAFile) {
  const std::string file = scratch_folder("topology") + "/machine.json";
  ASSERT_EQ(run_convoy({"topo", "--platform=dgx1-p100", "--json=" + file}).exit_code, 0);
  const nlohmann::json json =
      compared({"--topology=" + file, "--num_devices=1,2", "--strategies=replicated"});
  EXPECT_EQ(json["simulated"], true);
  EXPECT_EQ(json["machine"], file);
  EXPECT_GT(json["cells"][1]["speed_up"], 0);
}

TEST(CompareEndToEnd, SaysThatACellTakesOneValueOfAFlag) {
  for (const char* list : {"--hosts=1,2", "--batch_size=16,32", "--platform=dgx1-p100,dgx1-v100"}) {
    const ProgramResult result =
        run_convoy({"compare", "--platform=dgx1-p100", "--models=lenet", "--num_devices=1", list});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(std::string(list) + ": compare takes one value"));
  }
}

TEST(CompareEndToEnd, RunsOnThisMachine) {
  const ProgramResult result = run_convoy(
      {"compare", "--device=cpu", "--models=lenet", "--num_devices=2", "--strategies=replicated",
       "--batch_size=2", "--num_batches=2", "--num_warmup_batches=1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, ::testing::ContainsRegex("lenet +replicated +2 +[0-9.]+ +[0-9.]+ +"
                                                   "[0-9.]+ +[0-9.]+ %"));
}

TEST(CompareEndToEnd, TakesModelsInOneFlag) {
  const ProgramResult both =
      run_convoy({"compare", "--platform=dgx1-p100", "--models=lenet,trivial", "--model=alexnet"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("--models=lenet,trivial and --model=alexnet: give one of them"));
}

TEST(CompareEndToEnd, BlamesTheCommandLineWhenNoCellUnderstandsIt) {
  const ProgramResult result = run_convoy(
      {"compare", "--platform=dgx1-p100", "--models=lenet", "--num_devices=1", "--batch_sise=4"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("batch_size"));
}

}  // namespace
}  // namespace convoy
