#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text/counted.hpp"
#include "core/base/text/system_text.hpp"
#include "core/job/sizes.hpp"
#include "core/qualify/device_probes.hpp"

namespace convoy::qualify {
namespace {

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;
// With more pairs, only neighbours are measured, because pairs grow with the square.
constexpr std::uint32_t kMostPairs = 64;
constexpr int kProbeRepetitions = 3;
// The bytes of a collective take at most 1 / kShareOfMemory of an accelerator's memory, because
// there are copies of them.
constexpr std::uint64_t kShareOfMemory = 16;

std::optional<ExpectedRate> expected_rate(const ProbeTarget& target, double amount,
                                          const std::optional<double>& seconds) {
  if (!seconds || !(*seconds > 0)) return std::nullopt;
  return ExpectedRate{amount / *seconds, target.hardware->error_of_one(),
                      "simulated, " + target.hardware->rates};
}

class Links {
 public:
  Links(const ProbeTarget& target, const ProbeOptions& options, HostQualification& host)
      : target_(target),
        options_(options),
        host_(host),
        cluster_(target.devices->cluster()),
        network_(smallest_network()),
        bytes_((options.quick ? 8 : 32) * kMegabyte) {}

  void probe() {
    std::vector<Ends> in, out;
    for (const std::uint32_t device : cluster_.replica_place) {
      const std::uint32_t memory = cluster_.places[device].near_place;
      if (memory == CONVOY_NONE) continue;
      in.emplace_back(memory, device);
      out.emplace_back(device, memory);
    }
    probe_class("host to device", in, in);
    probe_class("device to host", out, out);
    probe_class("device to device", pairs(), ring());
  }

 private:
  std::uint32_t count() const { return cluster_.replicas(); }

  std::vector<Ends> ring() const {
    std::vector<Ends> all;
    for (std::uint32_t i = 0; count() > 1 && i < count(); ++i)
      all.emplace_back(cluster_.replica_place[i], cluster_.replica_place[(i + 1) % count()]);
    return all;
  }

  std::vector<Ends> pairs() const {
    if (count() * (count() - 1) > kMostPairs) return ring();
    std::vector<Ends> all;
    for (const std::uint32_t from : cluster_.replica_place)
      for (const std::uint32_t to : cluster_.replica_place)
        if (from != to) all.emplace_back(from, to);
    return all;
  }

  void probe_class(const std::string& name, const std::vector<Ends>& each,
                   const std::vector<Ends>& together) {
    for (const Ends& ends : each) {
      options_.tell(fmt::format("copies {}", subject(ends)));
      add(name + (each.size() > 1 ? ", alone" : ""), {ends});
    }
    if (each.size() > 1) add(name + ", all at once", together);
  }

  std::string subject(const Ends& ends) const {
    return fmt::format("{} -> {}", cluster_.places[ends.first].name,
                       cluster_.places[ends.second].name);
  }

  void add(const std::string& what, const std::vector<Ends>& copies) {
    const ProbedStep step{.copies = copies, .elements = bytes_ / sizeof(float)};
    const ProbedTimes times = probe_plan(target_, network_, step, kProbeRepetitions);
    for (std::size_t i = 0; i < copies.size() && i < times.operations.size(); ++i) {
      const ProbedTime& time = times.operations[i];
      if (!time.measured || !(*time.measured > 0)) continue;
      host_.measurements.push_back(
          {.kind = Kind::kLink,
           .subject = subject(copies[i]),
           .what = time.expected ? what : what + over_route(cluster_, copies[i]),
           .unit = "B/s",
           .rate = static_cast<double>(bytes_) / *time.measured,
           .expected = expected_rate(target_, static_cast<double>(bytes_), time.expected)});
    }
  }

  const ProbeTarget& target_;
  const ProbeOptions& options_;
  HostQualification& host_;
  const plan::Cluster& cluster_;
  calibrate::ProbeNetwork network_;
  std::uint64_t bytes_;
};

// Accelerators' links are fully used only from hundreds of MB on. All tasks of a run measure the
// same sizes.
std::vector<std::uint64_t> sizes_of(const ProbeTarget& target, bool quick) {
  if (target.task != nullptr || target.devices->all_have(CONVOY_DEVICE_SHARES_HOST_MEMORY))
    return collective_sizes(quick, 0);
  std::uint64_t memory = std::numeric_limits<std::uint64_t>::max();
  for (const convoy_device_description& it : target.devices->descriptions())
    memory = std::min(memory, it.memory_bytes);
  return collective_sizes(quick, memory);
}

}  // namespace

std::vector<std::uint64_t> collective_sizes(bool quick, std::uint64_t accelerator_memory) {
  if (quick) return {kMegabyte / 16, kMegabyte, 8 * kMegabyte};
  std::vector<std::uint64_t> sizes = {kMegabyte / 256, kMegabyte / 16, kMegabyte,
                                      4 * kMegabyte,   16 * kMegabyte, 64 * kMegabyte};
  for (const std::uint64_t large : {256 * kMegabyte, 1024 * kMegabyte})
    if (large <= accelerator_memory / kShareOfMemory) sizes.push_back(large);
  return sizes;
}

std::string over_route(const plan::Cluster& cluster, const Ends& ends) {
  if (!cluster.route) return "";
  switch (cluster.route(ends.first, ends.second).kind) {
    case CONVOY_ROUTE_NVLINK:
      return ", NVLink";
    case CONVOY_ROUTE_PCIE_SWITCH:
      return ", PCIe switch";
    case CONVOY_ROUTE_SOCKET:
      return ", across sockets";
    default:
      return "";
  }
}

void probe_links(const ProbeTarget& target, const ProbeOptions& options, HostQualification& host) {
  Links(target, options, host).probe();
}

void probe_collectives(const ProbeTarget& target, const ProbeOptions& options,
                       HostQualification& host) {
  const plan::Cluster& cluster =
      target.task == nullptr ? target.devices->cluster() : *target.task->cluster;
  if (cluster.replicas() < 2) return;
  const calibrate::ProbeNetwork network = smallest_network();
  for (const std::uint64_t bytes : sizes_of(target, options.quick)) {
    const std::string size = bytes_text(bytes);
    options.tell("all_reduce of " + size);
    const ProbedStep step{.all_reduces = true, .elements = bytes / sizeof(float)};
    const ProbedTimes times = probe_plan(target, network, step, kProbeRepetitions);
    if (times.operations.empty() || !times.operations.front().measured) continue;
    const ProbedTime& time = times.operations.front();
    host.measurements.push_back(
        {.kind = Kind::kCollective,
         .subject = target.task == nullptr ? "all devices" : "devices of all hosts",
         .what = "all_reduce of " + size + (target.task == nullptr ? "" : " between hosts"),
         .unit = "B/s",
         .rate = static_cast<double>(bytes) / std::max(*time.measured, 1e-9),
         .bytes = bytes,
         .expected = expected_rate(target, static_cast<double>(bytes), time.expected)});
  }
}

void probe_training(const ProbeTarget& target, const ProbeOptions& options,
                    HostQualification& host) {
  const std::uint32_t devices = target.devices->cluster().replicas();
  std::uint32_t batch = job::choose_sizes(target.setup, devices).batch;
  if (options.quick && !target.setup.options.batch_size) batch = std::max(1u, batch / 4);
  const calibrate::ProbeNetwork network{target.setup.graph->model(), *target.setup.graph, batch};
  options.tell("training of " + network.name);
  const ProbedTimes times = probe_plan(target, network, {.trains = true}, kProbeRepetitions);
  const std::uint32_t all = target.task == nullptr ? devices : target.task->cluster->replicas();
  const double images = double(all) * batch;
  host.measurements.push_back(
      {.kind = Kind::kTraining,
       .subject = target.task == nullptr ? "all devices" : "devices of all hosts",
       .what = fmt::format("training of {}, {} per device{}", network.name, counted(batch, "image"),
                           target.task == nullptr ? "" : ", over all hosts"),
       .unit = "images/s",
       .rate = images / std::max(times.step.measured.value_or(0), 1e-9),
       .expected = expected_rate(target, images, times.step.expected)});
}

}  // namespace convoy::qualify
