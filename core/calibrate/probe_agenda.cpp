#include "core/calibrate/probe_agenda.hpp"

namespace convoy::calibrate {
namespace {

// The factor by which a probe may take longer than the probes before it.
constexpr double kCaution = 1.25;

double needed_work_from(const std::vector<Probe>& probes, std::size_t first) {
  double work = 0;
  for (std::size_t i = first; i < probes.size(); ++i)
    if (probes[i].needed) work += probes[i].work;
  return work;
}

}  // namespace

std::vector<std::string> measure_within(double seconds, const std::function<double()>& now,
                                        const std::vector<Probe>& probes) {
  const double end = now() + seconds;
  double work_done = 0;
  double seconds_spent = 0;
  std::vector<std::string> left_out;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const Probe& probe = probes[i];
    const double begin = now();
    const double work = probe.work + needed_work_from(probes, i + 1);
    const double expected = work_done > 0 ? kCaution * work * seconds_spent / work_done : 0;
    if (!probe.needed && begin + expected > end) {
      if (!probe.name.empty()) left_out.push_back(probe.name);
      continue;
    }
    if (!probe.measure()) continue;
    work_done += probe.work;
    seconds_spent += now() - begin;
  }
  return left_out;
}

}  // namespace convoy::calibrate
