#include "tests/end_to_end/reference_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/run_program.hpp"

namespace convoy {

nlohmann::json read_json(const std::string& path) {
  std::ifstream in(path);
  return parse_json(in);
}

nlohmann::json reference_steps(const std::vector<std::string>& more) {
  const std::string record = scratch_folder("reference_run") + "/run.json";
  std::vector<std::string> arguments{"run",
                                     "--model=lenet",
                                     "--num_intra_threads=1",
                                     "--initializer=hash",
                                     "--data_name=hash",
                                     "--seed=1",
                                     "--nodropout",
                                     "--num_warmup_batches=0",
                                     "--output_file=" + record};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const bool names_device = std::ranges::any_of(
      more, [](const std::string& argument) { return argument.starts_with("--device="); });
  if (!names_device) arguments.emplace_back("--device=cpu");
  const ProgramResult result = run_convoy(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return read_json(record).at("steps");
}

const nlohmann::json& golden_lenet() {
  static const nlohmann::json kGolden = read_json(CONVOY_SOURCE_DIR "/tests/golden/lenet.json");
  return kGolden;
}

void expect_golden_losses(std::vector<std::string> more, const nlohmann::json& golden) {
  // Float32 arithmetic deviates by 2.5e-7 in the reference itself; printing three decimals would
  // not pass.
  constexpr double kTolerance = 2e-6;
  more.emplace_back("--num_batches=4");
  const nlohmann::json steps = reference_steps(more);
  ASSERT_EQ(steps.size(), golden.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double expected = golden[i];
    EXPECT_NEAR(steps[i].at("loss").get<double>(), expected, kTolerance * std::fabs(expected))
        << "step " << i;
  }
}

}  // namespace convoy
