#include "core/cli/verbs/check/checks.hpp"

#include <fmt/format.h>

#include <ostream>
#include <span>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/cli/verbs/check/plan_prover.hpp"
#include "core/job/hardware/described_hosts.hpp"
#include "core/job/hardware/plan_target.hpp"
#include "core/job/simulation/prediction_options.hpp"
#include "core/job/sizes.hpp"
#include "core/plugin/device_choice.hpp"
#include "core/runtime/model_map.hpp"
#include "core/runtime/prepared_plan.hpp"

namespace convoy::cli {
namespace {

constexpr std::uint64_t kDefaultBucket = std::uint64_t{16} << 18;  // 16 MiB of f32

// Returns about a hundred pieces of odd sizes at arbitrary positions. The first ones are tiny.
std::vector<plan::ElementRange> ragged_buckets(std::uint64_t elements) {
  std::vector<plan::ElementRange> buckets;
  std::uint64_t size = 1;
  for (std::uint64_t first = 0; first < elements;) {
    const std::uint64_t count = std::min(size, elements - first);
    buckets.push_back({first, count});
    first += count;
    size = std::min(2 * size + 1, (elements / 101 + buckets.size()) | 1);
  }
  return buckets;
}

std::string devices_text(std::uint32_t devices, int width = 0) {
  return fmt::format("{:>{}} {}", devices, width, devices == 1 ? "device" : "devices");
}

constexpr int kColumn = 4;  // width of numbers that stand in a column

std::string cluster_text(const plan::HostsDescription& hosts, std::uint32_t devices) {
  const std::string before = job::hosts_text(hosts);
  return before.empty() ? devices_text(devices, kColumn) : before + devices_text(devices);
}

std::string buckets_text(std::uint64_t elements) {
  if (elements == 0) return "one bucket";
  return fmt::format("{:g} MiB buckets", static_cast<double>(elements * sizeof(float)) / (1 << 20));
}

// With more devices than this in all, only the first cut is proved for all of them. Errors at the
// ends of buckets also show with a few devices, at a fraction of the cost, because strategies may
// write operations for every pair of devices.
constexpr std::uint32_t kManyDevices = 64;
constexpr std::uint32_t kFewDevices = 32;
constexpr std::uint32_t kFewestHosts = 4;  // rings of two and three hosts are special cases

// Returns a smaller cluster of the same kind. It keeps several hosts, and several devices per host,
// where there were several.
plan::HostsDescription with_few_devices(const plan::HostsDescription& many) {
  plan::HostsDescription few = many;
  few.hosts = std::min(many.hosts, std::max(kFewestHosts, kFewDevices / many.devices_per_host));
  few.devices_per_host = std::min(many.devices_per_host, kFewDevices / few.hosts);
  few.server_hosts.resize((many.server_hosts.size() * few.hosts + many.hosts - 1) / many.hosts);
  for (std::uint32_t& host : few.server_hosts)
    host = host < many.hosts ? host % few.hosts : few.hosts + (host - many.hosts);
  return few;
}

struct Cut {
  std::string name;
  plan::ArenaMap map;
};

class CheckRun {
 public:
  CheckRun(const job::Setup& setup, const std::vector<std::uint32_t>& counts, std::ostream& out)
      : setup_(setup), counts_(counts), out_(out), prover_(setup, out) {}

  int run() {
    try {
      check_all();
    } catch (const Error&) {
      prover_.prove_written();  // shows the results so far
      prover_.print_findings();
      throw;
    }
    prover_.prove_written();
    prover_.print_findings();
    return prover_.conclude();
  }

 private:
  void check_all() {
    if (job::describes_machine(setup_.options.machine))
      check_described_machine();
    else if (setup_.device != nullptr)
      check_this_machine();
    if (setup_.options.device == plugin::kGpuDevices)
      kind_ = plugin::kGpuDevices;
    else if (setup_.options.device != plugin::kAnyDevice && setup_.device != nullptr)
      kind_ = setup_.device->manifest().name;
    check_all_kinds();
  }

  // Checks the plans that runs with these flags execute.
  void check_this_machine() {
    for (const std::uint32_t devices : counts_or(job::count_devices(setup_))) {
      const std::string what = fmt::format("{} of this machine", devices_text(devices, kColumn));
      try {
        const job::PlanTarget target = job::target_on_devices(setup_, devices);
        check_run(what, target.cluster,
                  runtime::make_arena_map(*setup_.graph, target.arena, setup_.bucket_elements));
      } catch (const Error& error) {
        if (error.code() != ExitCode::kUnavailable) throw;
        prover_.prove_written();
        out_ << fmt::format("{}: not looked at: {}\n", what, error.what());
      }
    }
  }

  void check_described_machine() {
    const job::SimulatedHardware hardware = job::choose_simulated_hardware(setup_);
    for (const std::uint32_t devices : counts_or(hardware.most_devices)) {
      const job::SimulatedTarget target =
          job::simulated_target(setup_, hardware, hardware.hosts, devices);
      kind_ = target.on.cluster.device_kind();
      check_run(fmt::format("{} of {}", devices_text(devices, kColumn), hardware.name),
                target.on.cluster,
                job::simulated_map(setup_, hardware, target.arena, setup_.bucket_elements));
    }
  }

  void check_run(const std::string& devices, const plan::Cluster& cluster, plan::ArenaMap map) {
    prover_.add(fmt::format("{}, {}", devices, buckets_text(setup_.bucket_elements)), cluster,
                std::move(map), true);
  }

  // Checks with and without shared memory, for all cuts into buckets. The first cut is always
  // proved for all devices. If there are many devices, the other cuts are proved for a smaller
  // cluster. The large plans come first, one after the other, because they are proved in parallel.
  void check_all_kinds() {
    plan::HostsDescription hosts = job::describe_hosts(setup_.options.machine);
    hosts.device_kind = kind_;
    const std::vector<Cut> cuts = all_cuts();
    const std::vector<std::uint32_t> usual = {1, 2, 3, 4, 5, 6, 7, 8};
    for (const std::uint32_t devices : counts_.empty() ? usual : counts_) {
      job::require_devices(hosts.hosts, devices);
      hosts.devices_per_host = devices;
      const bool are_many = std::uint64_t{hosts.hosts} * devices > kManyDevices;
      if (are_many) check_both_kinds(hosts, cuts.front());
      check_kinds(are_many ? with_few_devices(hosts) : hosts,
                  std::span(cuts).subspan(are_many ? 1 : 0));
    }
  }

  void check_kinds(plan::HostsDescription hosts, std::span<const Cut> cuts) {
    for (const bool peer_access : {true, false}) {
      hosts.peer_access = peer_access;
      for (const Cut& cut : cuts) check_kind(hosts, cut);
    }
  }

  // For many devices. Most strategies write the same plan with and without peer access, so the
  // second plan is proved only if it differs.
  void check_both_kinds(plan::HostsDescription hosts, const Cut& cut) {
    hosts.peer_access = true;
    check_kind(hosts, cut);
    hosts.peer_access = false;
    prover_.add_alike(text_of(hosts, cut), plan::make_hosts(hosts), cut.map);
  }

  void check_kind(const plan::HostsDescription& hosts, const Cut& cut) {
    prover_.add(text_of(hosts, cut), plan::make_hosts(hosts), cut.map, false);
  }

  static std::string text_of(const plan::HostsDescription& hosts, const Cut& cut) {
    return fmt::format("{}, {}, {}", cluster_text(hosts, hosts.devices_per_host),
                       hosts.peer_access ? "shared memory" : "no peer access", cut.name);
  }

  std::vector<Cut> all_cuts() const {
    const graph::Arena arena(*setup_.graph);
    const auto map = [&](std::uint64_t bucket) {
      return runtime::make_arena_map(*setup_.graph, arena, bucket);
    };
    std::vector<Cut> cuts = {{"one bucket", map(0)},
                             {"16 MiB buckets", map(kDefaultBucket)},
                             {"ragged buckets", map(0)}};
    cuts.back().map.buckets = ragged_buckets(arena.elements());
    return cuts;
  }

  std::vector<std::uint32_t> counts_or(std::uint32_t count) const {
    return counts_.empty() ? std::vector{count} : counts_;
  }

  const job::Setup& setup_;
  const std::vector<std::uint32_t>& counts_;  // empty: the flag is not given
  std::ostream& out_;
  // The kind that the flags ask for, for clusters that are not of any real machine.
  std::string kind_ = plan::HostsDescription().device_kind;
  PlanProver prover_;
};

}  // namespace

int check_strategy(const job::Setup& setup, const std::vector<std::uint32_t>& counts,
                   std::ostream& out) {
  return CheckRun(setup, counts, out).run();
}

}  // namespace convoy::cli
