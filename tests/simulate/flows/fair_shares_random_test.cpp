#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <random>

#include "core/simulate/flows/fair_shares.hpp"
#include "tests/simulate/naive_shares.hpp"

namespace convoy::simulate {
namespace {

using testing::naive_rates;
using testing::NaiveFlow;

constexpr double kWithoutLimit = std::numeric_limits<double>::infinity();

// Hosts with a narrow link per device, a wide memory that all of the host's flows pass, and a
// network; now and then a link that anything passes, and rings over all links. Like a machine, but
// for the figures.
class RandomMachine {
 public:
  explicit RandomMachine(std::uint32_t seed) : random_(seed) {
    hosts_ = 1 + below(5);
    for (std::uint32_t link = 0; link < hosts_ * kPerHost + 1; ++link) {
      const double loss = below(4) == 0 ? 0.05 : 0;
      const bool is_memory = link % kPerHost == 0;
      links_.push_back({is_memory ? 5.0 + below(60) : 1.0 + below(12), loss});
    }
    shares_ = std::make_unique<FairShares>(links_);
  }

  // Several changes at one point in time.
  void change() {
    std::vector<std::uint32_t> touched_links;
    std::vector<std::uint32_t> touched_flows;
    for (std::uint32_t changes = 1 + below(4); changes > 0; --changes) {
      const std::uint32_t kind = below(10);
      if (kind < 5 || flows_.empty())
        touched_flows.push_back(insert());
      else if (kind < 8)
        erase(touched_links);
      else if (kind < 9)
        touched_flows.push_back(set_limit());
      else
        touched_links.push_back(set_capacity());
    }
    shares_->share(touched_links, touched_flows);
  }

  void expect_naive_rates() const {
    std::vector<NaiveFlow> flows;
    for (const auto& [flow, it] : flows_) flows.push_back(*it);
    const std::vector<double> expected = naive_rates(links_, flows);
    std::size_t i = 0;
    for (const auto& [flow, it] : flows_) {
      const double rate = shares_->flows[flow].rate;
      if (rate != expected[i]) {
        EXPECT_NEAR(rate, expected[i], 1e-9 * expected[i]) << "flow " << flow;
      }
      ++i;
    }
  }

 private:
  static constexpr std::uint32_t kPerHost = 7;  // memory, network out and in, four devices

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_()) % bound; }
  double some_limit() { return below(3) == 0 ? 0.1 + below(8) : kWithoutLimit; }

  std::uint32_t insert() {
    auto flow = std::make_unique<NaiveFlow>();
    const std::uint32_t from = below(hosts_);
    const std::uint32_t to = below(hosts_);
    flow->links = {{from * kPerHost, 1}};
    if (from != to) {
      flow->links.push_back({from * kPerHost + 1, 1});
      flow->links.push_back({to * kPerHost, 1});
      flow->links.push_back({to * kPerHost + 2, 1});
    } else {
      flow->links.push_back({from * kPerHost + 3 + below(4), 1.0 + 0.5 * below(3)});
    }
    if (below(8) == 0) flow->links.push_back({hosts_ * kPerHost, 0.25});
    if (below(20) == 0) flow->links.clear();
    if (below(12) == 0) flow->links = ring();
    flow->limit = some_limit();
    std::uint32_t number = 0;
    while (flows_.contains(number)) ++number;
    if (shares_->flows.size() <= number) shares_->flows.resize(number + 1);
    shares_->flows[number].links = flow->links;
    shares_->flows[number].limit = flow->limit;
    shares_->insert(number);
    flows_[number] = std::move(flow);
    return number;
  }

  // Over all links, in some order.
  std::vector<LinkShare> ring() {
    std::vector<LinkShare> links;
    for (std::uint32_t link = 0; link < links_.size(); ++link) links.push_back({link, 0.5});
    std::shuffle(links.begin(), links.end(), random_);
    return links;
  }

  std::uint32_t any_flow() {
    return std::next(flows_.begin(), below(static_cast<std::uint32_t>(flows_.size())))->first;
  }

  void erase(std::vector<std::uint32_t>& touched_links) {
    const std::uint32_t flow = any_flow();
    for (const LinkShare& share : flows_.at(flow)->links) touched_links.push_back(share.link);
    shares_->erase(flow);
    flows_.erase(flow);
  }

  std::uint32_t set_limit() {
    const std::uint32_t flow = any_flow();
    flows_.at(flow)->limit = shares_->flows[flow].limit = some_limit();
    return flow;
  }

  std::uint32_t set_capacity() {
    const std::uint32_t link = below(static_cast<std::uint32_t>(links_.size()));
    links_[link].bytes_per_second = 1.0 + below(20);
    shares_->set_capacity(link, links_[link].bytes_per_second);
    return link;
  }

  std::mt19937 random_;
  std::uint32_t hosts_ = 0;
  std::vector<LinkCapacity> links_;
  std::map<std::uint32_t, std::unique_ptr<NaiveFlow>> flows_;
  std::unique_ptr<FairShares> shares_;
};

TEST(FairSharesRandomTest, RatesAreThoseOfTheTextbookAfterEveryChange) {
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    RandomMachine machine(seed);
    for (int change = 0; change < 60; ++change) {
      machine.change();
      machine.expect_naive_rates();
      ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", change " << change;
    }
  }
}

}  // namespace
}  // namespace convoy::simulate
