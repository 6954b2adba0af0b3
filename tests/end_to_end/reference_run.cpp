#include "tests/end_to_end/reference_run.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/json.hpp"
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
                                     "--device=cpu",
                                     "--num_intra_threads=1",
                                     "--initializer=hash",
                                     "--data_name=hash",
                                     "--seed=1",
                                     "--nodropout",
                                     "--num_warmup_batches=0",
                                     "--output_file=" + record};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const ProgramResult result = run_convoy(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return read_json(record).at("steps");
}

}  // namespace convoy
