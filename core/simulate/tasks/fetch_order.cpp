#include "core/simulate/tasks/fetch_order.hpp"

#include <algorithm>
#include <span>

namespace convoy::simulate {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014) gives the same numbers with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  // A number in [0, 1).
  double uniform() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

class FetchSorter {
 public:
  FetchSorter(const plan::Plan& plan, const plan::DependencyLists& dependencies,
              const SimulationOptions& options)
      : plan_(plan),
        dependencies_(dependencies),
        order_(options.software.fetch_order),
        disorder_(options.software.fetch_disorder),
        random_(options.seed) {}

  void sort(plan::Lane& lane) {
    auto& operations = lane.operations;
    for (std::size_t begin = 0; begin < operations.size(); ++begin) {
      std::size_t end = begin;
      while (end < operations.size() && is_fetch(operations[end]) &&
             plan_.body[operations[end]].phase == plan_.body[operations[begin]].phase)
        ++end;
      if (end == begin) continue;
      arrange({operations.data() + begin, end - begin});
      begin = end - 1;
    }
  }

 private:
  bool is_fetch(std::uint32_t index) const {
    const plan::Operation& operation = plan_.body[index];
    if (operation.kind != plan::OperationKind::kCopy) return false;
    const plan::PlanBuffer& target = plan_.buffers[operation.writes.front().buffer];
    const auto waits = dependencies_[index];
    return target.kind == CONVOY_BUFFER_PARAMETERS &&
           std::none_of(waits.begin(), waits.end(),
                        [](const plan::Dependency& wait) { return wait.distance == 0; });
  }

  // The first layers' variables are at the arena's end.
  void arrange(std::span<std::uint32_t> fetches) {
    const auto first = [&](std::uint32_t i) { return plan_.body[i].writes.front().first; };
    std::stable_sort(fetches.begin(), fetches.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return first(a) > first(b); });
    if (order_ == FetchOrder::kReverse) std::reverse(fetches.begin(), fetches.end());
    if (order_ == FetchOrder::kRandom) disturb(fetches);
  }

  // Delays every fetch by up to a share of all fetches.
  void disturb(std::span<std::uint32_t> fetches) {
    const double most = disorder_ * static_cast<double>(fetches.size());
    std::vector<std::pair<double, std::uint32_t>> keys;
    for (const std::uint32_t fetch : fetches)
      keys.emplace_back(static_cast<double>(keys.size()) + most * random_.uniform(), fetch);
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i < keys.size(); ++i) fetches[i] = keys[i].second;
  }

  const plan::Plan& plan_;
  const plan::DependencyLists& dependencies_;
  FetchOrder order_;
  double disorder_;
  Random random_;
};

}  // namespace

void order_fetches(const plan::Plan& lowered, const plan::DependencyLists& dependencies,
                   const SimulationOptions& options, plan::Schedule& schedule) {
  if (options.software.fetch_order == FetchOrder::kPlanned) return;
  FetchSorter sorter(lowered, dependencies, options);
  for (plan::Lane& lane : schedule.lanes) {
    sorter.sort(lane);
    for (std::uint32_t at = 0; at < lane.operations.size(); ++at)
      schedule.operations[lane.operations[at]].position = at;
  }
}

}  // namespace convoy::simulate
