#include "topology/catalogue/catalogue_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "topology/catalogue/nvlink_switches.hpp"
#include "topology/graph/graph_edit.hpp"

namespace convoy::topology {
namespace {

std::string said_by_catalogue(const std::string& source) {
  return "catalogue: " + source;
}

void describe_gpu(Node& gpu, const DeviceEntry& entry) {
  if (gpu.model.empty()) gpu.model = entry.name;
  if (!gpu.memory_bytes.known() && entry.memory_bytes.known())
    gpu.memory_bytes = {static_cast<std::uint64_t>(*entry.memory_bytes.value),
                        said_by_catalogue(entry.memory_bytes.source)};
  if (!gpu.memory_bytes_per_second.known() && entry.memory_bytes_per_second.known())
    gpu.memory_bytes_per_second = {entry.memory_bytes_per_second.value,
                                   said_by_catalogue(entry.memory_bytes_per_second.source)};
}

Fact<double> rate_of(const DeviceEntry& entry, double bricks) {
  if (!entry.nvlink_bytes_per_second.known()) return {};
  return {*entry.nvlink_bytes_per_second.value * bricks,
          said_by_catalogue(entry.nvlink_bytes_per_second.source)};
}

class NvlinkFacts {
 public:
  NvlinkFacts(Machine& machine, const std::map<std::size_t, const DeviceEntry*>& entries)
      : machine_(machine), entries_(entries) {}

  void add() {
    bool any = false;
    for (Link& link : machine_.links) {
      if (link.kind != LinkKind::nvlink) continue;
      any = true;
      const auto entry = entries_.find(entries_.contains(link.a) ? link.a : link.b);
      if (entry == entries_.end()) continue;
      const Fact<double> rate = rate_of(*entry->second, link.count);
      for (Fact<double>* direction : {&link.a_to_b, &link.b_to_a})
        if (!direction->known() && rate.known()) *direction = rate;
    }
    if (!any) add_missing();
  }

 private:
  void add_missing() {
    std::map<std::uint32_t, std::vector<std::size_t>> linked;  // per host
    for (const auto& [gpu, entry] : entries_)
      if (entry->nvlink_bricks.known()) linked[machine_.nodes[gpu].host].push_back(gpu);
    for (const auto& [host, gpus] : linked) {
      const DeviceEntry& entry = *entries_.at(gpus.front());
      const bool alike = std::all_of(gpus.begin(), gpus.end(),
                                     [&](std::size_t gpu) { return entries_.at(gpu) == &entry; });
      if (gpus.size() < 2) continue;
      if (alike && entry.nvswitch_gpus.value_or(0) == static_cast<double>(gpus.size()))
        add_switch(gpus, entry, host);
      else
        machine_.notes.push_back(fmt::format(
            "{} has NVLink, but no source tells which GPUs it joins: none is assumed", entry.name));
    }
  }

  void add_switch(const std::vector<std::size_t>& gpus, const DeviceEntry& entry,
                  std::uint32_t host) {
    const double bricks = *entry.nvlink_bricks.value;
    Fact<double> rate = rate_of(entry, bricks);
    rate.source = "assumed: " + entry.nvswitch_gpus.source;
    const std::size_t middle = append_node(machine_, NodeKind::nvswitch, "nvswitch", {});
    machine_.nodes[middle].host = host;
    for (const std::size_t gpu : gpus)
      append_link(machine_, gpu, middle, LinkKind::nvlink, rate,
                  static_cast<std::uint32_t>(bricks));
    machine_.notes.push_back(
        fmt::format("no source tells of NVLink: {} GPUs {} are assumed to hang on NVSwitches",
                    gpus.size(), entry.name));
  }

  Machine& machine_;
  const std::map<std::size_t, const DeviceEntry*>& entries_;
};

}  // namespace

void add_catalogue_facts(Machine& machine, const Catalogue& catalogue) {
  std::map<std::size_t, const DeviceEntry*> entries;
  for (const std::size_t gpu : nodes_of(machine, NodeKind::gpu)) {
    const DeviceEntry* entry = catalogue.find_device(machine.nodes[gpu]);
    if (entry == nullptr) continue;
    entries.emplace(gpu, entry);
    describe_gpu(machine.nodes[gpu], *entry);
  }
  replace_links_by_switches(machine, entries);
  NvlinkFacts(machine, entries).add();
}

}  // namespace convoy::topology
