#include "tests/simulate/published_tables.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/text/json.hpp"
#include "core/plan/arena_map.hpp"
#include "core/simulate/machine/described_constants.hpp"
#include "core/simulate/predictor.hpp"
#include "tests/simulate/parameter_servers.hpp"
#include "tests/simulate/workload.hpp"

namespace convoy::testing {
namespace {

PublishedRow read_row(const nlohmann::json& json) {
  PublishedRow row;
  row.model = json.at("model").get<std::string>();
  row.batch = json.at("batch").get<std::uint32_t>();
  row.strategy = json.at("strategy").get<std::string>();
  row.options = json.at("options").get<std::vector<std::string>>();
  for (const nlohmann::json& rate : json.at("rates"))
    if (!rate.at(1).is_null())
      row.rates.push_back({rate.at(0).get<std::uint32_t>(), rate.at(1).get<double>()});
  if (json.contains("servers"))
    for (const nlohmann::json& count : json.at("servers"))
      row.servers[count.at(0).get<std::uint32_t>()] = count.at(1).get<std::uint32_t>();
  return row;
}

class RowPredictor {
 public:
  RowPredictor(const Foresight& foresight, const PublishedTable& table, const PublishedRow& row)
      : foresight_(foresight),
        table_(table),
        row_(row),
        subject_(row.strategy, row.options, row.model),
        arena_(subject_.arena_map(0)),
        predictor_(subject_.graph(), options()) {
    if (foresight.software.bucket_per_variable) arena_.buckets = plan::variable_buckets(arena_);
  }

  void predict(std::vector<PredictedCell>& cells) {
    const auto [one, single] = row_.rates.front();
    CONVOY_CHECK_EQ(one, 1u);
    const simulate::SimulatedCluster alone = cluster(1);
    predictor_.fit(plan(alone.cluster)->lowered(), alone, single, input());
    for (const auto& [devices, published] : row_.rates) {
      if (devices == 1) continue;
      const simulate::SimulatedCluster several = cluster(devices);
      const simulate::Prediction prediction =
          predictor_.predict(plan(several.cluster)->lowered(), several);
      if (!prediction.problem.empty())
        fail(ExitCode::kFailed, "{}, {}, {} GPUs: {}", table_.title(), row_.model, devices,
             prediction.problem);
      cells.push_back({row_.model, devices, published, prediction.images_per_second,
                       single * static_cast<double>(devices)});
    }
  }

 private:
  simulate::PredictorOptions options() const {
    simulate::PredictorOptions result;
    result.batch = row_.batch;
    result.simulation.software = foresight_.software;
    result.simulation.input = input();
    return result;
  }

  simulate::InputLoad input() const {
    if (table_.data != "real") return {};
    const std::uint64_t size = subject_.graph().image_size();
    return {row_.batch, 3 * sizeof(float) * size * size};
  }

  simulate::SimulatedCluster cluster(std::uint32_t devices) const {
    constexpr std::uint32_t kPerHost = 8;
    const std::uint32_t hosts = (devices + kPerHost - 1) / kPerHost;
    const topology::Platform platform = foresight_.platform(table_.platform, hosts);
    simulate::SimulatedCluster result = simulate::make_gpu_cluster(
        platform.machine, devices / hosts, foresight_.constants(platform));
    if (const auto servers = row_.servers.find(devices); servers != row_.servers.end()) {
      std::vector<std::uint32_t> on;
      for (std::uint32_t host = 0; host < servers->second; ++host) on.push_back(host);
      simulate::add_parameter_servers(result, on);
    }
    return result;
  }

  std::unique_ptr<plan::StepPlan> plan(const plan::Cluster& cluster) {
    return std::make_unique<plan::StepPlan>(cluster, arena_, subject_.author());
  }

  const Foresight& foresight_;
  const PublishedTable& table_;
  const PublishedRow& row_;
  Workload subject_;
  plan::ArenaMap arena_;
  simulate::Predictor predictor_;
};

Errors errors_by(const std::vector<PredictedCell>& cells,
                 const std::function<double(const PredictedCell&)>& predicted) {
  Errors errors;
  for (const PredictedCell& cell : cells) {
    const double error = std::abs(predicted(cell) / cell.published - 1);
    errors.mean += error / static_cast<double>(cells.size());
    if (error <= errors.worst) continue;
    errors.worst = error;
    errors.worst_cell = fmt::format("{} on {} GPUs", cell.model, cell.devices);
  }
  return errors;
}

}  // namespace

std::vector<PublishedTable> read_published_tables(const std::filesystem::path& file) {
  std::ifstream in(file);
  const nlohmann::json document = parse_json(in);
  std::vector<PublishedTable> tables;
  for (const nlohmann::json& json : document.at("tables")) {
    PublishedTable table;
    table.name = json.at("name").get<std::string>();
    table.part = json.at("table").get<std::string>();
    table.platform = json.at("platform").get<std::string>();
    table.data = json.at("data").get<std::string>();
    for (const nlohmann::json& row : json.at("rows")) table.rows.push_back(read_row(row));
    tables.push_back(std::move(table));
  }
  return tables;
}

topology::Platform Foresight::platform(const std::string& name, std::uint32_t hosts) const {
  topology::Platform platform = topology::read_platform(platforms, name, hosts, catalogue);
  if (adjust_platform) adjust_platform(platform);
  return platform;
}

simulate::MachineConstants Foresight::constants(const topology::Platform& platform) const {
  simulate::MachineConstants constants = simulate::platform_constants(platform, catalogue);
  if (adjust_constants) adjust_constants(constants);
  return constants;
}

Foresight read_foresight(const std::string& software) {
  const std::filesystem::path share = std::filesystem::path(CONVOY_SOURCE_DIR) / "share";
  return {topology::Catalogue::read(share / "catalogue"),
          simulate::read_software_profile(share / "profiles", software),
          share / "platforms",
          {},
          {}};
}

std::vector<PredictedCell> predict_table(const Foresight& foresight, const PublishedTable& table) {
  std::vector<PredictedCell> cells;
  for (const PublishedRow& row : table.rows) RowPredictor(foresight, table, row).predict(cells);
  return cells;
}

Errors errors_of(const std::vector<PredictedCell>& cells) {
  return errors_by(cells, [](const PredictedCell& cell) { return cell.predicted; });
}

Errors linear_errors(const std::vector<PredictedCell>& cells) {
  return errors_by(cells, [](const PredictedCell& cell) { return cell.linear; });
}

Errors efficiency_errors(const std::vector<PredictedCell>& cells) {
  std::map<std::uint32_t, std::pair<double, double>> sums;  // per number of GPUs
  for (const PredictedCell& cell : cells) {
    sums[cell.devices].first += cell.published / cell.linear;
    sums[cell.devices].second += 1;
  }
  return errors_by(cells, [&](const PredictedCell& cell) {
    const auto& [sum, count] = sums.at(cell.devices);
    return cell.linear * sum / count;
  });
}

}  // namespace convoy::testing
