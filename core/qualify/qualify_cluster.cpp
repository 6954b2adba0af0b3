#include "core/qualify/qualify_cluster.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text/json.hpp"
#include "core/job/sizes.hpp"
#include "core/job/tasks/task_messages.hpp"
#include "core/network/addresses.hpp"
#include "core/qualify/qualification_json.hpp"
#include "core/qualify/qualify_host.hpp"

namespace convoy::qualify {
namespace {

constexpr std::uint64_t kCopiedBytes = std::uint64_t{4} << 20;
constexpr int kRingRepetitions = 20;  // the fastest counts; a step over shared memory takes half a
                                      // millisecond, which anything disturbs

std::string host_name() {
  char name[256] = "this host";
  ::gethostname(name, sizeof(name) - 1);
  return name;
}

class ClusterProbes {
 public:
  ClusterProbes(job::Setup& setup, job::Task& task, const ProbeOptions& options)
      : setup_(setup), task_(task), options_(options) {}

  std::vector<HostQualification> run(const plugin::PluginLog& log) {
    const std::uint32_t devices = job::count_devices(setup_);
    task_.chiefs_sizes(job::choose_sizes(setup_, devices), devices);
    std::vector<std::string> notices;
    const auto hardware = known_hardware(setup_, notices);
    task_.link(setup_, setup_.open_devices, log);
    cluster_ = task_.cluster_task();
    by_itself({setup_, setup_.open_devices, hardware.get()});
    host_.name = task_.name_of(task_.rank());
    host_.notices.insert(host_.notices.begin(), notices.begin(), notices.end());
    add_links();
    const ProbeTarget all{setup_, setup_.open_devices, hardware.get(), &cluster_};
    copy_in_ring(all);
    probe_collectives(all, options_, host_);
    probe_training(all, options_, host_);
    return together();
  }

 private:
  // Tasks on one machine measure in turn, because they would disturb each other.
  void by_itself(const ProbeTarget& target) {
    const std::vector<std::string> machines = cluster_.peers->exchange(network::machine_id());
    const auto before = [&](std::size_t rank) {
      return std::count(machines.begin(), machines.begin() + static_cast<std::ptrdiff_t>(rank),
                        machines[rank]);
    };
    std::ptrdiff_t turns = 1;
    for (std::size_t rank = 0; rank < machines.size(); ++rank)
      turns = std::max(turns, before(rank) + 1);
    for (std::ptrdiff_t turn = 0; turn < turns; ++turn) {
      if (turn == before(task_.rank())) host_ = qualify_host(target, options_);
      cluster_.peers->exchange("");
    }
  }

  void add(const std::string& subject, const std::string& what, const char* unit, double rate) {
    host_.measurements.push_back(
        {.kind = Kind::kLink, .subject = subject, .what = what, .unit = unit, .rate = rate});
  }

  // Adds the links as they were measured when the tasks connected.
  void add_links() {
    for (const PeerRecord& peer : task_.peers()) {
      const std::string subject = fmt::format("{} -> {}", host_.name, peer.task);
      const std::string how = fmt::format(" between hosts by {}, pairwise", peer.transport);
      add(subject, "messages" + how, "B/s", peer.bytes_per_second);
      if (peer.round_trip_seconds > 0)
        add(subject, "empty messages" + how, "round trips/s", 1 / peer.round_trip_seconds);
    }
  }

  std::uint32_t first_device_of(std::uint32_t host) const {
    for (const std::uint32_t place : cluster_.cluster->replica_place)
      if (cluster_.cluster->places[place].host == host) return place;
    return CONVOY_NONE;
  }

  // Copies from every host to the next one, all at the same time. Each host reports what it
  // receives.
  void copy_in_ring(const ProbeTarget& all) {
    const std::uint32_t hosts = cluster_.cluster->hosts;
    if (hosts < 2) return;
    ProbedStep step{.elements = kCopiedBytes / sizeof(float)};
    for (std::uint32_t host = 0; host < hosts; ++host)
      step.copies.emplace_back(first_device_of(host), first_device_of((host + 1) % hosts));
    const ProbedTimes times = probe_plan(all, smallest_network(), step, kRingRepetitions);
    const std::uint32_t from = (cluster_.host + hosts - 1) % hosts;
    const std::optional<double> seconds = times.operations.at(from).measured;
    if (!seconds || !(*seconds > 0)) return;
    add(fmt::format("{} -> {}", task_.name_of(from), host_.name),
        "copies between hosts, all at once", "B/s", double{kCopiedBytes} / *seconds);
  }

  std::vector<HostQualification> together() {
    std::vector<HostQualification> hosts;
    for (const std::string& text : task_.finish(json_text(host_json(host_))))
      job::read_message("measurements", [&] { hosts.push_back(read_host(parse_json(text))); });
    return hosts;
  }

  job::Setup& setup_;
  job::Task& task_;
  const ProbeOptions& options_;
  runtime::ClusterTask cluster_;
  HostQualification host_;
};

}  // namespace

HostQualification qualify_this_host(job::Setup& setup, const ProbeOptions& options) {
  std::vector<std::string> notices;
  const auto hardware = known_hardware(setup, notices);
  HostQualification host = qualify_host({setup, setup.open_devices, hardware.get()}, options);
  host.name = host_name();
  host.notices.insert(host.notices.begin(), notices.begin(), notices.end());
  return host;
}

std::vector<HostQualification> qualify_hosts(job::Setup& setup, job::Task& task,
                                             const ProbeOptions& options,
                                             const plugin::PluginLog& log) {
  try {
    return ClusterProbes(setup, task, options).run(log);
  } catch (const Error& error) {
    throw task.explain(error);
  }
}

}  // namespace convoy::qualify
