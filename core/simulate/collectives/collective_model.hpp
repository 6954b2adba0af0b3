#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/simulate/collectives/collective_patterns.hpp"
#include "core/simulate/machine/simulated_machine.hpp"

namespace convoy::simulate {

// How a library carries out one collective.
struct CollectiveChoice {
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::kRing;
  Protocol protocol = Protocol::kSimple;
  std::uint32_t channels = 1;
  double latency_seconds = 0;   // until the bytes flow at their full rate
  double bytes_per_second = 0;  // of the whole span, with nothing else on the machine
  double limit = 0;             // the most that it takes of idle links; infinity = all they have
  std::uint32_t route = kNone;  // the number of its route in the graph

  double seconds(double bytes) const { return latency_seconds + bytes / bytes_per_second; }
};

std::string text(const CollectiveChoice& choice);  // "ring, LL128, 12 channels"

// A library's collectives among one set of devices. It has every pattern with every protocol and
// chooses the one that takes the least time. Where the switches of one host reduce, it chooses the
// one that the library expects to take the least time. Patterns are searched once per kind of
// operation.
class CollectiveModel {
 public:
  CollectiveModel(const SimulatedMachine& machine, const CollectiveLibrary& library,
                  RouteTable& routes, const std::vector<std::uint32_t>& places);

  // `bytes` is the size of the whole span. `algorithm` is the convoy_algorithm that the plan asks
  // for; unless it is a ring or a tree, the library chooses.
  CollectiveChoice choose(plan::OperationKind kind, std::uint32_t algorithm, double bytes);

 private:
  struct Option {
    CollectiveChoice choice;  // without the fields that depend on the size
    const CollectivePattern* pattern = nullptr;
    const ProtocolCost* cost = nullptr;  // null: the switches reduce
  };
  struct Options {
    std::vector<CollectivePattern> patterns;
    std::vector<Option> all;
  };
  Options& options(plan::OperationKind kind);
  void add_options(Options& options, const CollectivePattern& pattern);
  Option make_option(const CollectivePattern& pattern, Protocol protocol);
  double channel_limit(const CollectivePattern& pattern, Protocol protocol) const;
  bool is_allowed(const CollectivePattern& pattern, std::uint32_t algorithm) const;
  CollectiveChoice sized(const Option& option, double bytes) const;
  bool reduces_in_switch(const Option& option) const;  // of one host
  double chunks_at_once() const;
  double chunk_bytes(double bytes) const;
  double planned_seconds(const Option& option, const CollectiveChoice& choice, double bytes) const;
  double latency(const Option& option, const CollectiveChoice& choice, double bytes) const;
  double card_seconds(Protocol protocol) const;
  double slice_seconds() const;
  double switch_latency(const CollectivePattern& pattern, double large) const;

  const SimulatedMachine& machine_;
  const CollectiveLibrary& library_;
  RouteTable& routes_;
  CollectiveGroup group_;
  std::map<plan::OperationKind, Options> options_;
};

}  // namespace convoy::simulate
