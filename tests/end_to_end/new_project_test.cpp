// What an author does first: a project from convoy new, and the command lines that it prints.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/run_program.hpp"

namespace convoy::new_project_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The indented lines behind "next:", one after the other, until one fails.
std::string script_of(const std::string& printed) {
  std::istringstream lines(printed.substr(printed.find("next:\n") + 6));
  std::string script = "set -e\nexport CXX=" CONVOY_COMPILER "\n";
  for (std::string line; std::getline(lines, line);) script += line + "\n";
  return script;
}

// What a script says that has to succeed.
std::string log_of(const std::string& script, const fs::path& work) {
  std::ofstream(work / "script") << script;
  const std::string log = (work / "log").string();
  const int status =
      std::system(("sh '" + (work / "script").string() + "' > '" + log + "' 2>&1").c_str());
  EXPECT_EQ(status, 0) << script << text_of(log);
  return text_of(log);
}

TEST(NewProject, FromAShippedStrategyIsBuiltAndProvedByTheCommandsThatArePrinted) {
  const fs::path work = scratch_folder("new project");  // with a blank
  const fs::path project = work / "my own";
  const ProgramResult made =
      run_convoy({"new", "strategy", "my_own", "--from=gossip", "--directory=" + project.string()});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string source = text_of(project / "my_own.cpp");
  EXPECT_THAT(source, HasSubstr("\"name=my_own\""));
  EXPECT_THAT(source, Not(HasSubstr("name=gossip")));
  const std::string log = log_of(script_of(made.out), work);
  EXPECT_THAT(log, HasSubstr("my_own claims to be approximate: proved in"));
}

TEST(NewProject, OfAModelStartsWithALossThatSaysSomething) {
  const fs::path work = scratch_folder("new_model");
  const fs::path project = work / "small";
  const ProgramResult made =
      run_convoy({"new", "model", "small", "--directory=" + project.string()});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  log_of(script_of(made.out), work);
  const std::string record = (work / "run.json").string();
  const ProgramResult run =
      run_convoy({"run", "--model=" + (project / "build" / "small.so").string(), "--device=cpu",
                  "--num_devices=1", "--batch_size=64", "--num_batches=2", "--num_warmup_batches=0",
                  "--variable_update=replicated", "--output_file=" + record});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const double chance = std::log(10);  // that of ten classes, of which nothing is known
  const nlohmann::json result = parse_json(text_of(record));
  for (const auto& step : result.at("steps")) EXPECT_NEAR(step.at("loss").get<double>(), chance, 2);
}

TEST(NewProject, FromAStrategyThatHasNoSourceHereIsRefused) {
  const std::string folder = "--directory=" + (fs::path(scratch_folder("refused")) / "x").string();
  const ProgramResult unknown = run_convoy({"new", "strategy", "x", "--from=nothing", folder});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err,
              HasSubstr("--from=nothing: the source of that strategy is not here; available: "));
  EXPECT_THAT(unknown.err, HasSubstr(", gossip, "));
  const ProgramResult model = run_convoy({"new", "model", "x", "--from=gossip", folder});
  EXPECT_EQ(model.exit_code, 2);
  EXPECT_THAT(model.err, HasSubstr("only a strategy can start from another one"));
}

// The file is touched again and again until it has been seen: how long that takes says nothing.
TEST(CheckWatch, ChecksAgainWhenTheFileHasChanged) {
  const fs::path plugin = fs::path(scratch_folder("watch")) / "gossip.so";
  fs::copy_file(CONVOY_BINARY_DIR "/lib/convoy/plugins/gossip.so", plugin);
  std::atomic<bool> ended = false;
  std::thread author([&] {
    for (int seconds = 1; !ended; ++seconds) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      fs::last_write_time(plugin, fs::file_time_type::clock::now() + std::chrono::seconds(seconds));
    }
  });
  ProgramOptions options;
  options.signal = SIGINT;
  options.signal_after = "check 2 of " + plugin.string();
  const ProgramResult result = run_convoy(
      {"check", plugin.string(), "--watch", "--model=lenet", "--num_devices=2"}, options);
  ended = true;
  author.join();
  EXPECT_THAT(result.out, HasSubstr("check 1 of " + plugin.string()));
  EXPECT_THAT(result.out, HasSubstr("gossip claims to be approximate: proved in"));
  EXPECT_THAT(result.out, HasSubstr(options.signal_after));
  EXPECT_EQ(result.exit_code, 130) << result.err;
}

TEST(Explain, TellsAStepInWordsAndWhereItWaits) {
  const ProgramResult result = run_convoy({"explain", "--variable_update=zero1", "--model=resnet50",
                                           "--platform=dgx1-v100", "--num_gpus=4"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("zero1, 4 replicas: synchronous\n"));
  EXPECT_THAT(result.out, HasSubstr("\n  forward on 4 devices\n"));
  EXPECT_THAT(result.out, HasSubstr("reduce_scatter of gradients of 4 devices to scratch memory of "
                                    "4 devices: "));
  EXPECT_THAT(result.out, HasSubstr("apply of scratch memory of 4 devices to parameters of 4 "
                                    "devices: "));
  EXPECT_THAT(result.out, HasSubstr("Where a step waits on "));
  EXPECT_THAT(result.out, HasSubstr("Longest chain: "));
}

TEST(Explain, OfHostsOfWhichNothingIsKnownSaysSo) {
  const ProgramResult result =
      run_convoy({"explain", "--variable_update=ssp", "--model=lenet", "--hosts=2"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("copy (relaxed) of master variables of "));
  EXPECT_THAT(result.out, HasSubstr("describe the machine with --platform or --topology"));
}

}  // namespace
}  // namespace convoy::new_project_test
