#include "tests/simulate/strategy_choice.hpp"

#include <algorithm>

#include "core/base/numbers/hash_fill.hpp"
#include "core/plan/arena_map.hpp"
#include "core/plan/lower/lower.hpp"
#include "core/simulate/machine/described_constants.hpp"
#include "core/simulate/simulate.hpp"
#include "tests/simulate/workload.hpp"

namespace convoy::testing {

const std::vector<Configuration>& configurations_of_2017() {
  static const std::vector<Configuration> kList = {
      {"PS on CPU", "parameter_server", "--local_parameter_device=cpu"},
      {"PS on GPUs", "parameter_server", "--local_parameter_device=gpu"},
      {"copies", "replicated", "--local_parameter_device=gpu"},
      {"NCCL", "replicated", "--all_reduce_spec=nccl"}};
  return kList;
}

const std::vector<Configuration>& configurations_with_sums_on_host() {
  static const std::vector<Configuration> kList = [] {
    std::vector<Configuration> all = configurations_of_2017();
    all.push_back({"sums on CPU", "replicated", "--local_parameter_device=cpu"});
    return all;
  }();
  return kList;
}

// A model's plans by one configuration.
class StrategyChoice::Planned {
 public:
  Planned(const Configuration& configuration, const PublishedRow& row, bool per_variable)
      : batch_(row.batch),
        subject_(configuration.strategy, std::vector{configuration.option}, row.model),
        arena_(subject_.arena_map(0)) {
    if (per_variable) arena_.buckets = plan::variable_buckets(arena_);
  }

  double step_seconds(const topology::Platform& platform, const Constants& constants,
                      std::uint32_t devices, double scale) {
    simulate::SimulatedCluster cluster =
        simulate::make_gpu_cluster(platform.machine, devices, constants.machine);
    const auto [it, inserted] = plans_.try_emplace(devices);
    if (inserted) {
      it->second.cluster = std::move(cluster.cluster);
      it->second.lowered = plan::lower(subject_.plan(it->second.cluster, arena_));
    }
    std::vector<simulate::LayerTimes> layers;
    for (const simulate::SimulatedDevice& device : constants.machine.devices)
      layers.push_back(simulate::layer_times(subject_.graph(), batch_, device).scaled(scale));
    simulate::SimulationOptions options;
    options.software = constants.software;
    options.iterations = constants.iterations;
    return simulate::simulate(it->second.lowered, cluster.machine, layers, options).step_seconds;
  }

 private:
  struct Lowered {
    plan::Cluster cluster;  // the plan refers to it
    plan::Plan lowered;
  };
  std::uint32_t batch_;
  Workload subject_;
  plan::ArenaMap arena_;
  std::map<std::uint32_t, Lowered> plans_;
};

StrategyChoice::StrategyChoice(const Foresight& foresight, const std::string& platform,
                               const PublishedRow& row,
                               const std::vector<Configuration>& configurations)
    : foresight_(foresight), platform_(platform), row_(row) {
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const Configuration& it = configurations[i];
    if (it.strategy == row.strategy && it.option == row.options.front()) published_ = i;
    planned_.push_back(std::make_unique<Planned>(it, row, foresight.software.bucket_per_variable));
  }
}

StrategyChoice::~StrategyChoice() = default;
StrategyChoice::StrategyChoice(StrategyChoice&&) noexcept = default;

topology::Platform StrategyChoice::platform() const {
  return foresight_.platform(platform_, 1);
}

Constants StrategyChoice::constants() const {
  return {foresight_.software, foresight_.constants(platform())};
}

Rates StrategyChoice::rates(const Constants& constants, std::uint32_t devices) {
  const topology::Platform machine = platform();
  const double scale = simulate::fit_layer_scale(
      [&](double factor) {
        return planned_[published_]->step_seconds(machine, constants, 1, factor);
      },
      row_.batch / row_.rates.front().second);
  Rates rates;
  for (const auto& planned : planned_)
    rates.push_back(devices * static_cast<double>(row_.batch) /
                    planned->step_seconds(machine, constants, devices, scale));
  return rates;
}

std::size_t best_of(const Rates& rates) {
  return static_cast<std::size_t>(std::max_element(rates.begin(), rates.end()) - rates.begin());
}

double loss_of(const Rates& rates, std::size_t choice) {
  return 1 - rates.at(choice) / rates[best_of(rates)];
}

std::size_t human_rule(const std::string& platform, const std::string& model) {
  if (platform.find("k80") != std::string::npos) return 0;
  if (platform.starts_with("ec2-p2")) return 1;
  return model == "alexnet" || model.starts_with("vgg") ? 3 : 0;
}

namespace {

ChosenCell chosen_cell(StrategyChoice& choice, const std::string& platform, std::uint32_t devices,
                       std::uint32_t draws) {
  constexpr double kSpread = 0.3;
  const Constants constants = choice.constants();
  const Rates rates = choice.rates(constants, devices);
  const std::string& model = choice.row().model;
  ChosenCell cell{platform, model, devices, choice.published(), best_of(rates), 0, 0, {}};
  cell.loss = loss_of(rates, cell.published);
  cell.human_loss = loss_of(rates, human_rule(platform, model));
  for (std::uint32_t draw = 1; draw <= draws; ++draw) {
    const Rates wrong = choice.rates(disturbed(constants, kSpread, draw), devices);
    cell.disturbed.push_back(loss_of(rates, best_of(wrong)));
  }
  return cell;
}

}  // namespace

std::vector<ChosenCell> chosen_cells(const Foresight& foresight, std::uint32_t draws) {
  std::vector<ChosenCell> cells;
  for (const PublishedTable& table :
       read_published_tables(CONVOY_SOURCE_DIR "/tests/simulate/published_tables.json")) {
    if (table.data != "synthetic" || table.rows.front().strategy == "distributed_replicated")
      continue;
    for (const PublishedRow& row : table.rows) {
      StrategyChoice choice(foresight, table.platform, row, configurations_of_2017());
      for (const std::uint32_t devices : {2u, 4u, 8u})
        cells.push_back(chosen_cell(choice, table.platform, devices, devices == 8 ? draws : 0));
    }
  }
  return cells;
}

ChoiceSummary summary_of(const std::vector<ChosenCell>& cells) {
  ChoiceSummary summary;
  double draws = 0;
  for (const ChosenCell& cell : cells) {
    ++summary.cells;
    if (cell.loss <= kNearBest) ++summary.within;
    if (cell.devices != 8) continue;
    ++summary.cells_at_8;
    if (cell.loss <= kNearBest) ++summary.within_at_8;
    summary.human_regret += cell.human_loss;
    for (const double loss : cell.disturbed) {
      ++draws;
      summary.regret += loss;
      summary.worst_regret = std::max(summary.worst_regret, loss);
    }
  }
  if (draws > 0) summary.regret /= draws;
  if (summary.cells_at_8 > 0) summary.human_regret /= static_cast<double>(summary.cells_at_8);
  return summary;
}

Constants disturbed(const Constants& constants, double spread, std::uint32_t seed) {
  Constants result = constants;
  std::uint32_t number = 0;
  const auto factor = [&] { return 1 + 2 * spread * hash_uniform(0, seed, number++); };
  const auto disturb = [&](double& value) { value *= factor(); };
  simulate::SimulatedHost& host = result.machine.hosts.front();
  for (double* rate :
       {&host.pcie_efficiency, &host.nvlink_efficiency, &host.unknown_socket_bytes_per_second,
        &host.memory_bytes_per_second, &host.add_bytes_per_second, &host.pcie_hop_seconds,
        &host.nvlink_hop_seconds})
    disturb(*rate);
  for (simulate::SimulatedDevice& device : result.machine.devices) {
    for (double* it : {&device.kernel_seconds, &device.collective_progress, &device.collective_tax,
                       &device.collective_seconds, &device.memory_efficiency, &device.gain_3x3,
                       &device.gain_5x5})
      disturb(*it);
    device.board_rates.back() = 1 - (1 - device.board_rates.back()) * factor();
  }
  simulate::SoftwareProfile& software = result.software;
  for (double* it :
       {&software.copy_seconds, &software.host_operation_seconds, &software.add_bytes_per_second,
        &software.extra_sum_traffic, &software.straggler_sigma})
    disturb(*it);
  return result;
}

}  // namespace convoy::testing
