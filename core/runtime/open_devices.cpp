#include "core/runtime/open_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <utility>

namespace convoy::runtime {
namespace {

// Finds which devices with memory of their own address each other's memory.
void find_access(plan::Cluster& cluster,
                 const std::vector<std::unique_ptr<plugin::OpenDevice>>& opened) {
  for (std::size_t from = 0; from < opened.size(); ++from)
    for (std::size_t to = 0; to < opened.size(); ++to)
      if (from != to) cluster.access[from][to] = opened[from]->reaches(*opened[to]).value_or(false);
}

// Finds whether all devices reduce among themselves, or why they do not.
void find_collectives(plan::Cluster& cluster,
                      const std::vector<std::unique_ptr<plugin::OpenDevice>>& opened) {
  if (opened.size() < 2) return;
  std::vector<plugin::OpenDevice*> all;
  all.reserve(opened.size());
  for (const std::unique_ptr<plugin::OpenDevice>& device : opened) all.push_back(device.get());
  const std::optional<std::string> reason = all.front()->collective_refusal(all, false);
  cluster.device_collectives = !reason;
  cluster.no_device_collectives = reason.value_or("");
}

// Returns the devices' NUMA nodes; empty unless all devices know theirs.
std::vector<std::uint32_t> numa_groups(const std::vector<convoy_device_description>& devices) {
  std::vector<std::uint32_t> nodes;
  nodes.reserve(devices.size());
  for (const convoy_device_description& device : devices) nodes.push_back(device.numa_node);
  return std::ranges::count(nodes, std::uint32_t{CONVOY_NONE}) > 0 ? std::vector<std::uint32_t>()
                                                                   : nodes;
}

// The cluster that open devices form on this host.
plan::Cluster make_cluster(const std::vector<convoy_device_description>& devices,
                           const std::vector<std::unique_ptr<plugin::OpenDevice>>& opened) {
  const bool shared = std::all_of(devices.begin(), devices.end(), [](const auto& device) {
    return (device.flags & CONVOY_DEVICE_SHARES_HOST_MEMORY) != 0;
  });
  plan::Cluster cluster =
      plan::make_single_host(static_cast<std::uint32_t>(devices.size()), shared, "device");
  for (std::size_t i = 0; i < devices.size(); ++i) cluster.places[i].name = devices[i].name;
  if (shared) return cluster;
  find_access(cluster, opened);
  find_collectives(cluster, opened);
  return cluster;
}

}  // namespace

OpenDevices::OpenDevices(const plugin::DevicePlugin& plugin, std::uint32_t devices,
                         std::uint32_t threads) {
  const convoy_device_request request{sizeof(request), devices, threads};
  const std::uint32_t count = plugin.count(request);
  for (std::uint32_t i = 0; i < count; ++i) {
    opened_.push_back(std::make_unique<plugin::OpenDevice>(plugin, request, i));
    descriptions_.push_back(opened_.back()->describe());
  }
  cluster_ = make_cluster(descriptions_, opened_);
  cluster_.joins_updates = all_have(CONVOY_DEVICE_JOINS_UPDATES);
  constexpr std::uint32_t kLanesPerPriority = CONVOY_LANE_UPDATE + 1;
  cluster_.device_priorities = std::ranges::all_of(descriptions_, [](const auto& device) {
    return device.lanes >= kLanesPerPriority * CONVOY_PRIORITIES;
  });
  cluster_.groups.numa = numa_groups(descriptions_);
  for (const plan::Place& place : cluster_.places) {
    const auto index = static_cast<std::uint32_t>(engines_.size());
    const std::uint32_t engine = place.kind == CONVOY_PLACE_DEVICE ? index
                                 : place.served_by.empty()         ? 0
                                                                   : place.served_by.front();
    engines_.push_back(opened_[engine].get());
  }
}

void OpenDevices::locate(plan::ReplicaGroups groups,
                         std::function<plan::Route(std::uint32_t, std::uint32_t)> route) {
  cluster_.groups = std::move(groups);
  cluster_.route = std::move(route);
}

bool OpenDevices::all_have(std::uint32_t flag) const {
  return std::all_of(descriptions_.begin(), descriptions_.end(),
                     [flag](const auto& device) { return (device.flags & flag) != 0; });
}

std::string OpenDevices::spanning_refusal() const {
  for (std::size_t i = 0; i < opened_.size(); ++i)
    if (const auto reason = opened_[i]->spanning_refusal())
      return fmt::format("{}: {}", descriptions_[i].name, *reason);
  return cluster_.no_device_collectives;
}

std::vector<double> OpenDevices::measure(convoy_measurement what) {
  std::vector<std::future<double>> rates;
  for (const auto& device : opened_)
    rates.push_back(std::async(std::launch::async, [&] { return device->measure(what); }));
  std::vector<double> result;
  result.reserve(rates.size());
  for (std::future<double>& rate : rates) result.push_back(rate.get());
  return result;
}

void OpenDevices::abandon() {
  for (const std::unique_ptr<plugin::OpenDevice>& device : opened_) device->abandon();
}

}  // namespace convoy::runtime
