// --auto=measure, and predictions that steps leave, as a user sees them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/text/json.hpp"
#include "core/calibrate/profile_file.hpp"
#include "tests/calibrate/profiles.hpp"
#include "tests/end_to_end/run_program.hpp"

namespace convoy {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct TrialRun {
  ProgramResult result;
  nlohmann::json record;
};

// Sums of two devices' gradients have but one order, so strategies give the same bits.
TrialRun run_lenet(const std::string& cache, const std::vector<std::string>& more,
                   ProgramOptions options = {}) {
  const std::string file = scratch_folder("record") + "/run.json";
  std::vector<std::string> arguments = {"run",
                                        "--model=lenet",
                                        "--device=cpu",
                                        "--num_devices=2",
                                        "--num_intra_threads=1",
                                        "--batch_size=2",
                                        "--init_learning_rate=0.001",
                                        "--output_file=" + file};
  arguments.insert(arguments.end(), more.begin(), more.end());
  options.cache_folder = cache;
  TrialRun run{run_convoy(arguments, options), {}};
  std::ifstream in(file);
  if (in) run.record = parse_json(in);
  return run;
}

std::vector<double> losses(const nlohmann::json& record) {
  std::vector<double> values;
  for (const nlohmann::json& step : record["steps"]) values.push_back(step["loss"].get<double>());
  return values;
}

std::int64_t tried_count(const nlohmann::json& trial) {
  return std::ranges::count_if(trial["tried"], [](const nlohmann::json& each) {
    return !each["measured_step_seconds"].is_null();
  });
}

// The measured step of the strategy that was chosen is the median of the steps after the trial.
void expect_median_after_trial(const nlohmann::json& record) {
  std::vector<double> seconds;
  for (const nlohmann::json& step : record["steps"])
    if (step["step"] > record["selection"]["trial"]["steps"])
      seconds.push_back(step["seconds"].get<double>());
  ASSERT_FALSE(seconds.empty());
  std::ranges::sort(seconds);
  const double median = record["selection"]["measured_step_seconds"].get<double>();
  EXPECT_GE(median, seconds[(seconds.size() - 1) / 2]);
  EXPECT_LE(median, seconds[seconds.size() / 2]);
}

const std::vector<std::string> kAllTimed = {"--num_warmup_batches=0", "--num_batches=44"};

TEST(AutoTrialEndToEnd, TrainsTheSameWhateverIsTried) {
  std::vector<std::string> arguments = kAllTimed;
  arguments.emplace_back("--auto=measure");
  const TrialRun trial = run_lenet(scratch_folder("cache"), arguments);
  ASSERT_EQ(trial.result.exit_code, 0) << trial.result.err;
  EXPECT_EQ(trial.record["selection"]["origin"], "measured") << trial.result.err;
  const nlohmann::json& tried = trial.record["selection"]["trial"];
  ASSERT_GE(tried_count(tried), 2) << tried.dump(2);
  EXPECT_LE(tried["steps"], 40);
  EXPECT_GE(tried["exchanges"], 1);
  expect_median_after_trial(trial.record);
  EXPECT_THAT(trial.result.err, HasSubstr("timed steps belong to the trial"));
  std::vector<std::string> throughout = kAllTimed;
  throughout.insert(throughout.end(), {"--variable_update=replicated", "--bucket_mb=4"});
  const TrialRun one = run_lenet(scratch_folder("cache"), throughout);
  ASSERT_EQ(one.result.exit_code, 0) << one.result.err;
  // The L2 term is summed up bucket by bucket; the training itself is the same in every bit.
  const std::vector<double> expected = losses(one.record);
  const std::vector<double> actual = losses(trial.record);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 1e-6 * expected[i]) << "step " << i + 1;
  EXPECT_EQ(trial.record["parameter_hash"], one.record["parameter_hash"]);
  EXPECT_EQ(actual.size(), 44u);
}

TEST(AutoTrialEndToEnd, FitsTheTrialIntoTheWarmUpAndRemembersTheWinner) {
  const std::string cache = scratch_folder("cache");
  const TrialRun first = run_lenet(cache, {"--auto=measure", "--num_batches=30"});
  ASSERT_EQ(first.result.exit_code, 0) << first.result.err;
  const nlohmann::json& selection = first.record["selection"];
  EXPECT_GE(first.record["warmup_steps"], selection["trial"]["steps"]);
  EXPECT_EQ(first.record["steps"].size(), 30u);
  EXPECT_THAT(first.result.err, Not(HasSubstr("belong to the trial")));
  EXPECT_THAT(first.result.err, HasSubstr("measured in"));
  EXPECT_THAT(selection["flags"].get<std::string>(),
              HasSubstr(first.record["strategy"]["name"].get<std::string>()));
  const TrialRun again = run_lenet(cache, {"--num_batches=3"});
  EXPECT_EQ(again.record["selection"]["origin"], "remembered");
  EXPECT_EQ(again.record["selection"]["flags"], selection["flags"]);
  EXPECT_EQ(again.record["selection"]["trial"], selection["trial"]);
  EXPECT_EQ(again.record["warmup_steps"], 10);
  EXPECT_THAT(again.result.err, HasSubstr("remembered: the best of"));
}

TEST(AutoTrialEndToEnd, OfTooFewStepsTriesLessOrNothing) {
  const TrialRun few = run_lenet(scratch_folder("cache"),
                                 {"--auto=measure", "--num_warmup_batches=2", "--num_batches=7"});
  ASSERT_EQ(few.result.exit_code, 0) << few.result.err;
  EXPECT_EQ(tried_count(few.record["selection"]["trial"]), 2) << few.result.err;
  const std::string cache = scratch_folder("cache");
  const TrialRun none =
      run_lenet(cache, {"--auto=measure", "--num_warmup_batches=1", "--num_batches=2"});
  ASSERT_EQ(none.result.exit_code, 0) << none.result.err;
  EXPECT_EQ(none.record["selection"]["origin"], "simulated");
  EXPECT_THAT(none.result.err, HasSubstr("3 steps are too few"));
}

TEST(AutoTrialEndToEnd, SavesInTheMiddleOfATrialAndGoesOnFromThere) {
  const std::string folder = scratch_folder("train");
  const std::vector<std::string> common = {"--num_warmup_batches=0", "--train_dir=" + folder};
  std::vector<std::string> begin = common;
  begin.insert(begin.end(), {"--auto=measure", "--num_batches=24", "--save_model_steps=5",
                             "--max_ckpts_to_keep=0"});
  const TrialRun first = run_lenet(scratch_folder("cache"), begin);
  ASSERT_EQ(first.result.exit_code, 0) << first.result.err;
  // As if it had ended after step 10, which belongs to the trial.
  for (const int step : {15, 20, 24}) {
    const auto later = std::filesystem::path(folder) / fmt::format("model-{}.safetensors", step);
    EXPECT_TRUE(std::filesystem::remove(later)) << later;
  }
  ASSERT_TRUE(std::filesystem::exists(folder + "/model-10.safetensors"));
  std::vector<std::string> rest = common;
  rest.insert(rest.end(), {"--variable_update=replicated", "--num_batches=30"});
  const TrialRun second = run_lenet(scratch_folder("cache"), rest);
  ASSERT_EQ(second.result.exit_code, 0) << second.result.err;
  const TrialRun whole =
      run_lenet(scratch_folder("cache"),
                {"--num_warmup_batches=0", "--variable_update=replicated", "--num_batches=30"});
  EXPECT_EQ(second.record["parameter_hash"], whole.record["parameter_hash"]);
}

void expect_strategy_of(const nlohmann::json& record, const std::string& flags) {
  const nlohmann::json& strategy = record["strategy"];
  std::istringstream words(flags);
  for (std::string word; words >> word;) {
    if (!word.starts_with("--") || word.starts_with("--bucket_mb=")) continue;
    const std::string name = word.substr(2, word.find('=') - 2);
    const nlohmann::json& there =
        name == "variable_update" ? strategy["name"] : strategy["options"][name];
    EXPECT_EQ(there, word.substr(word.find('=') + 1)) << flags << '\n' << strategy;
  }
}

TEST(AutoTrialEndToEnd, InterruptedInTheMiddleOfATrialRemembersNothing) {
  const std::string cache = scratch_folder("cache");
  const TrialRun run = run_lenet(cache,
                                 {"--auto=measure", "--num_warmup_batches=0", "--num_batches=2000",
                                  "--display_every=1", "--batch_size=64"},
                                 {.signal = SIGINT, .signal_after = "\n7\t"});
  EXPECT_EQ(run.result.exit_code, 130) << run.result.err;
  EXPECT_TRUE(run.record["interrupted"].get<bool>());
  EXPECT_LT(run.record["steps"].size(), 2000u);
  // On a machine that held the signal back the trial may have come to its end.
  EXPECT_THAT(run.result.err, AnyOf(HasSubstr("before it was decided"), HasSubstr("measured in")));
  const std::string ended_with = " of them were with ";
  const std::size_t at = run.result.err.find(ended_with);
  if (at == std::string::npos) return;
  const std::string flags = run.result.err.substr(at + ended_with.size());
  expect_strategy_of(run.record, flags.substr(0, flags.find('\n')));
}

TEST(AutoTrialEndToEnd, RefusesWhatItCannotKeepTo) {
  const auto refusal = [](const std::string& flag) {
    const TrialRun run = run_lenet(scratch_folder("cache"), {"--auto=measure", flag});
    EXPECT_EQ(run.result.exit_code, 2) << flag << '\n' << run.result.err;
    return run.result.err;
  };
  EXPECT_THAT(refusal("--deterministic=true"), HasSubstr("--auto=simulate"));
  EXPECT_THAT(refusal("--forward_only=true"), HasSubstr("trains nothing"));
  const ProgramResult plan = run_convoy({"plan", "--variable_update=auto", "--auto=measure",
                                         "--model=lenet", "--device=cpu", "--num_devices=2"});
  EXPECT_EQ(plan.exit_code, 2);
  EXPECT_THAT(plan.err, HasSubstr("convoy run --auto=measure"));
}

// A profile of this machine that says something else than the truth.
std::string wrong_profile(double factor) {
  const nlohmann::json list = parse_json(run_convoy({"list", "--json"}).out);
  std::string version;
  for (const nlohmann::json& plugin : list["plugins"])
    if (plugin["kind"] == "device" && plugin["name"] == "cpu")
      version = plugin["version"].get<std::string>();
  EXPECT_FALSE(version.empty()) << list.dump(2);
  calibrate::MachineProfile profile = calibrate::small_profile();
  profile.machine =
      calibrate::make_fingerprint(calibrate::read_processor_facts(), "cpu " + version);
  profile.operation_seconds /= factor;
  for (calibrate::TeamRates& team : profile.teams) {
    team.flops *= factor;
    team.stream_bytes *= factor;
    team.update_bytes *= factor;
  }
  for (calibrate::TeamLayers& team : profile.layers)
    for (simulate::LayerSample& sample : team.samples) sample.seconds /= factor;
  const std::string file = scratch_folder("profile") + "/profile.json";
  std::ofstream(file) << calibrate::profile_text(profile);
  return "--calibration_file=" + file;
}

TEST(DriftEndToEnd, IsSaidOnceWhenStepsLeaveThePrediction) {
  for (const double factor : {1000.0, 0.001}) {
    const TrialRun run = run_lenet(scratch_folder("cache"),
                                   {"--num_batches=25", "--auto=simulate", wrong_profile(factor)});
    ASSERT_EQ(run.result.exit_code, 0) << run.result.err;
    const std::string& err = run.result.err;
    const std::size_t at = err.find("the last 10 steps take");
    ASSERT_NE(at, std::string::npos) << err;
    EXPECT_EQ(err.find("the last 10 steps take", at + 1), std::string::npos) << err;
    EXPECT_THAT(err, HasSubstr(factor > 1 ? " times as long as the" : "steps take 1/"));
    EXPECT_THAT(err, HasSubstr(factor > 1 ? "changed since convoy calibrate"
                                          : "the machine is faster than"));
    EXPECT_THAT(run.record["notices"].dump(), HasSubstr("the last 10 steps take"));
  }
}

TEST(DriftEndToEnd, IsNotSaidWithoutACalibration) {
  const TrialRun run = run_lenet(scratch_folder("cache"), {"--num_batches=25", "--auto=simulate"});
  ASSERT_EQ(run.result.exit_code, 0) << run.result.err;
  EXPECT_THAT(run.result.err, Not(HasSubstr("the last 10 steps take")));
  EXPECT_THAT(run.result.err, HasSubstr("uncertain: the machine is not calibrated"));
}

}  // namespace
}  // namespace convoy
