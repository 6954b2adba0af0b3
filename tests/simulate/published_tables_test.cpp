#include "tests/simulate/published_tables.hpp"

#include <gtest/gtest.h>

namespace convoy::testing {
namespace {

std::vector<PredictedCell> predicted(const std::string& title) {
  for (const PublishedTable& table :
       read_published_tables(CONVOY_SOURCE_DIR "/tests/simulate/published_tables.json"))
    if (table.title() == title) return predict_table(read_foresight("tensorflow-1.1"), table);
  ADD_FAILURE() << "no table " << title;
  return {};
}

std::string listed(const std::vector<PredictedCell>& cells) {
  std::string text;
  for (const PredictedCell& cell : cells)
    text += cell.model + " on " + std::to_string(cell.devices) +
            " GPUs: " + std::to_string(cell.published) + " published, " +
            std::to_string(cell.predicted) + " predicted\n";
  return text;
}

// The simulator with one set of constants, against what a reader of the tables could do without
// one: multiply by the number of GPUs, or fit one efficiency per number of GPUs to the very table.
void expect_foreseen(const std::string& title, std::size_t count, double mean, double worst) {
  const std::vector<PredictedCell> cells = predicted(title);
  ASSERT_EQ(cells.size(), count);
  const Errors simulated = errors_of(cells);
  EXPECT_LE(simulated.mean, mean) << listed(cells);
  EXPECT_LE(simulated.worst, worst) << simulated.worst_cell << '\n' << listed(cells);
  EXPECT_LT(simulated.mean, 0.5 * linear_errors(cells).mean);
}

TEST(PublishedTablesTest, Dgx1IsForeseen) {
  expect_foreseen("NVIDIA DGX-1, main results, synthetic", 15, 0.03, 0.10);
}

TEST(PublishedTablesTest, ComputeEngineIsForeseen) {
  expect_foreseen("Google Compute Engine, main results, synthetic", 15, 0.03, 0.10);
}

TEST(PublishedTablesTest, Ec2IsForeseen) {
  expect_foreseen("Amazon EC2, main results, synthetic", 15, 0.03, 0.10);
}

TEST(PublishedTablesTest, EightHostsOfEc2AreForeseen) {
  expect_foreseen("Amazon EC2 Distributed, main results, synthetic", 12, 0.05, 0.10);
}

TEST(PublishedTablesTest, RealDataOnDgx1AreForeseen) {
  expect_foreseen("NVIDIA DGX-1, main results, real", 14, 0.05, 0.15);
}

TEST(PublishedTablesTest, RealDataOnComputeEngineAreForeseen) {
  expect_foreseen("Google Compute Engine, main results, real", 15, 0.05, 0.15);
}

TEST(PublishedTablesTest, RealDataOnEc2AreForeseen) {
  expect_foreseen("Amazon EC2, main results, real", 14, 0.05, 0.15);
}

}  // namespace
}  // namespace convoy::testing
