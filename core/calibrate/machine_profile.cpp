#include "core/calibrate/machine_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace convoy::calibrate {
namespace {

template <typename Entry>
const Entry& nearest(const std::vector<Entry>& entries, std::uint32_t threads) {
  CONVOY_CHECK(!entries.empty());
  const auto distance = [threads](const Entry& entry) {
    return std::abs(std::log2(double(entry.threads) / threads));
  };
  // If several entries have equally similar numbers of threads, this takes the one with the most
  // neighbours.
  return *std::min_element(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    if (distance(a) != distance(b)) return distance(a) < distance(b);
    return a.together > b.together;
  });
}

}  // namespace

Fingerprint make_fingerprint(const ProcessorFacts& facts, const std::string& device) {
  return {facts.model, facts.cores, facts.memory_bytes, facts.instructions, device};
}

std::string difference(const Fingerprint& file, const Fingerprint& here) {
  std::string text;
  const auto compare = [&text](const char* what, const auto& there, const auto& now) {
    if (there == now) return;
    text +=
        fmt::format("{}{} is '{}' there and '{}' here", text.empty() ? "" : ", ", what, there, now);
  };
  compare("the processor", file.processor, here.processor);
  compare("the number of cores", file.cores, here.cores);
  compare("the instruction set", file.instructions, here.instructions);
  compare("the device plug-in", file.device, here.device);
  return text;
}

double known_error(const MachineProfile& profile) {
  CONVOY_CHECK(!profile.checks.empty());
  double sum = 0;
  for (const CheckedStep& check : profile.checks)
    sum += std::abs(check.predicted_seconds / check.measured_seconds - 1);
  return sum / static_cast<double>(profile.checks.size());
}

bool much_disturbed(const MachineProfile& profile) {
  return profile.disturbance.value_or(0) > kMuchDisturbed;
}

double expected_error(const MachineProfile& profile) {
  return std::max(
      {known_error(profile), profile.disturbance.value_or(0), profile.quick ? kQuickError : 0.0});
}

std::string trust_text(const MachineProfile& profile) {
  std::string text = fmt::format("its checks were {:.1f} % off", 100 * known_error(profile));
  if (profile.quick) text += ", it was --quick and knows small layers only";
  if (much_disturbed(profile))
    text += fmt::format(", and other processes used {:.0f} % of the cores' time meanwhile",
                        100 * *profile.disturbance);
  return text;
}

const TeamRates& nearest_team(const MachineProfile& profile, std::uint32_t threads) {
  return nearest(profile.teams, threads);
}

const TeamLayers& nearest_layers(const MachineProfile& profile, std::uint32_t threads) {
  return nearest(profile.layers, threads);
}

}  // namespace convoy::calibrate
