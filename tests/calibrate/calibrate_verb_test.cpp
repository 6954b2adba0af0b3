#include "core/base/text/json.hpp"
#include "core/cli/verbs/verbs.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/calibrate/profile_file.hpp"
#include "core/job/openmp_environment.hpp"
#include "tests/cli/verb_outcome.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::calibrate_verb_test {
namespace {

using cli::run_calibrate_verb;
using cli::run_simulate_verb;
using cli::run_training_verb;

using Arguments = std::vector<std::string>;

constexpr const char* kPlugins = "--plugin_path=" CONVOY_OWN_PLUGINS;

std::string file_flag() {
  return "--calibration_file=" +
         (std::filesystem::path(scratch_folder("calibration")) / "machine.json").string();
}

std::string calibrate(const std::string& file, const Arguments& more) {
  job::set_openmp_environment();  // before the device plug-in is opened
  Arguments arguments = {kPlugins, "--quick", file};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return cli::said_by(run_calibrate_verb, arguments);
}

std::string refusal(const Arguments& arguments, cli::Verb* verb) {
  std::ostringstream ignored;
  return thrown_text([&] { verb(arguments, ignored, ignored); });
}

TEST(CalibrateVerbTest, SimulatePredictsWithWhatCalibrateMeasured) {
  const std::string file = file_flag();
  const nlohmann::json profile =
      parse_json(calibrate(file, {"--json", "--model=lenet", "--batch_size=2"}));
  EXPECT_GT(profile["teams"][0]["flops"], 1e8);
  EXPECT_LE(profile.value("disturbance", 0.0), 1);
  for (const nlohmann::json& check : profile["checks"]) {
    EXPECT_GT(check["predicted_seconds"], 0) << check;
    EXPECT_GT(check["measured_seconds"], 0) << check;
  }
  for (const char* count : {"1", "2", "4"}) {
    std::ostringstream out;
    std::ostringstream err;
    const Arguments arguments = {kPlugins,
                                 file,
                                 "--device=cpu",
                                 "--model=lenet",
                                 "--batch_size=2",
                                 "--variable_update=replicated",
                                 std::string("--num_devices=") + count};
    EXPECT_EQ(run_simulate_verb(arguments, out, err), 0) << err.str();
    EXPECT_NE(out.str().find("measured on "), std::string::npos) << out.str();
    EXPECT_EQ(err.str().find("not measured"), std::string::npos) << err.str();
  }
}

TEST(CalibrateVerbTest, ShowsWhatItMeasured) {
  const std::string text = calibrate(file_flag(), {});
  for (const char* part :
       {"GFLOP/s", "a + b GB/s", "host to device", "device to device", "one operation of a plan",
        "convolution 3x3", "fully_connected", "predicted ms", "mean error", "not measured: "})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

TEST(CalibrateVerbTest, RefusesWhatMakesNoSense) {
  EXPECT_NE(refusal({kPlugins, "now"}, run_calibrate_verb).find("'now'"), std::string::npos);
  EXPECT_NE(refusal({kPlugins, "--batch_size=4"}, run_calibrate_verb).find("--model"),
            std::string::npos);
  EXPECT_NE(refusal({kPlugins, "--model=lenet", "--batch_size=no", file_flag()}, run_calibrate_verb)
                .find("--batch_size=no"),
            std::string::npos);
  EXPECT_NE(
      refusal({kPlugins, "--calibration_file=/nowhere/at/all.json"}, run_calibrate_verb).size(),
      0u);
  EXPECT_EQ(refusal({kPlugins, "--calibration_file="}, run_calibrate_verb),
            "--calibration_file= names no file");
}

std::filesystem::path file_of(const std::string& flag) {
  return flag.substr(flag.find('=') + 1);
}

std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// What others took of the cores while the tests ran is not for them to say.
void write_disturbance(const std::filesystem::path& file, double share) {
  calibrate::MachineProfile profile = calibrate::read_profile(file);
  profile.disturbance = share;
  std::ofstream(file) << calibrate::profile_text(profile);
}

TEST(CalibrateVerbTest, ReplacesAFileOnlyWhenToldTo) {
  const std::string flag = file_flag();
  std::ofstream(file_of(flag)) << "precious\n";
  const std::string other = refusal({kPlugins, "--quick", flag}, run_calibrate_verb);
  EXPECT_NE(other.find("this program cannot read it as a calibration"), std::string::npos) << other;
  EXPECT_EQ(content(file_of(flag)), "precious\n");
  calibrate(flag, {"--force"});
  write_disturbance(file_of(flag), 0.5);
  const std::string before = content(file_of(flag));
  const std::string text = refusal({kPlugins, "--quick", flag}, run_calibrate_verb);
  for (const char* part : {"machine.json exists already", "measured on 2", "% off",
                           "other processes used 50 %", "--force", "--calibration_file"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
  EXPECT_EQ(content(file_of(flag)), before);
}

TEST(CalibrateVerbTest, SimulateSaysHowSureItIs) {
  const std::string flag = file_flag();
  calibrate(flag, {});
  const Arguments arguments = {kPlugins,         flag,
                               "--device=cpu",   "--model=lenet",
                               "--batch_size=2", "--variable_update=replicated"};
  for (const double share : {0.01, 0.5}) {
    write_disturbance(file_of(flag), share);
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(run_simulate_verb(arguments, out, err), 0) << err.str();
    EXPECT_NE(out.str().find("its checks were "), std::string::npos) << out.str();
    EXPECT_EQ(err.str().find("other processes used 50 %") != std::string::npos, share == 0.5)
        << err.str();
    EXPECT_EQ(err.str().find("calibrate --force") != std::string::npos, share == 0.5) << err.str();
  }
}

// It shows what was predicted, too.
TEST(CalibrateVerbTest, RunSaysHowSureItsPredictionIs) {
  const std::string flag = file_flag();
  calibrate(flag, {});
  const Arguments arguments = {kPlugins,          flag,
                               "--device=cpu",    "--model=lenet",
                               "--num_devices=1", "--batch_size=2",
                               "--num_batches=1", "--num_warmup_batches=0",
                               "--auto=simulate"};
  for (const double share : {0.01, 0.5}) {
    write_disturbance(file_of(flag), share);
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(run_training_verb(arguments, out, err), 0) << err.str();
    EXPECT_EQ(err.str().find("other processes used 50 %") != std::string::npos, share == 0.5)
        << err.str();
  }
}

TEST(CalibrateVerbTest, SimulateRefusesAFileThatIsMissingOrDamaged) {
  const std::string file = file_flag();
  const Arguments arguments = {kPlugins, file, "--device=cpu", "--model=lenet"};
  EXPECT_NE(refusal(arguments, run_simulate_verb).find("convoy calibrate"), std::string::npos);
  std::ofstream(file.substr(file.find('=') + 1)) << "{\n\"format\": 2,\n\"created\": 5\n}\n";
  const std::string text = refusal(arguments, run_simulate_verb);
  EXPECT_NE(text.find("machine.json:3"), std::string::npos) << text;
}

}  // namespace
}  // namespace convoy::calibrate_verb_test
