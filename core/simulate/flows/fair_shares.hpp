#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/simulate/flows/number_sorter.hpp"
#include "core/simulate/flows/rate_list.hpp"
#include "core/simulate/flows/rate_queue.hpp"

namespace convoy::simulate {

// For each of its bytes, a flow sends `bytes` over the link: a ring may pass a link twice, and
// every part of a ring carries 2 (n - 1) / n of the reduced bytes. They keep the link as busy as
// `weight` bytes of a copy would, because collectives may reach a lower or higher rate than copies.
struct LinkShare {
  std::uint32_t link = 0;
  double weight = 1;
  double bytes = 1;
};

struct LinkCapacity {
  double bytes_per_second = 0;
  // A network card that receives from several senders loses this part of its rate per further
  // sender.
  double incast_loss = 0;
};

// Computes max-min fair rates: every flow has reached its limit, or passes a full link on which no
// other flow is faster. After a change, only the affected flows and full links are shared anew, by
// progressive filling: all flows grow alike until a link is full or a flow reaches its limit.
// Further links join when the new rates affect them. A link that is not full passes no change on,
// so the cost depends on the number of flows that change. A flow without links and without a limit
// has an infinite rate.
class FairShares {
 public:
  struct alignas(64) Flow {  // one line of the processor's cache
    std::span<const LinkShare> links;
    double limit = 0;
    double rate = 0;
    double filled = 0;       // its rate after the last filling
    double bound = 0;        // by its limit and by full links that are not open; may be kUnknown
    std::uint32_t open = 0;  // which of its links are open: see open_bit()
    std::uint32_t mark = 0;
    std::uint32_t fixed = 0;  // the last filling in which its rate was fixed
    bool active = false;
    bool has_changed = false;  // since the call began
  };
  std::vector<Flow> flows;

  explicit FairShares(std::vector<LinkCapacity> links);

  void insert(std::uint32_t flow);  // all fields but the rate are set
  void erase(std::uint32_t flow);
  // Takes effect with the next call of share() that names the link.
  void set_capacity(std::uint32_t link, double bytes_per_second);
  // Computes the rates after changes. `links` are those with another capacity or with one flow
  // less. `touched` are flows that are new or have a new limit. Returns all flows whose rate may
  // have changed, in ascending order.
  const std::vector<std::uint32_t>& share(std::span<const std::uint32_t> links,
                                          std::span<const std::uint32_t> touched);

 private:
  static constexpr double kRoom = std::numeric_limits<double>::infinity();
  static constexpr double kUnknown = -1;
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  static constexpr std::uint32_t kOpenBits = 32;

  // A flow on a link.
  struct Passenger {
    std::uint32_t flow = 0;
    std::uint32_t index = 0;  // the number of this link among the flow's links
    double weight = 0;        // of the flow on this link
  };
  // All fields except the lists fit one line of the processor's cache.
  struct alignas(64) Link {
    double whole = 0;      // capacity, with the present number of senders
    double load = 0;       // of all its flows together
    double level = kRoom;  // the rate of its fastest flows, if it is full
    double left = 0;       // capacity that flows with fixed rates leave
    double weight = 0;     // of the flows that still grow, together
    double total = 0;      // weight of all its flows together; kUnknown after one has left
    std::uint32_t growing = 0;
    std::uint32_t open_mark = 0;
    std::uint32_t changed_mark = 0;
    std::vector<Passenger> flows;
    LinkCapacity capacity;
    double demand = 0;  // the most that new flows add; decides whether it is opened at once
  };

  // Only the source file uses the inline functions. Without the word `inline`, position-independent
  // code would call each of them.
  bool is_open(const Link& link) const { return link.open_mark == mark_; }
  // The bit of the link with this number among its flow's links. The last bit is that of all
  // further links.
  static std::uint32_t open_bit(std::uint32_t index) {
    return std::uint32_t{1} << std::min(index, kOpenBits - 1);
  }
  inline void note_change(std::uint32_t link);
  inline void open(std::uint32_t link);
  inline void release(std::uint32_t flow);
  double open_narrowest(const Flow& flow);
  // Takes over the new rates and opens the links that they change.
  bool open_what_changed();
  inline void find_bound(Flow& flow) const;
  void fill();
  void fill_alone(std::uint32_t index);
  void begin_flows();
  inline void begin_link(std::uint32_t index);
  inline void fill_link(std::uint32_t index, double rate);
  inline void fix_at_bounds(double rate);
  inline bool fix(std::uint32_t flow, double rate);
  void take_from_open(const Flow& flow);
  inline void take(const LinkShare& share, double rate);
  static inline void find_whole(Link& link);
  static inline double fair_rate(const Link& link);

  std::vector<Link> links_;
  std::uint32_t mark_ = 0;   // of a call
  std::uint32_t round_ = 0;  // fillings and calls
  std::vector<std::uint32_t> open_links_;
  std::vector<std::uint32_t> free_flows_;
  std::vector<std::uint32_t> changing_flows_;  // with another rate after the last filling
  std::vector<std::uint32_t> changed_flows_;   // with another rate after any filling
  std::vector<std::uint32_t> changed_links_;
  // Per flow: its places in the lists of its links, in their order.
  std::vector<std::vector<std::uint32_t>> places_;
  NumberSorter sorter_;
  std::vector<std::uint32_t> unbound_;  // free flows whose bound must be found
  std::vector<AtRate> newly_bounded_;
  RateList bounded_;     // flows that reach their bound at this rate
  RateQueue full_next_;  // links that may be full at this rate
};

}  // namespace convoy::simulate
