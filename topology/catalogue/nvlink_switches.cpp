#include "topology/catalogue/nvlink_switches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "topology/graph/graph_edit.hpp"
#include "topology/read/pci_class.hpp"

namespace convoy::topology {
namespace {

// For a GPU that the catalogue does not know: no kind up to Blackwell has more bricks.
constexpr double kBricksOfUnknownGpus = 18;

// A GPU's links to other GPUs, of which only the number is known.
struct CountedLinks {
  double bricks = 0;              // of all links together
  std::uint32_t most = 0;         // the most bricks to one other GPU
  std::vector<std::size_t> ends;  // the other GPUs
};

class SwitchesInstead {
 public:
  SwitchesInstead(Machine& machine, const std::map<std::size_t, const DeviceEntry*>& entries)
      : machine_(machine), entries_(entries) {}

  void replace() {
    for (const Link& link : machine_.links) {
      if (!is_counted(link)) continue;
      count(link.a, link.b, link.count);
      count(link.b, link.a, link.count);
    }
    std::set<std::size_t> done;
    for (const auto& [gpu, links] : counted_) {
      if (done.contains(gpu)) continue;
      const std::set<std::size_t> joined = joined_with(gpu);
      done.insert(joined.begin(), joined.end());
      if (std::ranges::any_of(joined, [&](std::size_t it) { return has_too_many(it); }))
        add_switch(joined);
    }
  }

 private:
  bool may_have_switches(std::size_t node) const {
    const Node& it = machine_.nodes[node];
    return it.kind == NodeKind::gpu && (!it.id || it.id->vendor == kNvidia);
  }

  bool is_counted(const Link& link) const {
    return link.kind == LinkKind::nvlink && !link.a_to_b.known() && !link.b_to_a.known() &&
           may_have_switches(link.a) && may_have_switches(link.b);
  }

  void count(std::size_t gpu, std::size_t other, std::uint32_t bricks) {
    CountedLinks& it = counted_[gpu];
    it.bricks += bricks;
    it.most = std::max(it.most, bricks);
    it.ends.push_back(other);
  }

  // Returns the GPU and all GPUs that its links lead to, directly or over others.
  std::set<std::size_t> joined_with(std::size_t gpu) const {
    std::set<std::size_t> joined{gpu};
    std::vector<std::size_t> left{gpu};
    while (!left.empty()) {
      const std::size_t next = left.back();
      left.pop_back();
      for (const std::size_t other : counted_.at(next).ends)
        if (joined.insert(other).second) left.push_back(other);
    }
    return joined;
  }

  bool has_too_many(std::size_t gpu) const {
    const auto entry = entries_.find(gpu);
    const double most = entry == entries_.end()
                            ? kBricksOfUnknownGpus
                            : entry->second->nvlink_bricks.value_or(kBricksOfUnknownGpus);
    return counted_.at(gpu).bricks > most;
  }

  void add_switch(const std::set<std::size_t>& gpus) {
    std::string source;
    std::erase_if(machine_.links, [&](const Link& link) {
      if (!is_counted(link) || !gpus.contains(link.a)) return false;
      source = link.a_to_b.source;
      return true;
    });
    const std::size_t present = nodes_of(machine_, NodeKind::nvswitch).size();
    const std::size_t middle =
        append_node(machine_, NodeKind::nvswitch,
                    present == 0 ? "nvswitch" : fmt::format("nvswitch{}", present), {});
    machine_.nodes[middle].host = machine_.nodes[*gpus.begin()].host;
    for (const std::size_t gpu : gpus)
      append_link(machine_, gpu, middle, LinkKind::nvlink, {{}, source}, counted_.at(gpu).most);
    const CountedLinks& first = counted_.at(*gpus.begin());
    machine_.notes.push_back(
        fmt::format("{} shows {} NVLinks to other GPUs, more than a GPU has: {} GPUs hang on "
                    "NVSwitches, with {} links each",
                    machine_.nodes[*gpus.begin()].name, first.bricks, gpus.size(), first.most));
  }

  Machine& machine_;
  const std::map<std::size_t, const DeviceEntry*>& entries_;
  std::map<std::size_t, CountedLinks> counted_;
};

}  // namespace

void replace_links_by_switches(Machine& machine,
                               const std::map<std::size_t, const DeviceEntry*>& entries) {
  SwitchesInstead(machine, entries).replace();
}

}  // namespace convoy::topology
