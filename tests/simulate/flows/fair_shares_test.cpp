#include "core/simulate/flows/fair_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <vector>

namespace convoy::simulate {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// Flows come and go; after every change only what is connected to it is shared again.
class Network {
 public:
  explicit Network(const std::vector<double>& capacities) : capacities_(capacities) {
    std::vector<LinkCapacity> links;
    links.reserve(capacities.size());
    for (const double capacity : capacities) links.push_back({capacity, 0});
    shares_.emplace(links);
  }

  std::uint32_t add(std::vector<LinkShare> links, double limit = kUnlimited) {
    const auto flow = static_cast<std::uint32_t>(paths_.size());
    paths_.push_back(std::make_unique<std::vector<LinkShare>>(std::move(links)));
    shares_->flows.emplace_back();
    shares_->flows[flow].links = *paths_[flow];
    shares_->flows[flow].limit = limit;
    shares_->insert(flow);
    shares_->share({}, std::vector<std::uint32_t>{flow});
    active_.insert(flow);
    return flow;
  }

  void remove(std::uint32_t flow) {
    std::vector<std::uint32_t> links;
    for (const LinkShare& share : *paths_[flow]) links.push_back(share.link);
    shares_->erase(flow);
    active_.erase(flow);
    shares_->share(links, {});
  }

  void set_capacity(std::uint32_t link, double capacity) {
    capacities_[link] = capacity;
    shares_->set_capacity(link, capacity);
    shares_->share(std::vector<std::uint32_t>{link}, {});
  }

  double rate(std::uint32_t flow) const { return shares_->flows[flow].rate; }
  const std::set<std::uint32_t>& active() const { return active_; }

  // Rates are max-min fair if and only if no link carries more than its capacity and every flow
  // has its limit or a full link on which no other flow is faster.
  void expect_fair() const {
    std::vector<double> load(capacities_.size(), 0);
    std::vector<double> fastest(capacities_.size(), 0);
    for (const std::uint32_t flow : active_)
      for (const LinkShare& share : *paths_[flow]) {
        load[share.link] += rate(flow) * share.weight;
        fastest[share.link] = std::max(fastest[share.link], rate(flow));
      }
    for (std::size_t link = 0; link < load.size(); ++link)
      EXPECT_LE(load[link], capacities_[link] * (1 + 1e-9)) << "link " << link;
    for (const std::uint32_t flow : active_) {
      bool held = rate(flow) >= shares_->flows[flow].limit * (1 - 1e-9);
      for (const LinkShare& share : *paths_[flow]) {
        const bool full = load[share.link] >= capacities_[share.link] * (1 - 1e-9);
        held = held || (full && rate(flow) >= fastest[share.link] * (1 - 1e-9));
      }
      EXPECT_TRUE(held) << "flow " << flow << " has " << rate(flow) << " and could have more";
    }
  }

 private:
  std::vector<double> capacities_;
  std::vector<std::unique_ptr<std::vector<LinkShare>>> paths_;
  std::optional<FairShares> shares_;
  std::set<std::uint32_t> active_;
};

TEST(FairSharesTest, SplitsALinkEvenlyAndGivesTheRestToThoseWhoCanUseIt) {
  Network network({10, 4});
  const auto alone = network.add({{0, 1}});
  EXPECT_DOUBLE_EQ(network.rate(alone), 10);
  const auto narrow = network.add({{0, 1}, {1, 1}});
  EXPECT_DOUBLE_EQ(network.rate(narrow), 4);
  EXPECT_DOUBLE_EQ(network.rate(alone), 6);
  network.remove(narrow);
  EXPECT_DOUBLE_EQ(network.rate(alone), 10);
}

TEST(FairSharesTest, WeightsCountAsSeveralPassages) {
  Network network({12});
  const auto twice = network.add({{0, 2}});
  EXPECT_DOUBLE_EQ(network.rate(twice), 6);
  const auto once = network.add({{0, 1}});
  EXPECT_DOUBLE_EQ(network.rate(twice), 4);
  EXPECT_DOUBLE_EQ(network.rate(once), 4);
}

TEST(FairSharesTest, LimitsLeaveTheirRestToOthers) {
  Network network({10});
  const auto limited = network.add({{0, 1}}, 2);
  const auto other = network.add({{0, 1}});
  EXPECT_DOUBLE_EQ(network.rate(limited), 2);
  EXPECT_DOUBLE_EQ(network.rate(other), 8);
}

TEST(FairSharesTest, RandomNetworksStayFairThroughEveryChange) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t bound) {
    return static_cast<std::uint32_t>(random() % bound);
  };
  for (int round = 0; round < 20; ++round) {
    std::vector<double> capacities;
    for (std::uint32_t i = 0; i < 3 + below(12); ++i) capacities.push_back(1 + below(20));
    Network network(capacities);
    for (int change = 0; change < 60; ++change) {
      if (!network.active().empty() && below(3) == 0) {
        auto chosen = network.active().begin();
        std::advance(chosen, below(static_cast<std::uint32_t>(network.active().size())));
        network.remove(*chosen);
      } else {
        std::vector<LinkShare> links;
        for (std::uint32_t link = 0; link < capacities.size(); ++link)
          if (below(4) == 0) links.push_back({link, 0.5 * (1 + below(4))});
        const double limit = links.empty() || below(5) == 0 ? 0.1 + below(6) : kUnlimited;
        network.add(links, limit);
      }
      network.expect_fair();
      if (::testing::Test::HasFailure()) FAIL() << "round " << round << ", change " << change;
    }
  }
}

TEST(FairSharesTest, SendersToOneReceiverLoseToInCast) {
  FairShares shares({{12, 0.5}});
  const std::vector<LinkShare> path = {{0, 1}};
  shares.flows.resize(2);
  for (std::uint32_t flow = 0; flow < 2; ++flow) {
    shares.flows[flow].links = path;
    shares.flows[flow].limit = kUnlimited;
    shares.insert(flow);
  }
  shares.share({}, std::vector<std::uint32_t>{0, 1});
  EXPECT_DOUBLE_EQ(shares.flows[0].rate, 4);  // 12 / 1.5 / 2
}

// Whether they are few or many of the flows there are.
TEST(FairSharesTest, ReturnsChangedFlowsInAscendingOrder) {
  constexpr std::uint32_t kFlows = 6000;
  FairShares shares({{12, 0}, {12, 0}});
  const std::vector<LinkShare> paths[] = {{{0, 1}}, {{1, 1}}};
  shares.flows.resize(kFlows);
  for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
    shares.flows[flow].links = paths[flow % 100 == 0 ? 0 : 1];
    shares.flows[flow].limit = kUnlimited;
  }
  for (const std::size_t count : {5u, 60u, kFlows}) {
    std::vector<std::uint32_t> expected;
    for (std::uint32_t flow = kFlows; flow-- > 0;) {
      const bool comes = expected.size() < count && (count > 60 || flow % 100 == 0);
      if (comes) shares.insert(flow);
      if (comes) expected.push_back(flow);
    }
    const std::vector<std::uint32_t> touched = expected;
    std::ranges::sort(expected);
    EXPECT_EQ(shares.share({}, touched), expected);
    for (const std::uint32_t flow : touched) shares.erase(flow);
  }
}

TEST(FairSharesTest, FollowLinksThatBecomeSlower) {
  Network network({10, 100});
  const std::uint32_t one = network.add({{0, 1}, {1, 1}});
  const std::uint32_t two = network.add({{1, 1}});
  EXPECT_DOUBLE_EQ(network.rate(one), 10);
  EXPECT_DOUBLE_EQ(network.rate(two), 90);
  network.set_capacity(0, 4);
  EXPECT_DOUBLE_EQ(network.rate(one), 4);
  EXPECT_DOUBLE_EQ(network.rate(two), 96);
  network.expect_fair();
}

}  // namespace
}  // namespace convoy::simulate
