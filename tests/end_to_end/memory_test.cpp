// Peak memory of whole runs against what they planned. Each run is a process of its own.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/run_program.hpp"

namespace convoy {
namespace {

struct MemoryCase {
  const char* name;
  const char* devices;
  std::vector<std::string> strategy;
};

class PeakMemory : public ::testing::TestWithParam<MemoryCase> {};

// alexnet's 61 million parameters make a needless copy of them stand out; small batches keep the
// runs short.
TEST_P(PeakMemory, StaysNearWhatWasPlanned) {
  const std::string record_path = scratch_folder("memory") + "/record.json";
  std::vector<std::string> arguments{"run",
                                     "--model=alexnet",
                                     "--device=cpu",
                                     "--num_intra_threads=1",
                                     "--batch_size=1",
                                     "--num_batches=1",
                                     "--num_warmup_batches=1"};
  arguments.push_back(GetParam().devices);
  arguments.push_back("--output_file=" + record_path);
  for (const std::string& argument : GetParam().strategy) arguments.push_back(argument);
  const ProgramResult result = run_convoy(arguments);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::ifstream file(record_path);
  const auto memory = parse_json(file).at("memory");
  const double planned = memory.at("planned_bytes");
  const double peak = memory.at("peak_resident_bytes");
  constexpr double kFixed = 150e6;  // the program itself, its libraries and start-up
  EXPECT_LE(peak, 1.15 * planned + kFixed) << memory.dump(1);
  EXPECT_GE(peak, 0.9 * planned) << "a plan that is not used: " << memory.dump(1);
}

// The limit that a shell sets: `ulimit -v` in kB.
TEST(MemoryBeforeTheRun, IsThatWhichTheShellAllows) {
  const std::string script = scratch_folder("limited") + "/convoy";
  std::ofstream(script) << "#!/bin/sh\nulimit -v 2000000\nexec " CONVOY_BINARY_DIR
                           "/bin/convoy \"$@\"\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  ProgramOptions limited;
  limited.program = script;
  const ProgramResult result = run_convoy({"run", "--model=resnet50", "--device=cpu",
                                           "--variable_update=replicated", "--batch_size=64"},
                                          limited);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("ulimit -v allows 1.9 GiB"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("the largest --batch_size that fits is"), std::string::npos);
}

const auto kRunName = [](const auto& info) { return info.param.name; };

INSTANTIATE_TEST_SUITE_P(
    Runs, PeakMemory,
    ::testing::Values(
        MemoryCase{"OneDevice", "--num_devices=1", {"--variable_update=replicated"}},
        MemoryCase{"Independent", "--num_devices=2", {"--variable_update=independent"}},
        MemoryCase{"Replicated", "--num_devices=2", {"--variable_update=replicated"}},
        MemoryCase{"ParameterServer", "--num_devices=2", {"--variable_update=parameter_server"}},
        MemoryCase{"ParameterServerOnHost",
                   "--num_devices=2",
                   {"--variable_update=parameter_server", "--local_parameter_device=cpu"}}),
    kRunName);

}  // namespace
}  // namespace convoy
