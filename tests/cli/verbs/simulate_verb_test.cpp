#include "core/base/text/json.hpp"
#include "core/cli/verbs/verbs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/verb_outcome.hpp"
#include "tests/environment.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/support/thrown_text.hpp"
#include "tests/topology/machine_texts.hpp"
#include "topology/catalogue/platform.hpp"
#include "topology/graph/several_hosts.hpp"
#include "topology/read/machine_json.hpp"
#include "topology/read/nccl_reader.hpp"
#include "topology/write/hwloc_writer.hpp"

namespace convoy::cli::simulate_verb_test {
namespace {

// What the verb prints; the flags besides model and plug-ins.
std::string simulate(std::vector<std::string> arguments) {
  arguments.push_back("--model=lenet");
  arguments.push_back("--plugin_path=" CONVOY_OWN_PLUGINS);
  return said_by(run_simulate_verb, arguments);
}

std::string refusal(const std::vector<std::string>& arguments) {
  return thrown_text([&] { simulate(arguments); });
}

nlohmann::json record(const std::vector<std::string>& flags) {
  const std::filesystem::path file =
      std::filesystem::path(scratch_folder("record")) / "simulated.json";
  std::vector<std::string> arguments = flags;
  arguments.push_back("--output_file=" + file.string());
  simulate(arguments);
  return parse_json(std::ifstream(file));
}

TEST(SimulateVerbTest, PrintsATotalMarkedSimulatedAndWhereTheTimeGoes) {
  const std::string text =
      simulate({"--platform=dgx1-p100", "--num_gpus=8", "--variable_update=replicated"});
  for (const char* part : {"training (simulated)", "dgx1-p100", "Software:    convoy",
                           "total images/sec: ", "Longest chain: compute", "Bottleneck: "})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

// Four steps have one all_reduce.
TEST(SimulateVerbTest, CollectivesAreThoseOfAStepWherePeriodsHaveSeveral) {
  const auto collectives = [](const char* steps) {
    return record({"--platform=dgx1-p100", "--num_gpus=4", "--variable_update=local_sgd", steps})
        .at("results")[0]
        .at("step")
        .at("collectives")[0];
  };
  const nlohmann::json each = collectives("--local_steps=1");
  const nlohmann::json fourth = collectives("--local_steps=4");
  EXPECT_EQ(each.at("count"), 1);
  EXPECT_EQ(fourth.at("count"), 0.25);
  EXPECT_DOUBLE_EQ(fourth.at("bytes"), each.at("bytes").get<double>() / 4);
}

// What the verb says of a DGX-1 besides the prediction.
std::string notices(std::vector<std::string> flags) {
  flags.insert(flags.begin(),
               {"--platform=dgx1-p100", "--num_gpus=1", "--model=lenet",
                "--variable_update=replicated", "--plugin_path=" CONVOY_OWN_PLUGINS});
  return outcome_of(run_simulate_verb, flags).err;
}

TEST(SimulateVerbTest, SaysThatConvolutionsByDefinitionAreNotForeseen) {
  EXPECT_EQ(notices({}), "");
  EXPECT_NE(notices({"--nowinograd_nonfused"}).find("no effect on the prediction"),
            std::string::npos);
}

TEST(SimulateVerbTest, SaysThatACalibrationIsNotAboutGpus) {
  EXPECT_NE(
      notices({"--calibration_file=mine.json"}).find("--calibration_file=mine.json has no effect"),
      std::string::npos);
}

// Of 8 GPUs each. Proofs of the plans of all hosts would take longer than their simulation.
TEST(SimulateVerbTest, ManyHostsAreSimulatedWithTheProofForTheFirstOnes) {
  const auto told = [](const char* hosts, std::vector<std::string> strategy) {
    strategy.insert(strategy.end(), {"--platform=dgx1-p100", hosts, "--num_gpus=8", "--model=lenet",
                                     "--plugin_path=" CONVOY_OWN_PLUGINS ":" CONVOY_CLI_FIXTURES});
    std::ostringstream out;
    std::ostringstream err;
    const std::string thrown = thrown_text([&] { run_simulate_verb(strategy, out, err); });
    return thrown.empty() ? err.str() : thrown;
  };
  const std::string few = told("--hosts=32", {"--variable_update=replicated"});
  EXPECT_EQ(few.find("checked for"), std::string::npos) << few;
  const std::string many = told("--hosts=33", {"--variable_update=replicated"});
  EXPECT_NE(many.find("checked for 8 of the 33 hosts"), std::string::npos) << many;
  const std::string wrong = told("--hosts=33", {"--variable_update=careless", "--mistake=alone"});
  EXPECT_NE(wrong.find("is wrong: apply"), std::string::npos) << wrong;
}

// Unlike hosts, whose devices take steps of their own.
TEST(SimulateVerbTest, TheSlowestOfUnevenWorkersIsNamed) {
  const auto told = [](const char* platform) {
    return simulate({platform, "--num_gpus=1", "--batch_size=2048",
                     "--variable_update=parameter_server", "--cross_replica_sync=false"});
  };
  const std::string uneven = told("--platform=dgx1-v100:2+gce-k80x8");
  EXPECT_NE(uneven.find("Slowest worker: cuda:2, "), std::string::npos) << uneven;
  const std::string even = told("--platform=dgx1-v100:2");
  EXPECT_NE(even.find("Step times of single workers: "), std::string::npos) << even;
  EXPECT_EQ(even.find("Slowest worker"), std::string::npos) << even;
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

std::string written(const std::string& name, const std::string& text) {
  std::string file = scratch_folder("topology") + "/" + name;
  std::ofstream(file) << text;
  return file;
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += by.size())
    text.replace(at, part.size(), by);
  return text;
}

// The system has no file of such a name, which is no fault of its own.
TEST(SimulateVerbTest, NamesThatAreTooLongForFilesAreUnknownOnes) {
  const std::string name(300, 'a');
  for (const std::string& platform : {name, fmt::format("{0}:2+{0}", name)})
    EXPECT_NE(refusal({"--platform=" + platform}).find("no platform \"aaa"), std::string::npos);
  EXPECT_NE(
      refusal({"--platform=dgx1-p100", "--software=" + name}).find("no software profile \"aaa"),
      std::string::npos);
}

TEST(SimulateVerbTest, AFileThatCannotBeReadIsRefusedWithTheReason) {
  const std::filesystem::path folder = scratch_folder("platforms");
  std::filesystem::create_symlink("circle", folder / "circle");
  std::filesystem::create_symlink("/no/such/file", folder / "dangling");
  const auto expect_reason = [](const std::string& file, const std::string& reason) {
    for (const auto& flags :
         {std::vector{"--platform=" + file}, {"--platform=dgx1-p100", "--software=" + file}})
      EXPECT_NE(refusal(flags).find(fmt::format("{} cannot be read: {}", file, reason)),
                std::string::npos)
          << flags.back();
  };
  expect_reason(folder / "nothing", "No such file");
  expect_reason("nothing.json", "No such file");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_reason(folder / "pipe", "it is a pipe");
  expect_reason(folder / "dangling", "No such file");
  expect_reason(folder / "circle", "Too many levels of symbolic links");
  expect_reason(folder, "it is a folder");
}

// This machine may have GPUs.
Environment::Values no_gpus() {
  return {{"HWLOC_SYNTHETIC", "package:1 core:2 pu:1"}, {"HWLOC_COMPONENTS", std::nullopt}};
}

TEST(SimulateVerbTest, AMachinesFileInAnyFormAndThisMachineAreAsGoodAsThePlatform) {
  const std::filesystem::path share = std::filesystem::path(CONVOY_SOURCE_DIR) / "share";
  const topology::Machine machine =
      topology::read_platform(share / "platforms", "dgx1-p100", 1,
                              topology::Catalogue::read(share / "catalogue"))
          .machine;
  const std::vector<std::string> flags = {"--num_gpus=4", "--variable_update=replicated"};
  const auto rate = [&](const std::string& where) {
    std::vector<std::string> arguments = flags;
    arguments.push_back(where);
    return record(arguments)["results"][0]["images_per_second"].get<double>();
  };
  const double expected = rate("--platform=dgx1-p100");
  const std::string json = written("dgx1.json", topology::machine_to_json(machine).dump());
  EXPECT_NEAR(rate("--topology=" + json), expected, 1e-3 * expected);
  const std::string lstopo = written("dgx1.xml", topology::write_hwloc_xml(machine));
  EXPECT_NEAR(rate("--topology=" + lstopo), expected, 1e-3 * expected);
  {
    const Environment other_machine(this_machine_is(lstopo));
    EXPECT_NEAR(rate("--num_gpus=4"), expected, 1e-3 * expected);
  }
  const std::string nccl =
      written("nccl.xml",
              topology::write_nccl_dump(machine, topology::Catalogue::read(share / "catalogue")));
  EXPECT_NEAR(rate("--topology=" + nccl), expected, 1e-3 * expected);
}

TEST(SimulateVerbTest, SeveralHostsOfAMachinesFileAreAsFastAsThoseOfThePlatform) {
  const std::filesystem::path share = std::filesystem::path(CONVOY_SOURCE_DIR) / "share";
  const topology::Machine machine =
      topology::read_platform(share / "platforms", "ec2-p2.8xlarge", 1,
                              topology::Catalogue::read(share / "catalogue"))
          .machine;
  const auto results = [](const std::string& where) {
    const nlohmann::json json =
        record({where, "--hosts=3", "--num_gpus=2", "--variable_update=distributed_replicated"});
    return json["results"][0];
  };
  const nlohmann::json expected = results("--platform=ec2-p2.8xlarge");
  const std::string file = written("ec2.json", topology::machine_to_json(machine).dump());
  const nlohmann::json result = results("--topology=" + file);
  EXPECT_EQ(result["devices"], 6);
  const double rate = expected["images_per_second"].get<double>();
  EXPECT_NEAR(result["images_per_second"].get<double>(), rate, 1e-3 * rate);
  const topology::Machine cluster = topology::several_hosts(machine, 2);
  const std::string both = written("two.json", topology::machine_to_json(cluster).dump());
  for (const char* hosts : {"--hosts=1", "--hosts=2"})
    EXPECT_NE(refusal({"--topology=" + both, hosts})
                  .find("2 hosts of " + machine.name + " are described, and one host is wanted"),
              std::string::npos);
}

TEST(SimulateVerbTest, AnUnknownGpuIsRefusedWithWhatToAddUnlessItsRateIsGiven) {
  const std::string file =
      written("unknown.xml", replaced(topology::power8_xml("2.0"), "10de:15f9", "10de:9999"));
  const std::string problem = refusal({"--topology=" + file, "--num_gpus=2"});
  for (const char* part : {"10de:9999", "devices.json", "--images_per_sec"})
    EXPECT_NE(problem.find(part), std::string::npos) << part << " is not in " << problem;
  const nlohmann::json json =
      record({"--topology=" + file, "--num_gpus=2", "--images_per_sec=5000"});
  EXPECT_GT(json["results"][0]["images_per_second"].get<double>(), 5000);
}

// Such as that collectives may use peer access over root ports.
TEST(SimulateVerbTest, AMachinesJsonHasAllThatThePlatformSaysOfOneHost) {
  const std::filesystem::path share = std::filesystem::path(CONVOY_SOURCE_DIR) / "share";
  const auto catalogue = topology::Catalogue::read(share / "catalogue");
  const auto rate = [](const std::string& where) {
    return record({where, "--num_gpus=8", "--variable_update=replicated",
                   "--all_reduce_spec=nccl"})["results"][0]["images_per_second"]
        .get<double>();
  };
  for (const char* platform : {"rtx-pro-6000x8", "ec2-g5.48xlarge", "hgx-b300x8"}) {
    const topology::Machine machine =
        topology::read_platform(share / "platforms", platform, 1, catalogue).machine;
    const std::string json = written("machine.json", topology::machine_to_json(machine).dump());
    const double expected = rate(fmt::format("--platform={}", platform));
    EXPECT_NEAR(rate("--topology=" + json), expected, 1e-6 * expected) << platform;
  }
}

// The rates of memory and of links within a host follow from its processors.
TEST(SimulateVerbTest, SaysWhatIsAssumedOfProcessorsThatAreNotKnown) {
  const auto said = [](const std::string& text) {
    return outcome_of(run_simulate_verb,
                      {"--topology=" + written("machine.xml", text), "--model=lenet",
                       "--num_gpus=2", "--variable_update=replicated", "--images_per_sec=5000",
                       "--plugin_path=" CONVOY_OWN_PLUGINS})
        .err;
  };
  const std::string known = replaced(topology::power8_xml("2.0"), "a processor", "POWER8NVL");
  EXPECT_EQ(said(known).find("processor"), std::string::npos) << said(known);
  const std::string other = said(replaced(known, "POWER8NVL", "Z80"));
  EXPECT_NE(other.find("the catalogue does not know the processors, Z80"), std::string::npos)
      << other;
  const std::string none = said(replaced(known, "CPUModel", "Colour"));
  EXPECT_NE(none.find("machine.xml does not name its processors"), std::string::npos) << none;
  for (const std::string& text : {other, none})
    EXPECT_NE(text.find("60 GB/s of memory"), std::string::npos) << text;
}

// No networks' rates of AMD's or of NVIDIA's latest GPUs are in the tests' data.
TEST(SimulateVerbTest, SaysOfWhichGpusLayersTimesWereCompared) {
  for (const char* platform : {"--platform=mi300x8", "--platform=hgx-b300x8"})
    EXPECT_NE(simulate({platform, "--num_gpus=1"})
                  .find("of NVIDIA's GPUs from Pascal to Ada; others were not compared"),
              std::string::npos)
        << platform;
}

TEST(SimulateVerbTest, AThousandGpusOfOneHostTakeNoMinutes) {
  const std::string file = written("many.xml", topology::flat_bus_xml(1000));
  const nlohmann::json json = record({"--topology=" + file, "--num_gpus=1000",
                                      "--variable_update=replicated", "--all_reduce_spec=nccl"});
  EXPECT_EQ(json["results"][0]["devices"], 1000);
}

TEST(SimulateVerbTest, AFileWithoutGpusOrWithTooFewIsRefused) {
  const std::string plain = written("plain.xml", topology::plain_xml("3.0"));
  EXPECT_NE(refusal({"--topology=" + plain}).find("no GPU"), std::string::npos);
  const std::string file = written("power8.xml", topology::power8_xml("2.0"));
  EXPECT_NE(refusal({"--topology=" + file, "--num_gpus=5"}).find("has 4"), std::string::npos);
  EXPECT_NE(refusal({"--topology=" + file, "--hosts=2"}).find("no network card"),
            std::string::npos);
  EXPECT_NE(refusal({"--topology=" + file, "--platform=dgx1-p100"}).find("give one"),
            std::string::npos);
}

TEST(SimulateVerbTest, CpuDevicesOfThisMachineHaveRatesOfTheirOwn) {
  const Environment uncalibrated({{"CONVOY_CACHE_DIR", scratch_folder("cache")}});
  const nlohmann::json json = record({"--device=cpu", "--num_devices=1,2,4"});
  ASSERT_EQ(json["results"].size(), 3u);
  const double one = json["one_device_images_per_second"].get<double>();
  EXPECT_GT(one, 0);
  for (const auto& result : json["results"])
    EXPECT_LE(result["images_per_second"].get<double>(), 1.5 * one) << "they share the cores";
  EXPECT_NE(json["machine"].get<std::string>().find("this machine"), std::string::npos);
}

TEST(SimulateVerbTest, AGivenRateReplacesThoseOfThisMachine) {
  const Environment uncalibrated({{"CONVOY_CACHE_DIR", scratch_folder("cache")}});
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
  const nlohmann::json trace = parse_json(std::ifstream(file));
  std::set<std::string> rows;
  for (const nlohmann::json& event : trace["traceEvents"])
    if (event["name"] == "thread_name") rows.insert(event["args"]["name"].get<std::string>());
  EXPECT_TRUE(rows.contains("compute"));
  EXPECT_TRUE(rows.contains("copy in"));
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const std::string& row) {
    return row.find(" -> ") != std::string::npos;
  }));
}

TEST(SimulateVerbTest, WithoutAMachineItIsThisOnesProcessorsWhereItHasNoGpus) {
  const Environment without_gpus(no_gpus());
  const nlohmann::json json = record({"--variable_update=replicated", "--batch_size=2"});
  EXPECT_NE(json["machine"].get<std::string>().find("cores of this machine"), std::string::npos);
  EXPECT_NE(refusal({"--hosts=2"}).find("--platform"), std::string::npos);
}

TEST(SimulateVerbTest, TakesTheGpusThatAreListed) {
  const auto rate = [](const char* gpus) {
    return record({"--platform=dgx1-p100", "--variable_update=replicated", gpus})["results"][0];
  };
  // 0 and 1 have an NVLink, 0 and 5 none.
  const nlohmann::json near = rate("--gpu_indices=0,1");
  EXPECT_EQ(near["devices"], 2);
  EXPECT_EQ(near["images_per_second"], rate("--num_gpus=2")["images_per_second"]);
  EXPECT_GT(near["images_per_second"], rate("--gpu_indices=0,5")["images_per_second"]);
  // Replicas that share a GPU are foreseen as if they did not.
  EXPECT_EQ(rate("--gpu_indices=0,0")["devices"], 2);
  EXPECT_NE(refusal({"--platform=dgx1-p100", "--gpu_indices=0,8"}).find("GPU 8"),
            std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx1-p100", "--gpu_indices=99999999999999999999"}).find("GPU"),
            std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx1-p100", "--gpu_indices=0,GPU-a"})
                .find("lists GPU-a, which is the id of no GPU"),
            std::string::npos);
}

TEST(SimulateVerbTest, SixteenBitsOnSeveralHostsKeepTheLossScaleOnEach) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--variable_update=parameter_server"},
        {"--variable_update=replicated", "--fp16_enable_auto_loss_scale"}}) {
    std::vector<std::string> flags = {"--platform=dgx1-p100", "--hosts=2", "--num_gpus=2",
                                      "--use_fp16"};
    flags.insert(flags.end(), more.begin(), more.end());
    EXPECT_GT(record(flags)["results"][0]["images_per_second"], 0) << more.front();
  }
}

TEST(SimulateVerbTest, ExportsAnExecutionTraceOfEveryRank) {
  const std::string prefix = scratch_folder("chakra") + "/step";
  const std::string text =
      simulate({"--platform=dgx1-p100", "--num_gpus=4", "--variable_update=replicated",
                "--all_reduce_spec=collective", "--export=chakra", "--export_prefix=" + prefix});
  for (const char* rank : {"0", "1", "2", "3"})
    EXPECT_GT(std::filesystem::file_size(prefix + "." + rank + ".et"), 500u) << rank;
  EXPECT_FALSE(std::filesystem::exists(prefix + ".4.et"));
  EXPECT_NE(text.find("Execution traces: "), std::string::npos) << text;
  const VerbOutcome without =
      outcome_of(run_simulate_verb, {"--platform=dgx1-p100", "--model=lenet", "--export_prefix=x",
                                     "--plugin_path=" CONVOY_OWN_PLUGINS});
  EXPECT_NE(without.err.find("--export_prefix has no effect without --export"), std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx1-p100", "--hosts=1,2", "--export=chakra"}).find("--export"),
            std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx1-p100", "--hosts=1,2", "--export_prefix=x"})
                .find("--export_prefix is for a single simulation"),
            std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx1-p100", "--export=text"}).find("chakra"), std::string::npos);
}

TEST(SimulateVerbTest, RefusesRunsThatTrainNothingAndFlagsOfRuns) {
  for (const char* flag :
       {"--forward_only", "--input_only", "--profile", "--repeat=3", "--against=--batch_size=2"}) {
    const std::string name = flag;
    EXPECT_NE(refusal({"--platform=dgx1-p100", "--num_gpus=2",
                       "--data_dir=" CONVOY_SOURCE_DIR "/share/sample_data/imagenet", flag})
                  .find(name.substr(0, name.find('=', 3))),
              std::string::npos)
        << name;
  }
  EXPECT_NE(
      refusal({"--platform=dgx1-p100", "--eval", "--train_dir=kept"}).find("--eval is for runs"),
      std::string::npos);
}

TEST(SimulateVerbTest, TheRecordNamesTheArithmetic) {
  const std::vector<std::string> flags = {"--platform=dgx1-p100", "--num_gpus=2",
                                          "--variable_update=replicated"};
  EXPECT_EQ(record(flags)["compute_dtype"], "f32");
  std::vector<std::string> half = flags;
  half.emplace_back("--use_fp16");
  EXPECT_EQ(record(half)["compute_dtype"], "half");
}

TEST(SimulateVerbTest, RefusalsNameWhatIsWrong) {
  const Environment without_gpus(no_gpus());
  EXPECT_NE(refusal({"--num_gpus=2"}).find("dgx1-p100"), std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx0"}).find("dgx1-p100"), std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx1-p100", "--num_gpus=16"}).find('8'), std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx1-p100", "--num_gpus=1,,2"}).find("--num_gpus=1,,2"),
            std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx1-p100", "--software=caffe"}).find("tensorflow-1.1"),
            std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx1-p100", "--output_file=x.txt"}).find(".json"),
            std::string::npos);
  EXPECT_NE(refusal({"--platform=dgx1-p100", "--batch_size=10000000"}).find("does not fit"),
            std::string::npos);
}

}  // namespace
}  // namespace convoy::cli::simulate_verb_test
