#include "core/plan/check/report/counts_by_devices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace convoy::plan::check {
namespace {

// Whether counts / devices^power is equal for all numbers of devices.
bool follows(const std::vector<std::pair<std::uint32_t, double>>& counts, int power) {
  const auto scaled = [&](const auto& it) { return it.second / std::pow(it.first, power); };
  const double first = scaled(counts.front());
  return std::ranges::all_of(counts, [&](const auto& it) {
    return std::fabs(scaled(it) - first) < 1e-6 * std::fabs(first);
  });
}

}  // namespace

void CountsByDevices::add(const CheckReport& report) {
  if (report.replicas < 2) return;
  const auto add_stage = [&](std::size_t stage, const CheckReport& it) {
    if (!it.is_proved()) return;
    for (const double counts : {it.least, it.counts})
      of_stage_[stage].emplace_back(report.replicas, counts);
  };
  if (report.stages.empty()) return add_stage(0, report);
  for (std::size_t i = 0; i < report.stages.size(); ++i) add_stage(i, report.stages[i].report);
}

std::string CountsByDevices::doubt() const {
  for (const auto& [unused, counts] : of_stage_) {
    std::set<std::uint32_t> devices;
    for (const auto& [number, times] : counts) devices.insert(number);
    if (devices.size() < 2) continue;
    const char* like = nullptr;
    if (follows(counts, 1)) like = "grows with the devices, as if the sum were not divided by them";
    if (follows(counts, -1)) like = "shrinks with the devices, as if it were divided by them twice";
    if (like == nullptr) continue;
    const std::map<std::uint32_t, double> times(counts.begin(), counts.end());
    std::vector<std::string> texts;
    texts.reserve(times.size());
    for (const auto& [number, count] : times) texts.push_back(fmt::format("{:.4g}", count));
    return fmt::format("with {} devices every gradient counts {} times in the end: that {}",
                       fmt::join(devices, ", "), fmt::join(texts, ", "), like);
  }
  return "";
}

}  // namespace convoy::plan::check
