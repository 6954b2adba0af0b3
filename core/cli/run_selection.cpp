#include "core/cli/run_selection.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/report/drift_monitor.hpp"

namespace convoy {

SelectionRecord selection_record(const Decision& decision) {
  SelectionRecord record;
  record.origin = to_string(decision.origin);
  record.flags = flags_of(decision.chosen);
  record.basis = decision.basis;
  record.calibrated = decision.calibrated;
  if (decision.step_seconds > 0) record.predicted_step_seconds = decision.step_seconds;
  if (decision.runner_up) {
    record.runner_up = flags_of(decision.runner_up->candidate);
    record.runner_up_step_seconds = decision.runner_up->step_seconds;
  }
  return record;
}

std::string drift_text(double drift, const Decision& decision) {
  return fmt::format(
      "the last {} steps take {:.1f} % {} than the {:.3f} ms that were predicted: {}",
      DriftMonitor::kWindow, 100 * std::abs(drift), drift > 0 ? "longer" : "less",
      1e3 * decision.step_seconds,
      drift > 0 ? "something else uses the machine, or it has changed since convoy calibrate"
                : "the machine is faster than when convoy calibrate measured it");
}

std::string prediction_text(const Decision& decision, double measured_seconds) {
  if (decision.step_seconds <= 0) return {};
  return fmt::format("median step {:.3f} ms, predicted {:.3f} ms ({:+.1f} %{})",
                     1e3 * measured_seconds, 1e3 * decision.step_seconds,
                     100 * (decision.step_seconds / measured_seconds - 1),
                     decision.calibrated ? "" : ", uncertain: the machine is not calibrated");
}

}  // namespace convoy
