#include "core/simulate/collectives/collective_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/text/counted.hpp"
#include "core/simulate/collectives/in_switch_chunks.hpp"

namespace convoy::simulate {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

std::size_t host_column(std::size_t hosts) {
  return std::min<std::size_t>(hosts, 3) - 1;
}

double rate_at(const ProtocolCost& cost, double bytes) {
  if (cost.rate_by_size.empty()) return 1;
  const auto power = std::bit_width(static_cast<std::uint64_t>(std::max(bytes, 64.0)) / 64) - 1;
  const std::size_t last = cost.rate_by_size.size() - 1;
  const auto at = static_cast<std::size_t>(power);
  return at > last ? 1 : cost.rate_by_size[at];
}

bool uses_protocols(CollectiveAlgorithm algorithm) {
  return algorithm == CollectiveAlgorithm::kRing || algorithm == CollectiveAlgorithm::kTree ||
         algorithm == CollectiveAlgorithm::kRails;
}

}  // namespace

std::string text(const CollectiveChoice& choice) {
  return fmt::format("{}, {}, {}", name(choice.algorithm), name(choice.protocol),
                     counted(choice.channels, "channel"));
}

CollectiveModel::CollectiveModel(const SimulatedMachine& machine, const CollectiveLibrary& library,
                                 RouteTable& routes, const std::vector<std::uint32_t>& places)
    : machine_(machine),
      library_(library),
      routes_(routes),
      group_(machine, library, routes, places) {}

CollectiveModel::Options& CollectiveModel::options(plan::OperationKind kind) {
  const auto [it, is_new] = options_.try_emplace(kind);
  if (!is_new) return it->second;
  it->second.patterns = collective_patterns(group_, library_, kind, machine_.network_reduces);
  for (const CollectivePattern& pattern : it->second.patterns) add_options(it->second, pattern);
  return it->second;
}

void CollectiveModel::add_options(Options& options, const CollectivePattern& pattern) {
  if (!uses_protocols(pattern.algorithm) || !group_.delivers_in_order()) {
    options.all.push_back(make_option(pattern, Protocol::kSimple));
    return;
  }
  options.all.push_back(make_option(pattern, Protocol::kLl));
  if (group_.generation().ll128 && group_.is_over_nvlink())
    options.all.push_back(make_option(pattern, Protocol::kLl128));
  options.all.push_back(make_option(pattern, Protocol::kSimple));
}

CollectiveModel::Option CollectiveModel::make_option(const CollectivePattern& pattern,
                                                     Protocol protocol) {
  Option option;
  option.pattern = &pattern;
  option.choice.algorithm = pattern.algorithm;
  option.choice.protocol = protocol;
  option.choice.channels = pattern.channels;
  double share = 1;
  if (uses_protocols(pattern.algorithm)) {
    const auto at = static_cast<std::size_t>(protocol);
    const bool is_tree = pattern.algorithm == CollectiveAlgorithm::kTree;
    option.cost = is_tree ? &library_.tree[at] : &library_.ring[at];
    share = group_.hosts().size() > 1 ? option.cost->share_between_hosts : option.cost->share;
  }
  RouteSum sum;
  for (const LinkShare& load : pattern.loads) sum.add(load.link, load.weight / share, load.bytes);
  option.choice.route = routes_.add(sum);
  option.choice.bytes_per_second = routes_.capacity(option.choice.route);
  option.choice.limit = kUnlimited;
  const std::size_t column = host_column(group_.hosts().size());
  const CollectiveGeneration& generation = group_.generation();
  // The limits hold for the bytes that pass a device. A tree sends everything twice, up and down.
  const double passes = pattern.algorithm == CollectiveAlgorithm::kTree ? 2 : pattern.passes;
  if (protocol == Protocol::kLl) option.choice.limit = generation.ll_limit[column] / passes;
  option.choice.limit =
      std::min(option.choice.limit, channel_limit(pattern, protocol) * pattern.channels / passes);
  return option;
}

// The highest rate of a channel, for the bytes that pass a device.
double CollectiveModel::channel_limit(const CollectivePattern& pattern, Protocol protocol) const {
  const CollectiveGeneration& generation = group_.generation();
  const std::size_t hosts = group_.hosts().size();
  if (pattern.algorithm == CollectiveAlgorithm::kTree)
    return generation.tree_channel_limit[host_column(hosts)];
  if (pattern.algorithm != CollectiveAlgorithm::kRing || hosts == 1) return kUnlimited;
  const ProtocolCost& cost = library_.ring[static_cast<std::size_t>(protocol)];
  const double of_data = cost.share_between_hosts * generation.ring_channel_limit;
  return protocol == Protocol::kLl128 ? std::min(of_data, generation.ring_ll128_channel_limit)
                                      : of_data;
}

bool CollectiveModel::is_allowed(const CollectivePattern& pattern, std::uint32_t algorithm) const {
  if (algorithm == CONVOY_ALGORITHM_RING) return pattern.algorithm == CollectiveAlgorithm::kRing;
  if (algorithm == CONVOY_ALGORITHM_TREE) return pattern.algorithm == CollectiveAlgorithm::kTree;
  return library_.has[static_cast<std::size_t>(pattern.algorithm)];
}

CollectiveChoice CollectiveModel::choose(plan::OperationKind kind, std::uint32_t algorithm,
                                         double bytes) {
  const Options& options = this->options(kind);
  const bool as_planned = std::ranges::any_of(options.all, [&](const Option& option) {
    return reduces_in_switch(option) && is_allowed(*option.pattern, algorithm);
  });
  CollectiveChoice best;
  double least = kUnlimited;
  const auto consider = [&](bool any) {
    for (const Option& option : options.all) {
      if (!any && !is_allowed(*option.pattern, algorithm)) continue;
      const CollectiveChoice choice = sized(option, bytes);
      const double seconds =
          as_planned ? planned_seconds(option, choice, bytes) : choice.seconds(bytes);
      if (seconds < least) best = choice;
      least = std::min(least, seconds);
    }
  };
  consider(false);
  if (best.bytes_per_second == 0) consider(true);  // the operation lacks the requested algorithm
  CONVOY_CHECK(best.bytes_per_second > 0);
  return best;
}

CollectiveChoice CollectiveModel::sized(const Option& option, double bytes) const {
  CollectiveChoice choice = option.choice;
  double part = option.cost == nullptr ? 1 : rate_at(*option.cost, bytes);
  if (reduces_in_switch(option))
    part = 1 / in_switch_slowdown(chunk_bytes(bytes), group_.generation().in_switch_chunk_cost);
  if (part < 1) choice.limit = std::min(choice.limit, part * choice.bytes_per_second);
  choice.bytes_per_second = std::min(choice.bytes_per_second, choice.limit);
  choice.latency_seconds = latency(option, choice, bytes);
  return choice;
}

bool CollectiveModel::reduces_in_switch(const Option& option) const {
  return group_.hosts().size() == 1 && option.choice.algorithm == CollectiveAlgorithm::kInSwitch;
}

double CollectiveModel::chunk_bytes(double bytes) const {
  return in_switch_chunk_bytes(bytes, chunks_at_once());
}

// NVIDIA/nccl 2.30, device.h: at most 32 devices have chunks of their own (NCCL_MAX_NVLS_ARITY).
double CollectiveModel::chunks_at_once() const {
  constexpr std::size_t kMostDevices = 32;
  return group_.generation().in_switch_channels *
         static_cast<double>(std::min(group_.devices(), kMostDevices));
}

// The library's own estimate. It has the same latencies for all generations and one rate for every
// size, so up to 64 MB it takes the switches of B200 although rings would be faster.
double CollectiveModel::planned_seconds(const Option& option, const CollectiveChoice& choice,
                                        double bytes) const {
  if (reduces_in_switch(option))
    return library_.in_switch_seconds + bytes / option.choice.bytes_per_second;
  return option.cost->base_seconds + option.pattern->local_steps * option.cost->hop.nvlink +
         bytes / choice.bytes_per_second;
}

double CollectiveModel::latency(const Option& option, const CollectiveChoice& choice,
                                double bytes) const {
  const CollectivePattern& pattern = *option.pattern;
  const CollectiveGeneration& generation = group_.generation();
  const double launch =
      library_.launch_seconds + library_.launch_seconds_per_device * group_.most_in_a_process();
  const double large = bytes / (bytes + library_.full_slice_bytes);
  if (reduces_in_switch(option))
    return launch + library_.in_switch_rounds * chunks_at_once() * chunk_bytes(bytes) /
                        choice.bytes_per_second;
  if (option.cost == nullptr) return launch + switch_latency(pattern, large);
  const ProtocolCost& cost = *option.cost;
  const Protocol protocol = option.choice.protocol;
  const double scale = group_.hosts().size() == 1 ? generation.latency_scale : 1;
  double local = scale * (group_.is_over_nvlink() ? cost.hop.nvlink : cost.hop.pcie);
  const bool is_tree = pattern.algorithm == CollectiveAlgorithm::kTree;
  if (!is_tree && pattern.network_steps > 0)
    local = std::max(local, group_.proxy_seconds() * (protocol == Protocol::kSimple ? 3 : 1));
  double seconds = scale * cost.base_seconds + pattern.local_steps * local +
                   pattern.network_steps * (cost.hop.network + card_seconds(protocol));
  if (is_tree) return launch + seconds + large * pattern.network_steps * slice_seconds();
  // NVIDIA/nccl 2.30, tuning.cc: of rings, all_reduce alone has a plateau.
  if (protocol == Protocol::kSimple && pattern.network_steps > 0 && pattern.is_all_reduce)
    seconds *= generation.plateau;
  if (protocol != Protocol::kLl && pattern.network_steps == 0)
    seconds += large * generation.slice_seconds * (pattern.local_steps + pattern.network_steps);
  return launch + seconds;
}

double CollectiveModel::switch_latency(const CollectivePattern& pattern, double large) const {
  const double card = card_seconds(Protocol::kSimple);
  const double in_host =
      library_.in_switch_seconds + large * library_.in_switch_slice_seconds_per_device *
                                       static_cast<double>(group_.most_on_a_host());
  if (pattern.algorithm == CollectiveAlgorithm::kInNetwork)
    return in_host + library_.network_reduce_seconds + card;
  return in_host + pattern.network_steps *
                       (library_.in_switch_network_seconds + card + large * slice_seconds());
}

// NVIDIA/nccl 2.30, tuning.cc: with Simple, a card's latency counts a second time, for the flush
// after its bytes.
double CollectiveModel::card_seconds(Protocol protocol) const {
  return group_.card_seconds() * (protocol == Protocol::kSimple ? 2 : 1);
}

// The time of a slice over the slowest card.
double CollectiveModel::slice_seconds() const {
  return library_.slice_bytes / group_.card_bytes_per_second();
}

}  // namespace convoy::simulate
