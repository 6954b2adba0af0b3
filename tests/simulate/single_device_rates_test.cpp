#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/text/json.hpp"
#include "core/simulate/layers/layer_times.hpp"
#include "core/simulate/machine/described_constants.hpp"
#include "tests/simulate/workload.hpp"

namespace convoy::testing {
namespace {

// What one device does with one network, published and foreseen from its data sheet.
struct RateError {
  bool held_out = false;
  double error = 0;
};

struct RateErrors {
  double sum = 0;
  double worst = 0;
  int rows = 0;
  void add(double error) {
    sum += std::abs(error);
    worst = std::max(worst, std::abs(error));
    ++rows;
  }
  double mean() const { return sum / rows; }
};

simulate::Arithmetic arithmetic_of(const std::string& name) {
  if (name == "f16") return simulate::Arithmetic::kHalf;
  return name == "tf32" ? simulate::Arithmetic::kTf32 : simulate::Arithmetic::kSingle;
}

// Networks by name, each loaded once.
class RateSubjects {
 public:
  const graph::Graph& graph(const std::string& model) {
    std::unique_ptr<Workload>& subject = subjects_[model];
    if (!subject)
      subject = std::make_unique<Workload>("independent", std::vector<std::string>(), model);
    return subject->graph();
  }

 private:
  std::map<std::string, std::unique_ptr<Workload>> subjects_;
};

std::vector<RateError> rate_errors() {
  std::ifstream file(CONVOY_SOURCE_DIR "/tests/simulate/single_device_rates.json");
  const nlohmann::json document = parse_json(file);
  const auto catalogue = topology::Catalogue::read(CONVOY_SOURCE_DIR "/share/catalogue");
  RateSubjects subjects;
  std::vector<RateError> errors;
  for (const nlohmann::json& row : document.at("rows")) {
    const std::string name = row.at("device");
    const auto entry = std::ranges::find(catalogue.devices(), name, &topology::DeviceEntry::name);
    EXPECT_NE(entry, catalogue.devices().end()) << name;
    if (entry == catalogue.devices().end()) continue;
    const simulate::SimulatedDevice device = simulate::simulated_device(*entry);
    const std::string arithmetic = row.at("arithmetic");
    const auto batch = row.at("batch").get<std::uint32_t>();
    const double published = row.at("rate");
    const double foreseen = batch / simulate::layer_times(subjects.graph(row.at("model")), batch,
                                                          device, arithmetic_of(arithmetic))
                                        .seconds();
    errors.push_back({row.at("held_out"), foreseen / published - 1});
    fmt::print("{}, {}, {}{}: {:.0f} images/s published, {:.0f} foreseen, {:+.1f} %\n", name,
               arithmetic, row.at("model").get<std::string>(),
               errors.back().held_out ? " (held out)" : "", published, foreseen,
               100 * errors.back().error);
  }
  return errors;
}

// Libraries choose the fastest kernels that the arithmetic allows.
TEST(SingleDeviceRatesTest, OtherArithmeticsAreNoSlowerThanF32) {
  constexpr std::uint32_t kBatch = 32;
  const auto catalogue = topology::Catalogue::read(CONVOY_SOURCE_DIR "/share/catalogue");
  RateSubjects subjects;
  int compared = 0;
  for (const topology::DeviceEntry& entry : catalogue.devices()) {
    const simulate::SimulatedDevice device = simulate::simulated_device(entry);
    if (!(device.flops_per_second > 0)) continue;
    for (const char* model : {"resnet50", "vgg16"}) {
      const auto seconds = [&](simulate::Arithmetic arithmetic) {
        return simulate::layer_times(subjects.graph(model), kBatch, device, arithmetic).seconds();
      };
      const double single = seconds(simulate::Arithmetic::kSingle);
      for (const auto arithmetic : {simulate::Arithmetic::kTf32, simulate::Arithmetic::kHalf})
        EXPECT_LE(seconds(arithmetic), single * (1 + 1e-9)) << entry.name << ", " << model;
      ++compared;
    }
  }
  EXPECT_GT(compared, 50);
}

// The bounds are what the program says of such rates when it prints them.
TEST(SingleDeviceRatesTest, RatesOfDevicesThatNobodyMeasuredAreForeseenRoughly) {
  RateErrors fitted;
  RateErrors held_out;
  for (const RateError& it : rate_errors()) (it.held_out ? held_out : fitted).add(it.error);
  fmt::print("fitted: {} rows, mean {:.1f} %, worst {:.1f} %; held out: {} rows, {:.1f}, {:.1f}\n",
             fitted.rows, 100 * fitted.mean(), 100 * fitted.worst, held_out.rows,
             100 * held_out.mean(), 100 * held_out.worst);
  ASSERT_GT(fitted.rows, 20);
  ASSERT_GT(held_out.rows, 20);
  EXPECT_LT(held_out.mean(), 0.14);
  EXPECT_LT(fitted.mean(), 0.14);
  EXPECT_LT(std::max(fitted.worst, held_out.worst), 0.40);
}

}  // namespace
}  // namespace convoy::testing
