#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace convoy::simulate {

// A flow sends `weight` bytes over the link for each of its own: a ring may pass a link twice, and
// every part of it carries 2 (n - 1) / n of what is reduced.
struct LinkShare {
  std::uint32_t link = 0;
  double weight = 1;
};

struct LinkCapacity {
  double bytes_per_second = 0;
  // A network card that several senders fill at once loses this part per further sender.
  double incast_loss = 0;
};

// Max-min fair rates by progressive filling: all flows grow alike until a link is full or a flow
// has its limit; these keep their rate and the others grow on. Only what is connected to a change
// is computed again. Infinite rates are possible, for flows without links and limit.
class FairShares {
 public:
  struct Flow {
    std::span<const LinkShare> links;
    std::vector<std::uint32_t> places;  // in the lists of the links, same order
    double limit = 0;
    double rate = 0;
    bool active = false;
    std::uint32_t mark = 0;
  };
  std::vector<Flow> flows;

  explicit FairShares(std::vector<LinkCapacity> links);

  void insert(std::uint32_t flow);  // its fields are set
  void erase(std::uint32_t flow);
  // Takes effect with the next share() that the link is part of.
  void set_capacity(std::uint32_t link, double bytes_per_second);
  // Computes the rates of all flows connected to these links or flows; returns them.
  const std::vector<std::uint32_t>& share(std::span<const std::uint32_t> links,
                                          std::span<const std::uint32_t> touched);

 private:
  struct Link {
    LinkCapacity capacity;
    std::vector<std::uint32_t> flows;
    std::vector<std::uint32_t> indices;  // which of the flow's links this is
    double left = 0;                     // capacity that no fixed flow has
    double weight = 0;                   // of the flows that still grow
    std::uint32_t growing = 0;
    std::uint32_t mark = 0;
  };
  struct Candidate {
    double rate = 0;
    std::uint32_t index = 0;
    bool is_flow = false;
  };

  void visit_link(std::uint32_t link);
  void visit_flow(std::uint32_t flow);
  void fill();
  void fix(std::uint32_t flow, double rate);
  void push(const Candidate& candidate);
  double fair_rate(const Link& link) const;

  std::vector<Link> links_;
  std::uint32_t mark_ = 0;
  std::vector<std::uint32_t> component_links_;
  std::vector<std::uint32_t> component_flows_;
  std::vector<Candidate> heap_;
};

}  // namespace convoy::simulate
