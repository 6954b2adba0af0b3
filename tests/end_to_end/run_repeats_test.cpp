// Repeats of runs, runs that take turns, and what diff says of their records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/run_program.hpp"
#include "tests/environment.hpp"
#include "tests/sanitized.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy::run_repeats_test {

using testing::HasSubstr;
using testing::Not;

// A short run on one processor device, of two steps unless `more` says otherwise.
std::vector<std::string> lenet(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"run",
                                    "--model=lenet",
                                    "--device=cpu",
                                    "--num_devices=1",
                                    "--batch_size=2",
                                    "--num_batches=2",
                                    "--num_warmup_batches=0",
                                    "--variable_update=replicated"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

nlohmann::json record_in(const std::string& file) {
  return parse_json(std::ifstream(file));
}

TEST(RunRepeats, AreRunsOfTheirOwnAndMakeOneRecord) {
  const std::string file = scratch_folder("repeats") + "/repeated.json";
  const ProgramResult result =
      run_convoy(lenet({"--num_batches=5", "--repeat=3", "--output_file", file}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("median of 3 runs"));
  const nlohmann::json record = record_in(file);
  ASSERT_EQ(record.at("repeats").size(), 3u);
  EXPECT_EQ(record.at("repeats")[2].at("seconds").size(), 5u);
  const std::string total =
      fmt::format("total images/sec: {:.2f}\n", record["total"]["images_per_sec"].get<double>());
  EXPECT_THAT(result.out, HasSubstr(total)) << "the record is that of the median run";
  EXPECT_EQ(record["steps"].size(), 5u);
  EXPECT_THAT(record["command_line"].get<std::vector<std::string>>(),
              testing::IsSupersetOf({std::string("--repeat=3"), file}));
  EXPECT_EQ(record["flags"]["output_file"], file);
  EXPECT_EQ(record["flags"]["repeat"], "3");
  EXPECT_THAT(run_convoy({"diff", file, file}).out, HasSubstr("Welch"));
  EXPECT_EQ(run_convoy({"run", "--repeat=2", "--train_dir=/tmp"}).exit_code, 2);
}

TEST(RunRepeats, SayWhatIsPrintedForASingleRunOnly) {
  const ProgramResult result = run_convoy(lenet({"--repeat=2", "--profile", "--deterministic"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* flag : {"--profile", "--deterministic"})
    EXPECT_THAT(result.err, HasSubstr(std::string(flag) + " prints nothing for several runs"));
  EXPECT_THAT(result.err, Not(HasSubstr("--print_parameter_hash")));
}

// The tasks of a launcher would join the first run only.
TEST(RunRepeats, AreNotForTasksOfALauncher) {
  const Environment environment(
      {{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "29500"}});
  const ProgramResult result = run_convoy(lenet({"--repeat=2"}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err,
              HasSubstr("--repeat: the tasks of a run on several hosts start together"));
}

TEST(RunRepeats, DiffTellsRunsApartAndUnlikeOnesByCode) {
  const std::string folder = scratch_folder("diff");
  const std::string record = folder + "/steady.json";
  ASSERT_EQ(run_convoy(lenet({"--num_batches=12", "--output_file", record})).exit_code, 0);
  // Steps of a busy machine may differ by more than twice.
  nlohmann::json other = record_in(record);
  for (std::size_t i = 0; i < other["steps"].size(); ++i)
    other["steps"][i]["seconds"] = 0.01 + 1e-4 * static_cast<double>(i % 3);
  std::ofstream(record) << other.dump();
  const ProgramResult same = run_convoy({"diff", record, record});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("no difference seen"));
  EXPECT_EQ(same.err, "");
  nlohmann::json interrupted = other;
  interrupted["interrupted"] = true;
  std::ofstream(folder + "/interrupted.json") << interrupted.dump();
  EXPECT_THAT(
      run_convoy({"diff", record, folder + "/interrupted.json"}).err,
      HasSubstr(
          "interrupted.json: the run was interrupted; what is compared is its 12 timed steps"));
  for (auto& step : other["steps"]) step["seconds"] = 2 * step["seconds"].get<double>();
  std::ofstream(folder + "/slow.json") << other.dump();
  const ProgramResult slow =
      run_convoy({"diff", record, folder + "/slow.json", "--fail_below=0.97"});
  EXPECT_EQ(slow.exit_code, 4) << slow.out;
  EXPECT_THAT(slow.out, HasSubstr("slower by 100.0 %"));
  other["environment"]["cpu"] = "another";
  std::ofstream(folder + "/other.json") << other.dump();
  EXPECT_EQ(run_convoy({"diff", record, folder + "/other.json"}).exit_code, 2);
  EXPECT_EQ(run_convoy({"diff", record, folder + "/other.json", "--force"}).exit_code, 0);
}

// Every flag may be a variable or in a flag file. The runs themselves do not have this one.
TEST(RunRepeats, MayBeAskedForByTheEnvironment) {
  if (kSanitized) GTEST_SKIP() << "the same code as with words; cli_test has its variables";
  const std::string flags = scratch_folder("repeats_flags") + "/flags.txt";
  std::ofstream(flags) << "--repeat=2\n";
  for (const auto& [name, value] :
       {std::pair<const char*, std::string>{"CONVOY_REPEAT", "2"}, {"CONVOY_FLAGFILE", flags}}) {
    const Environment environment(Environment::Values{{name, value}});
    const ProgramResult result = run_convoy(lenet({}));
    EXPECT_EQ(result.exit_code, 0) << name << ": " << result.err;
    EXPECT_THAT(result.out, HasSubstr("median of 2 runs")) << name;
  }
  const Environment environment(
      Environment::Values{{"CONVOY_AGAINST", "--batch_size=1"}, {"CONVOY_REPEAT", "2"}});
  const ProgramResult turns = run_convoy(lenet({}));
  EXPECT_EQ(turns.exit_code, 0) << turns.err;
  EXPECT_THAT(turns.out, HasSubstr("2 pairs of runs that took turns"));
}

// Its runs would continue each other's training, and the environment may be meant for other
// commands.
TEST(RunRepeats, ComparedRunsLeaveOutWhatTheEnvironmentSaysOfOneRun) {
  const std::string checkpoints = scratch_folder("compared_runs") + "/checkpoints";
  const Environment environment(Environment::Values{{"CONVOY_AGAINST", "--batch_size=1"},
                                                    {"CONVOY_REPEAT", "2"},
                                                    {"CONVOY_TRAIN_DIR", checkpoints}});
  const ProgramResult cells =
      run_convoy({"compare", "--models=lenet", "--device=cpu", "--num_devices=1", "--batch_size=2",
                  "--num_batches=2", "--num_warmup_batches=0", "--strategies=replicated"});
  EXPECT_EQ(cells.exit_code, 0) << cells.err;
  EXPECT_THAT(cells.err, HasSubstr("as many as with 1 device, "));
  EXPECT_THAT(cells.err, HasSubstr("CONVOY_TRAIN_DIR=" + checkpoints + ": without effect"));
  EXPECT_FALSE(std::filesystem::exists(checkpoints));
}

// One signal ends all runs. Those that have finished are the record.
TEST(RunRepeats, InterruptedOnesKeepTheRunsThatHaveFinished) {
  const std::string file = scratch_folder("interrupted") + "/interrupted.json";
  const std::string temporary = scratch_folder("interrupted_temporary");
  const Environment environment(Environment::Values{{"TMPDIR", temporary}});
  for (const char* more : {"--repeat=1000", "--against=--batch_size=1"}) {
    std::filesystem::remove(file);
    const ProgramResult result = run_convoy(lenet({"--repeat=1000", "--output_file=" + file, more}),
                                            {.signal = SIGTERM, .signal_after = "run 1: "});
    EXPECT_EQ(result.exit_code, 143) << more << result.err;
    EXPECT_THAT(result.out, HasSubstr("total images/sec: ")) << more;
    const nlohmann::json record = record_in(file);
    EXPECT_TRUE(record.at("interrupted").get<bool>()) << more;
    EXPECT_EQ(record.at("exit_status"), 143) << more;
    const std::size_t repeats = record.at("repeats").size();
    EXPECT_GE(repeats, 1u) << more;
    EXPECT_LT(repeats, 1000u) << more;
    EXPECT_TRUE(std::filesystem::is_empty(temporary)) << more;
  }
}

// The other program is this one until its third call, which fails.
TEST(RunRepeats, AFailedOneKeepsTheRunsThatHaveFinished) {
  const std::string folder = scratch_folder("failed_repeat");
  const std::string program = folder + "/other.sh";
  std::ofstream(program) << "#!/bin/sh\necho >> " << folder << "/calls\n[ $(wc -l < " << folder
                         << "/calls) -lt 3 ] || exit 7\nexec " << ProgramOptions{}.program
                         << " \"$@\"\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string file = folder + "/kept.json";
  const ProgramResult result =
      run_convoy(lenet({"--against_program=" + program, "--output_file", file}));
  EXPECT_EQ(result.exit_code, 7) << result.err;
  EXPECT_THAT(result.err, HasSubstr("run 3 of 5"));
  EXPECT_THAT(result.out, HasSubstr("median of 2 runs"));
  EXPECT_EQ(record_in(file).at("repeats").size(), 2u);
}

TEST(RunRepeats, TakeTurnsWithThoseOfOtherFlagsAndSayWhichIsFaster) {
  const std::string folder = scratch_folder("turns");
  const std::string file = folder + "/turns.json";
  const ProgramResult result =
      run_convoy(lenet({"--batch_size=4", "--num_batches=60", "--repeat=2",
                        "--against=--batch_size=2  --num_batches=20", "--output_file", file}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("2 pairs of runs that took turns"));
  EXPECT_THAT(result.out, HasSubstr("--batch_size: 2 and 4"));
  const nlohmann::json own = record_in(file);
  const nlohmann::json other = record_in(folder + "/turns.against.json");
  ASSERT_EQ(own.at("repeats").size(), 2u);
  ASSERT_EQ(other.at("repeats").size(), 2u);
  EXPECT_EQ(own.at("repeats")[1].at("seconds").size(), 60u);
  EXPECT_EQ(other.at("repeats")[1].at("seconds").size(), 20u);
  for (const nlohmann::json* record : {&own, &other})
    for (const nlohmann::json& repeat : record->at("repeats"))
      EXPECT_EQ(repeat.at("standstills").at(0), 1) << "the first turn ends with a timed step";
  const ProgramResult again = run_convoy({"diff", folder + "/turns.against.json", file});
  EXPECT_THAT(again.out, HasSubstr("2 pairs of runs that took turns"));
}

TEST(RunRepeats, OnePairIsOnePair) {
  const ProgramResult result =
      run_convoy(lenet({"--num_batches=3", "--repeat=1", "--against=--batch_size=2"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, Not(HasSubstr("pairs of runs")));
}

// The total has the steps' times and nothing else, although another run had the machine meanwhile.
TEST(RunRepeats, TurnsOfOthersArePartOfNoStepAndNoTotal) {
  if (kSanitized) GTEST_SKIP() << "the same code as in the case before; this one is about times";
  const std::string file = scratch_folder("turns_of_others") + "/turns.json";
  const ProgramResult result =
      run_convoy(lenet({"--batch_size=16", "--num_batches=60", "--repeat=2", "--against=--quiet",
                        "--output_file", file}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json record = record_in(file);
  double steps = 0;
  for (const auto& step : record.at("steps")) steps += step.at("seconds").get<double>();
  EXPECT_NEAR(record.at("total").at("seconds").get<double>() / steps, 1, 0.05);
}

TEST(RunRepeats, TurnsWithWhatCannotTakeThemAreRefused) {
  const auto refusal = [](const std::string& flag, const std::string& more) {
    const ProgramResult result = run_convoy({"run", "--model=lenet", "--device=cpu", flag, more});
    EXPECT_EQ(result.exit_code, 2) << flag;
    return result.err;
  };
  EXPECT_THAT(refusal("--against=batch_size=2", "--quiet"), HasSubstr("is not a flag"));
  EXPECT_THAT(refusal("--against=", "--quiet"), HasSubstr("names no flags"));
  EXPECT_THAT(refusal("--against=--repeat=2", "--quiet"), HasSubstr("applies to all runs"));
  EXPECT_THAT(refusal("--against=--train_dir=/tmp", "--quiet"), HasSubstr("is for one run"));
  EXPECT_THAT(refusal("--against=--batch_size=2", "--train_dir=/tmp"), HasSubstr("leave out one"));
  EXPECT_THAT(refusal("--against=--batch_size=2", "--input_only"),
              HasSubstr("--against and --input_only"));
  EXPECT_THAT(refusal("--against=--no_such_flag", "--quiet"), HasSubstr("no_such_flag"));
  EXPECT_THAT(refusal("--against_program=/no/convoy", "--quiet"), HasSubstr("No such file"));
}

TEST(RunRepeats, AgainstAProgramThatIsNoConvoyIsAnErrorThatNamesIt) {
  for (const std::string program : {"/bin/true", "/bin/false"}) {
    const ProgramResult result = run_convoy(lenet({"--against_program=" + program}));
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_THAT(result.err, HasSubstr(program + " (is it a convoy?): it "));
    EXPECT_THAT(result.err, Not(HasSubstr("internal error")));
  }
}

}  // namespace convoy::run_repeats_test
