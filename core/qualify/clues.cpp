#include "core/qualify/clues.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/base/text/system_text.hpp"
#include "core/doctor/probes.hpp"

namespace convoy::qualify {
namespace {

// The share of its time that a core usually gets on an idle machine.
constexpr double kAlmostAll = 0.9;

// Adds a clue about the core itself, and about the devices that include it.
void add_about_core(unsigned core, const std::string& text, const std::string& advice,
                    const std::vector<QualifiedDevice>& devices, std::vector<Clue>& clues) {
  clues.push_back({fmt::format("core {}", core), text, advice});
  for (const QualifiedDevice& device : devices)
    if (std::ranges::find(device.cores, core) != device.cores.end())
      clues.push_back({device.name, fmt::format("core {} {}", core, text), advice});
}

std::set<unsigned> cores_of_node(const SystemRoot& root, unsigned node) {
  const std::string file = fmt::format("sys/devices/system/node/node{}/cpulist", node);
  const std::vector<unsigned> cores = numbers_of_list(root.text(file).value_or(""));
  return {cores.begin(), cores.end()};
}

void add_node_of_cores(const SystemRoot& root, const QualifiedDevice& device,
                       std::vector<Clue>& clues) {
  const std::set<unsigned> near = cores_of_node(root, *device.numa_node);
  std::vector<unsigned> far;
  for (const unsigned core : device.cores)
    if (!near.contains(core)) far.push_back(core);
  if (far.empty() || !root.exists("sys/devices/system/node")) return;
  clues.push_back(
      {device.name,
       fmt::format("its memory is taken from NUMA node {}, but the kernel has its {} {} "
                   "on another node",
                   *device.numa_node, far.size() == 1 ? "core" : "cores", fmt::join(far, ",")),
       "the description of the machine (HWLOC_XMLFILE, HWLOC_SYNTHETIC) is not this "
       "machine's: unset it"});
}

void add_node_of_slot(const SystemRoot& root, const QualifiedDevice& device,
                      const std::vector<unsigned>& allowed, std::vector<Clue>& clues) {
  const auto node = root.number("sys/bus/pci/devices/" + device.locality + "/numa_node");
  if (!node || *node < 0) return;
  const std::set<unsigned> near = cores_of_node(root, static_cast<unsigned>(*node));
  if (near.empty()) return;
  if (std::ranges::any_of(allowed, [&](unsigned core) { return near.contains(core); })) return;
  clues.push_back(
      {device.name,
       fmt::format("it is attached to NUMA node {}, and this process may only use cores "
                   "of other nodes",
                   *node),
       fmt::format("start it there: numactl --cpunodebind={0} --membind={0}", *node)});
}

// Returns the device in a subject such as "PCIe of 0000:17:00.0"; empty: the whole host.
std::string device_of(const std::string& subject, const std::vector<QualifiedDevice>& devices) {
  for (const QualifiedDevice& device : devices)
    if (!device.locality.empty() && subject.ends_with(" of " + device.locality)) return device.name;
  return {};
}

}  // namespace

ThrottleCounts read_throttle_counts(const SystemRoot& root, const std::vector<unsigned>& cores) {
  ThrottleCounts counts;
  for (const unsigned core : cores)
    if (const auto count = root.number(
            fmt::format("sys/devices/system/cpu/cpu{}/thermal_throttle/core_throttle_count", core)))
      counts[core] = *count;
  return counts;
}

void add_throttle_clues(const ThrottleCounts& before, const ThrottleCounts& after,
                        const std::vector<QualifiedDevice>& devices, std::vector<Clue>& clues) {
  for (const auto& [core, count] : after) {
    const auto found = before.find(core);
    if (found == before.end() || count <= found->second) continue;
    add_about_core(core,
                   fmt::format("was too hot {} times while it was measured", count - found->second),
                   "look at fans, air and dust", devices, clues);
  }
}

void add_core_clues(const std::vector<CoreRate>& rates, const std::vector<QualifiedDevice>& devices,
                    std::vector<Clue>& clues) {
  for (const CoreRate& it : rates)
    if (it.got < kAlmostAll)
      add_about_core(
          it.core,
          fmt::format("was used by other processes for {:.0f} % of the time", 100 * (1 - it.got)),
          "another program runs on it (top), or a quota limits this one (cpu.max)", devices, clues);
}

void add_frequency_clues(const SystemRoot& root, const std::vector<unsigned>& cores,
                         const std::vector<QualifiedDevice>& devices, std::vector<Clue>& clues) {
  for (const unsigned core : cores) {
    const std::string folder = fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/", core);
    const auto most = root.number(folder + "cpuinfo_max_freq");  // kilohertz
    const auto limit = root.number(folder + "scaling_max_freq");
    if (!most || !limit || *limit <= 0 ||
        static_cast<double>(*limit) >= kAlmostAll * static_cast<double>(*most))
      continue;
    add_about_core(
        core,
        fmt::format("may run at {:.2f} of its {:.2f} GHz", 1e-6 * static_cast<double>(*limit),
                    1e-6 * static_cast<double>(*most)),
        "somebody limits it: cpupower frequency-set --max, or a power profile", devices, clues);
  }
}

void add_numa_clues(const SystemRoot& root, const std::vector<QualifiedDevice>& devices,
                    const std::vector<unsigned>& allowed_cores, std::vector<Clue>& clues) {
  for (const QualifiedDevice& device : devices) {
    if (device.cores.empty())
      add_node_of_slot(root, device, allowed_cores, clues);
    else if (device.numa_node)
      add_node_of_cores(root, device, clues);
  }
}

void add_system_clues(const SystemRoot& root, const DynamicLibraries& libraries,
                      const std::vector<QualifiedDevice>& devices, std::vector<Clue>& clues) {
  doctor::Findings findings;
  doctor::probe_processors(root, findings);
  doctor::probe_memory(root, findings);
  doctor::probe_graphics(root, findings);
  doctor::probe_peers(root, libraries, findings);
  for (const doctor::Finding& it : findings)
    if (it.health == doctor::Health::kWarn || it.health == doctor::Health::kFail)
      clues.push_back({device_of(it.subject, devices), it.subject + ": " + it.text, it.advice});
}

void add_gpu_clues(const std::vector<GpuReadings>& readings,
                   const std::vector<QualifiedDevice>& devices, std::vector<Clue>& clues) {
  for (const GpuReadings& it : readings) {
    if (it.throttled_samples == 0) continue;
    for (const QualifiedDevice& device : devices)
      if (device.locality == it.pci_address)
        clues.push_back({device.name,
                         fmt::format("its clocks were held back for {:.0f} % of the time: {}",
                                     100 * it.throttled_share().value_or(0),
                                     fmt::join(it.throttle_reasons, ", ")),
                         "nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE says more"});
  }
}

}  // namespace convoy::qualify
