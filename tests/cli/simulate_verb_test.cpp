#include "core/cli/simulate_verb.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy {
namespace {

// What the verb prints; the flags besides model and plug-ins.
std::string simulate(std::vector<std::string> arguments) {
  arguments.push_back("--model=lenet");
  arguments.push_back("--plugin_path=" CONVOY_OWN_PLUGINS);
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run_simulate_verb(arguments, out, err), 0) << err.str();
  return out.str();
}

std::string refusal(const std::vector<std::string>& arguments) {
  try {
    simulate(arguments);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

nlohmann::json record(const std::vector<std::string>& flags) {
  const std::filesystem::path file =
      std::filesystem::path(scratch_folder("record")) / "simulated.json";
  std::vector<std::string> arguments = flags;
  arguments.push_back("--output_file=" + file.string());
  simulate(arguments);
  return nlohmann::json::parse(std::ifstream(file));
}

TEST(SimulateVerbTest, PrintsATotalMarkedSimulatedAndWhereTheTimeGoes) {
  const std::string text =
      simulate({"--platform=dgx1-p100", "--num_gpus=8", "--variable_update=replicated"});
  for (const char* part : {"training (simulated)", "dgx1-p100", "Software:    convoy",
                           "total images/sec: ", "Longest chain: compute", "Bottleneck: "})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

TEST(SimulateVerbTest, AListOfCountsGivesATable) {
  const nlohmann::json json =
      record({"--platform=dgx1-p100", "--num_gpus=1,2,8", "--variable_update=replicated",
              "--all_reduce_spec=nccl", "--images_per_sec=10000"});
  ASSERT_EQ(json["results"].size(), 3u);
  EXPECT_NEAR(json["results"][0]["images_per_second"].get<double>(), 10000, 1);
  EXPECT_EQ(json["results"][2]["devices"], 8);
  EXPECT_GT(json["results"][2]["images_per_second"], json["results"][1]["images_per_second"]);
  EXPECT_LE(json["results"][2]["efficiency"], 1.0);
  EXPECT_FALSE(json["results"][2]["step"]["links"].empty());
}

TEST(SimulateVerbTest, SeveralHostsHaveAsManyDevicesEach) {
  const nlohmann::json json =
      record({"--platform=ec2-p2.8xlarge", "--hosts=4", "--num_gpus=2",
              "--variable_update=replicated", "--all_reduce_spec=collective"});
  EXPECT_EQ(json["results"][0]["devices"], 8);
  EXPECT_EQ(json["hosts"], 4);
}

TEST(SimulateVerbTest, CpuDevicesOfThisMachineHaveRatesOfTheirOwn) {
  setenv("XDG_CACHE_HOME", scratch_folder("cache").c_str(), 1);  // no calibration
  const nlohmann::json json = record({"--device=cpu", "--num_devices=1,2,4"});
  ASSERT_EQ(json["results"].size(), 3u);
  const double one = json["one_device_images_per_second"].get<double>();
  EXPECT_GT(one, 0);
  for (const auto& result : json["results"])
    EXPECT_LE(result["images_per_second"].get<double>(), 1.5 * one) << "they share the cores";
  EXPECT_NE(json["machine"].get<std::string>().find("this machine"), std::string::npos);
}

TEST(SimulateVerbTest, AGivenRateReplacesThoseOfThisMachine) {
  setenv("XDG_CACHE_HOME", scratch_folder("cache").c_str(), 1);
  const nlohmann::json json = record({"--device=cpu", "--num_devices=1", "--images_per_sec=100",
                                      "--variable_update=parameter_server"});
  EXPECT_NEAR(json["results"][0]["images_per_second"].get<double>(), 100, 0.1);
}

TEST(SimulateVerbTest, CpuDevicesAreThoseOfOneHost) {
  EXPECT_NE(refusal({"--device=cpu", "--hosts=2"}).find("--platform"), std::string::npos);
}

TEST(SimulateVerbTest, OtherSoftwareIsNamedInThePrediction) {
  const nlohmann::json json =
      record({"--platform=gce-k80x8", "--num_gpus=4", "--software=tensorflow-1.1",
              "--variable_update=parameter_server"});
  EXPECT_NE(json["software"].get<std::string>().find("tensorflow-1.1"), std::string::npos);
}

TEST(SimulateVerbTest, TraceHasARowPerEngineAndPerLink) {
  const std::filesystem::path file = std::filesystem::path(scratch_folder("trace")) / "trace.json";
  simulate({"--platform=dgx1-p100", "--num_gpus=2", "--variable_update=parameter_server",
            "--trace_file=" + file.string()});
  const nlohmann::json trace = nlohmann::json::parse(std::ifstream(file));
  std::set<std::string> rows;
  for (const nlohmann::json& event : trace["traceEvents"])
    if (event["name"] == "thread_name") rows.insert(event["args"]["name"].get<std::string>());
  EXPECT_TRUE(rows.contains("compute"));
  EXPECT_TRUE(rows.contains("copy in"));
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const std::string& row) {
    return row.find(" -> ") != std::string::npos;
  }));
}

TEST(SimulateVerbTest, RefusalsNameWhatIsWrong) {
  EXPECT_NE(refusal({}).find("dgx1-p100"), std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx0"}).find("dgx1-p100"), std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx1-p100", "--num_gpus=16"}).find("8"), std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx1-p100", "--num_gpus=1,,2"}).find("--num_gpus=1,,2"),
            std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx1-p100", "--software=caffe"}).find("tensorflow-1.1"),
            std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx1-p100", "--output_file=x.csv"}).find(".json"),
            std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx1-p100", "--batch_size=10000000"}).find("does not fit"),
            std::string::npos);
}

}  // namespace
}  // namespace convoy
