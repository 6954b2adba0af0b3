#include "core/job/auto/selection_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/report/drift_monitor.hpp"

namespace convoy::job {
namespace {

// Gives a difference in percent while that is readable: "12.5 % longer than", "40 times as long
// as".
std::string beside_expected(double drift) {
  constexpr double kManyTimes = 3;
  const double times = 1 + drift;
  const auto digits = [](double factor) { return factor < 10 ? 1 : 0; };
  if (times > kManyTimes) return fmt::format("{:.{}f} times as long as", times, digits(times));
  if (times * kManyTimes < 1) return fmt::format("1/{:.{}f} of", 1 / times, digits(1 / times));
  return fmt::format("{:.1f} % {} than", 100 * std::abs(drift), drift > 0 ? "longer" : "less");
}

}  // namespace

std::string drift_text(double drift, const select::Decision& decision) {
  const char* since = decision.trial ? "the trial" : "convoy calibrate";
  return fmt::format(
      "the last {} steps take {} the {:.3f} ms that were {}: {}", report::DriftMonitor::kWindow,
      beside_expected(drift), 1e3 * select::expected_step_seconds(decision),
      decision.trial ? "measured in the trial" : "predicted",
      drift > 0 ? fmt::format("something else uses the machine, or it has changed since {}", since)
                : fmt::format("the machine is faster than it was in {}", since));
}

std::string prediction_text(const select::Decision& decision, double measured_seconds) {
  if (decision.step_seconds <= 0) return {};
  return fmt::format("median step {:.3f} ms, {} the predicted {:.3f} ms{}", 1e3 * measured_seconds,
                     beside_expected(measured_seconds / decision.step_seconds - 1),
                     1e3 * decision.step_seconds,
                     decision.calibrated ? "" : " (uncertain: the machine is not calibrated)");
}

}  // namespace convoy::job
