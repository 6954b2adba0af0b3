#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/simulate/simulate.hpp"
#include "tests/simulate/published_tables.hpp"

namespace convoy::testing {

// A strategy with its options, as the tables' authors would name it.
struct Configuration {
  std::string name;
  std::string strategy;
  std::string option;
};

// What tf_cnn_benchmarks offered on one host in May 2017: variables on the processor or on the
// GPUs, or copies of them with gradients summed on the GPUs in turn or by NCCL.
const std::vector<Configuration>& configurations_of_2017();
// These, and gradients summed on the processor.
const std::vector<Configuration>& configurations_with_sums_on_host();

// What a prediction rests on besides the plan.
struct Constants {
  simulate::SoftwareProfile software;
  simulate::MachineConstants machine;
  std::uint32_t iterations = simulate::SimulationOptions{}.iterations;
};

// Images per second by configuration, in their order.
using Rates = std::vector<double>;

// A model on a machine, planned by several configurations. Plans are kept: they do not depend on
// constants.
class StrategyChoice {
 public:
  // The row says model, batch and which configuration its rate of one GPU was measured with.
  StrategyChoice(const Foresight& foresight, const std::string& platform, const PublishedRow& row,
                 const std::vector<Configuration>& configurations);
  ~StrategyChoice();
  StrategyChoice(StrategyChoice&&) noexcept;

  const PublishedRow& row() const { return row_; }
  // Index of the row's configuration.
  std::size_t published() const { return published_; }
  Constants constants() const;
  // Under these constants, with layers scaled so that they reproduce the rate of one GPU.
  Rates rates(const Constants& constants, std::uint32_t devices);

 private:
  class Planned;
  topology::Platform platform() const;

  const Foresight& foresight_;
  std::string platform_;
  PublishedRow row_;
  std::size_t published_ = 0;
  std::vector<std::unique_ptr<Planned>> planned_;
};

std::size_t best_of(const Rates& rates);
// What the choice loses against the best, as a part of the best rate.
double loss_of(const Rates& rates, std::size_t choice);

// The advice of TensorFlow's performance guide of 2017, which needs no simulator: K80 with peer
// access, variables on the GPUs; K80 without, on the processor; faster GPUs, large networks by NCCL
// and small ones on the processor. Index into the configurations of 2017.
std::size_t human_rule(const std::string& platform, const std::string& model);

// What is chosen for a published row and number of GPUs, and what it loses.
struct ChosenCell {
  std::string platform;
  std::string model;
  std::uint32_t devices = 0;
  std::size_t published = 0;
  std::size_t best = 0;
  double loss = 0;                // of the published configuration
  double human_loss = 0;          // of human_rule()
  std::vector<double> disturbed;  // of what is best under wrong constants, per draw
};

// For every row of the tables of one host with synthetic data. Draws of constants that are wrong by
// up to 30 % are made for 8 GPUs.
std::vector<ChosenCell> chosen_cells(const Foresight& foresight, std::uint32_t draws);

struct ChoiceSummary {
  std::size_t cells = 0;
  std::size_t within = 0;  // published configuration within 2 % of the best
  std::size_t cells_at_8 = 0;
  std::size_t within_at_8 = 0;
  double regret = 0;  // mean of all draws
  double worst_regret = 0;
  double human_regret = 0;  // mean at 8 GPUs, where the draws are
};
inline constexpr double kNearBest = 0.02;
ChoiceSummary summary_of(const std::vector<ChosenCell>& cells);

// All constants, each wrong by a factor of its own between 1 - spread and 1 + spread.
Constants disturbed(const Constants& constants, double spread, std::uint32_t seed);

}  // namespace convoy::testing
