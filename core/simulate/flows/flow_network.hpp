#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/simulate/flows/fair_shares.hpp"
#include "core/simulate/run/ticks.hpp"

namespace convoy::simulate {

// The transfers in progress. Add, limit and finish flows at one point in time, then call update().
// It shares the links max-min fairly among the flows that the changes affect, and returns when each
// flow whose rate changed will end. A returned end replaces an earlier one of the same flow.
class FlowNetwork {
 public:
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  explicit FlowNetwork(std::vector<LinkCapacity> links);

  // `shares` must stay valid until the flow is finished. `limit` is the highest rate of the flow in
  // bytes per second. Returns the number of the flow, which another flow may get after finish().
  std::uint32_t add(Ticks now, double bytes, std::span<const LinkShare> shares, double limit);
  void set_limit(std::uint32_t flow, double limit);
  void set_capacity(std::uint32_t link, double bytes_per_second);
  // Removes a flow that has ended.
  void finish(std::uint32_t flow);

  struct End {
    std::uint32_t flow = 0;
    Ticks at = 0;
  };
  // The result is valid until the next call.
  const std::vector<End>& update(Ticks now);
  double rate(std::uint32_t flow) const { return shares_.flows[flow].rate; }

 private:
  struct Progress {
    double bytes_left = 0;
    double rate = 0;
    Ticks since = 0;
  };
  void touch_links(std::uint32_t flow);

  FairShares shares_;
  std::vector<Progress> flows_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> touched_links_;
  std::vector<std::uint32_t> touched_flows_;
  std::vector<End> ends_;
};

}  // namespace convoy::simulate
