#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/simulate/flows/rate_queue.hpp"

namespace convoy::simulate {

// A flow sends `bytes` over the link for each of its own: a ring may pass a link twice, and every
// part of it carries 2 (n - 1) / n of what is reduced. They take as much of the link as `weight`
// bytes of a copy: collectives may reach less of its rate than copies, or more.
struct LinkShare {
  std::uint32_t link = 0;
  double weight = 1;
  double bytes = 1;
};

struct LinkCapacity {
  double bytes_per_second = 0;
  // A network card that several senders fill at once loses this part per further sender.
  double incast_loss = 0;
};

// Max-min fair rates: every flow has its limit, or a full link on which no other flow is faster. A
// change is followed only as far as it reaches: flows and full links around it are shared anew by
// progressive filling (all flows grow alike until a link is full or a flow has its limit), links
// that turn out to be touched join, until all others stay as they were. A link with room to spare
// passes no change on, so that the cost is that of the flows that change. Infinite rates are
// possible, for flows without links and limit.
class FairShares {
 public:
  struct alignas(64) Flow {  // one line of the processor's cache
    std::span<const LinkShare> links;
    std::vector<std::uint32_t> places;  // in the lists of the links, same order
    double limit = 0;
    double rate = 0;
    bool active = false;
    std::uint32_t mark = 0;
  };
  std::vector<Flow> flows;

  explicit FairShares(std::vector<LinkCapacity> links);

  void insert(std::uint32_t flow);  // its fields are set, but for the rate
  void erase(std::uint32_t flow);
  // Takes effect with the next share() that is told of the link.
  void set_capacity(std::uint32_t link, double bytes_per_second);
  // Computes all rates anew after changes of these links (of flows erased, of capacity) and flows
  // (inserted, with new limits). Returns, in ascending order, all flows whose rate may be another.
  const std::vector<std::uint32_t>& share(std::span<const std::uint32_t> links,
                                          std::span<const std::uint32_t> touched);

 private:
  static constexpr double kRoom = std::numeric_limits<double>::infinity();

  // A flow on a link.
  struct Passenger {
    std::uint32_t flow = 0;
    std::uint32_t index = 0;  // which of the flow's links this is
    double weight = 0;        // of it there
  };
  // All but the lists is in one line of the processor's cache.
  struct alignas(64) Link {
    double whole = 0;      // what it carries, with as many senders as there are
    double load = 0;       // of all its flows
    double level = kRoom;  // the rate at which it stops flows, when it is full
    double left = 0;       // capacity that no fixed flow has
    double weight = 0;     // of the flows that still grow
    double demand = 0;     // the most that new flows add: whether it is worth opening at once
    std::uint32_t growing = 0;
    std::uint32_t open_mark = 0;
    std::uint32_t changed_mark = 0;
    std::vector<Passenger> flows;
    LinkCapacity capacity;
  };

  // Only the source file uses those that are inline: without the word, code that may be loaded
  // anywhere calls each of them.
  bool is_open(const Link& link) const { return link.open_mark == mark_; }
  inline void note_change(std::uint32_t link);
  inline void open(std::uint32_t link);
  inline void release(std::uint32_t flow);
  double open_narrowest(const Flow& flow);
  // Takes the new rates over and opens the links that they do not leave as they were.
  bool open_what_changed();
  inline double bound(const Flow& flow) const;
  void fill();
  inline void begin_link(std::uint32_t index);
  inline void fix(std::uint32_t flow, double rate);
  inline void fix_at_bounds(double rate);
  static inline void find_whole(Link& link);
  static inline double fair_rate(const Link& link);

  std::vector<Link> links_;
  std::uint32_t mark_ = 0;
  std::vector<std::uint32_t> open_links_;
  std::vector<std::uint32_t> free_flows_;
  std::vector<std::uint32_t> changed_links_;
  std::vector<double> filled_;   // per flow: its rate by the last fill
  std::vector<AtRate> bounded_;  // flows that have their bound then, the lowest first
  std::size_t next_bounded_ = 0;
  RateQueue full_next_;  // links that may be full then
};

}  // namespace convoy::simulate
