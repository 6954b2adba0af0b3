// What strategies are predicted to reach on described machines, to the bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/error.hpp"
#include "core/base/text/json.hpp"
#include "core/cli/verbs/verbs.hpp"
#include "tests/fingerprints/recorded.hpp"
#include "tests/fingerprints/variants.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy::testing {
namespace {

std::string simulated(std::vector<std::string> arguments) {
  const std::string file = scratch_folder("simulated") + "/record.json";
  arguments.push_back("--output_file=" + file);
  arguments.push_back("--plugin_path=" CONVOY_OWN_PLUGINS);
  std::ostringstream out;
  std::ostringstream err;
  try {
    if (cli::run_simulate_verb(arguments, out, err) != 0) return "failed: " + err.str();
  } catch (const Error& error) {
    return "refused: " + std::string(error.what());
  }
  const nlohmann::json record = parse_json(std::ifstream(file)).at("results").at(0);
  return fmt::format("{:a} images/s, step {:a} s, compute {:a} s, {}",
                     record.at("images_per_second").get<double>(),
                     record.at("step").at("seconds").get<double>(),
                     record.at("step").at("compute_seconds").get<double>(),
                     record.at("step").at("bottleneck").get<std::string>());
}

void add(std::vector<std::string>& lines, const Variant& variant,
         const std::vector<std::string>& where) {
  std::vector<std::string> arguments = {"--variable_update=" + variant.strategy};
  for (const auto& [option, value] : variant.options)
    arguments.push_back(fmt::format("--{}={}", option, value));
  arguments.insert(arguments.end(), where.begin(), where.end());
  std::string line;
  for (const std::string& argument : arguments) line += argument + ' ';
  lines.push_back(line + ": " + simulated(arguments));
}

TEST(Fingerprints, OfSimulations) {
  std::vector<std::string> lines;
  for (const Variant& variant : all_variants()) {
    if (is_packed(variant) && variant.options.size() > 2) continue;
    add(lines, variant, {"--model=lenet", "--platform=dgx1-p100", "--num_gpus=8"});
    if (is_packed(variant)) continue;
    add(lines, variant,
        {"--model=alexnet", "--platform=ec2-p2.8xlarge", "--num_gpus=8", "--gradient_clip_norm=1"});
    add(lines, variant, {"--model=lenet", "--platform=hgx-h200x8", "--num_gpus=8", "--use_fp16"});
  }
  for (const Variant& variant : host_variants())
    add(lines, variant, {"--model=lenet", "--platform=dgx1-p100", "--num_gpus=2", "--hosts=3"});
  for (const char* software : {"tensorflow-1.1", "convoy"})
    add(lines, {"replicated", {{"all_reduce_spec", "nccl"}}},
        {"--model=alexnet", "--platform=dgx1-p100", "--num_gpus=8",
         std::string("--software=") + software});
  expect_recorded("simulations.txt", lines);
}

}  // namespace
}  // namespace convoy::testing
