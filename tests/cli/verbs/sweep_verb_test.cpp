#include "core/cli/verbs/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/process/in_parallel.hpp"
#include "core/base/text/json.hpp"
#include "core/cli/verbs/verbs.hpp"
#include "tests/cli/verb_outcome.hpp"
#include "tests/environment.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy::cli::sweep_verb_test {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  int exit_code;
  std::string out;
  nlohmann::json record;
  std::string err;
};

Outcome sweep(std::vector<std::string> arguments) {
  const std::string file = scratch_folder("sweep") + "/record.json";
  arguments.insert(arguments.end(), {"--plugin_path=" CONVOY_OWN_PLUGINS, "--platform=dgx1-p100",
                                     "--output_file=" + file});
  const VerbOutcome said = outcome_of(run_simulate_verb, arguments);
  return {said.code, said.out, parse_json(std::ifstream(file)), said.err};
}

TEST(SweepVerb, GivesEveryPointTheFiguresThatItHasAlone) {
  const nlohmann::json points = sweep({"--model=lenet,alexnet", "--hosts=1,2", "--batch_size=32,64",
                                       "--num_gpus=1,2", "--variable_update=replicated"})
                                    .record["points"];
  ASSERT_EQ(points.size(), 16u);
  const nlohmann::json& point = points[13];
  EXPECT_EQ(point["model"], "alexnet");
  EXPECT_EQ(point["batch_per_device"], 64);
  EXPECT_EQ(point["hosts"], 1);
  EXPECT_EQ(point["devices"], 2);
  const nlohmann::json alone = sweep({"--model=alexnet", "--hosts=1", "--batch_size=64",
                                      "--num_gpus=2", "--variable_update=replicated"})
                                   .record["results"][0];
  EXPECT_EQ(point["images_per_second"], alone["images_per_second"]);
  EXPECT_EQ(point["efficiency"], alone["efficiency"]);
  EXPECT_EQ(point["bottleneck"], alone["step"]["bottleneck"]);
  EXPECT_EQ(point["plan_hash"], alone["plan_hash"]);
}

TEST(SweepVerb, APointThatIsRefusedHasARowWithTheReason) {
  const Outcome outcome =
      sweep({"--model=lenet", "--num_gpus=1,9", "--hosts=1,2", "--variable_update=replicated"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.record["points"][1]["problem"].get<std::string>(), HasSubstr("9 GPUs"));
  EXPECT_EQ(outcome.record["points"][1]["exit_code"], 2);
  EXPECT_EQ(outcome.record["points"][2]["exit_code"], 0);
}

// Only local_sgd has the option.
TEST(SweepVerb, APointWhoseFlagsAreRefusedSaysWhichItIs) {
  const Outcome outcome = sweep({"--model=lenet", "--num_gpus=2", "--hosts=3", "--batch_size=16",
                                 "--local_steps=2", "--variable_update=local_sgd,replicated"});
  EXPECT_EQ(outcome.exit_code, 0);
  const nlohmann::json& point = outcome.record["points"][1];
  EXPECT_THAT(point["problem"].get<std::string>(), HasSubstr("--local_steps"));
  EXPECT_EQ(point["machine"], "dgx1-p100");
  EXPECT_EQ(point["model"], "lenet");
  EXPECT_EQ(point["variable_update"], "replicated");
  EXPECT_EQ(point["batch_per_device"], 16);
  EXPECT_EQ(point["hosts"], 3);
  EXPECT_EQ(point["devices"], 6);
}

TEST(SweepVerb, AMistakeOfTheWholeCommandLineIsTheCommandLines) {
  EXPECT_THROW(sweep({"--model=lenet", "--hosts=1,2", "--variable_update=replicated", "--nix=1"}),
               Error);
  EXPECT_THROW(sweep({"--model=lenet", "--hosts=1,2", "--trace_file=x.json"}), Error);
  for (const char* numbers : {"--batch_size=32,x", "--hosts=1,x", "--hosts=1,100000"})
    EXPECT_THROW(sweep({"--model=lenet", "--num_gpus=1,2", numbers}), Error) << numbers;
}

// No point could be simulated with it, whatever the others give.
TEST(SweepVerb, ANameThatIsNoneIsAMistakeOfTheCommandLine) {
  const auto code = [](std::vector<std::string> arguments) {
    arguments.emplace_back("--plugin_path=" CONVOY_OWN_PLUGINS);
    std::ostringstream out;
    try {
      run_simulate_verb(arguments, out, out);
    } catch (const Error& error) {
      EXPECT_EQ(out.str(), "");
      return error.code();
    }
    return ExitCode::kOk;
  };
  EXPECT_EQ(code({"--platform=dgx1-p100", "--model=lenet,lenett"}), ExitCode::kUnavailable);
  EXPECT_EQ(code({"--platform=dgx1-p100", "--model=lenett", "--batch_size=1,2"}),
            ExitCode::kUnavailable);
  EXPECT_EQ(code({"--platform=dgx1-p100", "--model=lenet", "--variable_update=replicated,nix"}),
            ExitCode::kUnavailable);
  EXPECT_EQ(code({"--platform=dgx1-p100,nix", "--model=lenet"}), ExitCode::kUsage);
  EXPECT_EQ(code({"--platform=dgx1-p100", "--model=alexnet,resnet20", "--data_name=cifar10",
                  "--num_gpus=1", "--variable_update=replicated"}),
            ExitCode::kOk);
}

std::string refusal(const std::string& flag) {
  try {
    sweep({"--model=lenet", "--hosts=1,2", "--variable_update=replicated", flag});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "it was accepted";
}

TEST(SweepVerb, RefusesByNameWhatItCannotDo) {
  for (const char* flag : {"--record_timeline", "--profile", "--repeat=3", "--against=--nix",
                           "--against_program=nix", "--export=chakra", "--forward_only"}) {
    const std::string name = flag;
    EXPECT_THAT(refusal(flag), HasSubstr(name.substr(0, name.find('='))));
  }
}

// A variable may be meant for other commands.
TEST(SweepVerb, LeavesOutWhatOnlyTheEnvironmentAsksFor) {
  const std::string trace = scratch_folder("sweep_variables") + "/trace.json";
  const Environment environment(Environment::Values{{"CONVOY_TRACE_FILE", trace},
                                                    {"CONVOY_RECORD_TIMELINE", "true"},
                                                    {"CONVOY_EXPORT", "chakra"}});
  const Outcome outcome =
      sweep({"--model=lenet", "--hosts=1,2", "--num_gpus=2", "--variable_update=replicated"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.record["points"].size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(trace));
  for (const std::string& variable :
       {"CONVOY_TRACE_FILE=" + trace, std::string("CONVOY_RECORD_TIMELINE=true"),
        std::string("CONVOY_EXPORT=chakra")})
    EXPECT_THAT(outcome.err, HasSubstr(variable + ": without effect"));
}

// Returns the exit code; messages go to `told`.
int sweep_lenet(std::stringbuf& told, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--plugin_path=" CONVOY_OWN_PLUGINS, "--platform=dgx1-p100",
                                     "--model=lenet", "--variable_update=replicated"});
  std::ostream err(&told);
  std::ostringstream out;
  return run_simulate_verb(arguments, out, err);
}

// Sends this process a signal when something is first written to it.
class SignalsWhenWritten : public std::stringbuf {
 protected:
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    if (!std::exchange(sent_, true)) ::raise(SIGTERM);
    return std::stringbuf::xsputn(text, count);
  }

 private:
  bool sent_ = false;
};

// The first point says that --mkl has no effect.
TEST(SweepVerb, AnInterruptedOneKeepsThePointsThatItHas) {
  const std::string file = scratch_folder("sweep_interrupted") + "/record.json";
  std::string batches = "1";
  constexpr int kPoints = 500;
  for (int batch = 2; batch <= kPoints; ++batch) batches += "," + std::to_string(batch);
  SignalsWhenWritten buffer;
  EXPECT_EQ(sweep_lenet(buffer, {"--num_gpus=1", "--mkl=true", "--batch_size=" + batches,
                                 "--output_file=" + file}),
            143);
  const nlohmann::json record = parse_json(std::ifstream(file));
  EXPECT_EQ(record["interrupted"], true);
  const std::size_t points = record["points"].size();
  EXPECT_GE(points, 1u);
  EXPECT_LT(points, static_cast<std::size_t>(kPoints));
}

// Counts what is written about points of 100 hosts and more, alone and while others are simulated.
class WatchesForCompany : public std::stringbuf {
 public:
  int alone() const { return alone_; }
  int beside_others() const { return beside_others_; }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    if (std::string_view(text, static_cast<std::size_t>(size)).find("of the 1") !=
        std::string_view::npos) {
      try {
        require_no_other_work();
        ++alone_;
      } catch (const OtherWorkGoesOn&) {
        ++beside_others_;
      }
    }
    return std::stringbuf::xsputn(text, size);
  }

 private:
  int alone_ = 0;
  int beside_others_ = 0;
};

// With more than 256 devices, a point says for how many of its hosts the plan was proved.
TEST(SweepVerb, SimulatesPointsOfManyHostsOneAtATime) {
  WatchesForCompany buffer;
  EXPECT_EQ(sweep_lenet(buffer, {"--num_gpus=4", "--hosts=100,1,101,2,102"}), 0) << buffer.str();
  EXPECT_EQ(buffer.alone(), 3) << buffer.str();
  EXPECT_EQ(buffer.beside_others(), 0) << buffer.str();
}

TEST(SweepVerb, WritesAReportWithItsCurves) {
  const std::string page = scratch_folder("sweep_report") + "/sweep.html";
  EXPECT_EQ(sweep({"--model=lenet", "--hosts=1,2", "--num_gpus=2", "--variable_update=replicated",
                   "--report=" + page})
                .exit_code,
            0);
  std::ostringstream html;
  html << std::ifstream(page).rdbuf();
  EXPECT_THAT(html.str(), HasSubstr("data-plot=\"scaling-lenet\""));
  EXPECT_THAT(html.str(), HasSubstr("Sweep of 2 points"));
  EXPECT_THAT(refusal("--report=sweep.txt"), HasSubstr(".html"));
}

TEST(SweepVerb, ItsRecordIsOneThatAReportIsMadeOf) {
  const std::string folder = scratch_folder("sweep_record");
  const Outcome outcome = sweep({"--model=lenet", "--hosts=1,2", "--num_gpus=2", "--batch_size=8",
                                 "--use_fp16", "--variable_update=replicated"});
  EXPECT_EQ(outcome.record["points"][0]["compute_dtype"], "half");
  std::ofstream(folder + "/sweep.json") << outcome.record.dump();
  std::ostringstream out;
  EXPECT_EQ(
      run_report_verb(
          std::vector<std::string>{folder + "/sweep.json", "-o", folder + "/sweep.html"}, out, out),
      0);
  EXPECT_TRUE(std::filesystem::exists(folder + "/sweep.html"));
}

TEST(SweepVerb, AutoChoosesForEveryPointAndSaysWhat) {
  const Outcome outcome = sweep({"--model=lenet", "--num_gpus=2", "--batch_size=16,512"});
  for (const nlohmann::json& point : outcome.record["points"]) {
    EXPECT_EQ(point["variable_update"], "auto");
    EXPECT_THAT(point["taken"].get<std::string>(), HasSubstr("--variable_update="));
    EXPECT_THAT(outcome.out, HasSubstr(point["taken"].get<std::string>()));
  }
}

}  // namespace
}  // namespace convoy::cli::sweep_verb_test
