#include "core/simulate/flows/binding_links.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/simulate/flows/flow_network.hpp"

namespace convoy::simulate {
namespace {

constexpr std::uint32_t kNarrow = 0;
constexpr std::uint32_t kWide = 1;
constexpr std::uint32_t kAside = 2;

TaskGraph graph_of(const std::vector<std::vector<LinkShare>>& routes) {
  TaskGraph graph;
  graph.links = {{1e9, 0}, {2e9, 0}, {3e9, 0}};
  for (const std::vector<LinkShare>& route : routes) graph.routes.add(route);
  return graph;
}

std::vector<std::uint32_t> links_of(const TaskGraph& graph, std::uint32_t route = 0) {
  std::vector<std::uint32_t> links;
  const Lists<LinkShare> binding = binding_links(graph);
  for (const LinkShare& it : binding[route]) links.push_back(it.link);
  return links;
}

using Links = std::vector<std::uint32_t>;

TEST(BindingLinks, ALinkBehindANarrowerOneIsLeftOut) {
  EXPECT_EQ(links_of(graph_of({{{kNarrow, 1}, {kWide, 1}}})), Links{kNarrow});
  EXPECT_EQ(links_of(graph_of({{{kNarrow, 1}, {kWide, 4}}})), Links{kWide}) << "more bytes there";
}

TEST(BindingLinks, OfEquallyNarrowLinksTheOneWithMoreRoutesStays) {
  const TaskGraph graph = graph_of({{{kNarrow, 1}, {kWide, 2}}, {{kWide, 2}}});
  EXPECT_EQ(links_of(graph, 0), Links{kWide});
  EXPECT_EQ(links_of(graph, 1), Links{kWide});
}

TEST(BindingLinks, OfEquallyNarrowLinksOnTheSameRoutesTheFirstStays) {
  EXPECT_EQ(links_of(graph_of({{{kNarrow, 1}, {kWide, 2}}})), Links{kNarrow});
  EXPECT_EQ(links_of(graph_of({{{kNarrow, 1}, {kWide, 2}, {kAside, 3}}})), Links{kNarrow});
}

TEST(BindingLinks, ALinkThatOthersReachPastTheNarrowOneStays) {
  const TaskGraph graph = graph_of({{{kNarrow, 1}, {kWide, 1}}, {{kWide, 1}, {kAside, 1}}});
  EXPECT_EQ(links_of(graph, 0), (Links{kNarrow, kWide}));
  EXPECT_EQ(links_of(graph, 1), Links{kWide});
}

TEST(BindingLinks, ALinkThatMayBecomeNarrowerStays) {
  TaskGraph slowed = graph_of({{{kNarrow, 1}, {kWide, 1}}});
  slowed.slowed_links.push_back({kWide, 0, 0.5e9});
  EXPECT_EQ(links_of(slowed), (Links{kNarrow, kWide}));
  TaskGraph congested = graph_of({{{kNarrow, 1}, {kWide, 1}}});
  congested.links[kWide].incast_loss = 0.05;
  EXPECT_EQ(links_of(congested), (Links{kNarrow, kWide}));
}

// Rings over all links of a kind, as many as a collective of hundreds of devices passes; one of the
// rings leaves out some.
TaskGraph rings(std::uint32_t links) {
  TaskGraph graph;
  for (std::uint32_t link = 0; link < links; ++link)
    graph.links.push_back({link % 2 == 0 ? 25e9 : 450e9, 0});
  std::vector<LinkShare> all;
  std::vector<LinkShare> some;
  for (std::uint32_t link = 0; link < links; ++link) {
    all.push_back({link, 1 + 1.0 / 3 * (link % 3), 1});
    if (link >= 6) some.push_back({link, link % 2 == 0 ? 0.1 : 0.7, 1});
  }
  graph.routes.add(all);
  graph.routes.add(some);
  return graph;
}

TEST(BindingLinks, OfTwinsOnLongRoutesTheFirstStays) {
  constexpr std::uint32_t kLinks = 600;
  const TaskGraph graph = rings(kLinks);
  EXPECT_EQ(links_of(graph, 0), (Links{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(links_of(graph, 1), (Links{6, 7, 8, 9, 10, 11}));
  TaskGraph odd = graph;
  odd.links[30].incast_loss = 0.05;
  odd.slowed_links.push_back({31, 0, 0.5e9});
  EXPECT_EQ(links_of(odd, 1), (Links{6, 7, 8, 9, 10, 11, 30, 31}));
}

TEST(BindingLinks, FlowsHaveTheSameRatesWithoutTwinsToTheLastBit) {
  const TaskGraph graph = rings(200);
  const Lists<LinkShare> binding = binding_links(graph);
  std::mt19937 random(1);
  FlowNetwork all(graph.links);
  FlowNetwork few(graph.links);
  std::vector<std::uint32_t> flows;
  for (Ticks now = 0; now < 200; ++now) {
    if (flows.size() > 5) {
      const std::size_t which = random() % flows.size();
      all.finish(flows[which]);
      few.finish(flows[which]);
      flows.erase(flows.begin() + static_cast<std::ptrdiff_t>(which));
    }
    const auto route = static_cast<std::uint32_t>(random() % 2);
    const double limit = random() % 2 == 0 ? FlowNetwork::kNoLimit : double(random() % 9) * 1e9;
    flows.push_back(all.add(now, 1e9, graph.routes[route], limit));
    ASSERT_EQ(few.add(now, 1e9, binding[route], limit), flows.back());
    all.update(now);
    few.update(now);
    for (const std::uint32_t flow : flows) ASSERT_EQ(few.rate(flow), all.rate(flow)) << now;
  }
}

// Devices below switches, hosts on one network: what a device sends passes four to six links.
TaskGraph random_machine(std::mt19937& random) {
  const auto below = [&](std::uint32_t end) { return std::uint32_t(random() % end); };
  constexpr std::uint32_t kHosts = 3;
  constexpr std::uint32_t kDevices = 4;
  constexpr std::uint32_t kPerHost = kDevices + 3;  // devices, switch, card, memory
  TaskGraph graph;
  for (std::uint32_t link = 0; link < kHosts * kPerHost + 1; ++link)
    graph.links.push_back({1e9 * (1 + below(7)), below(9) == 0 ? 0.05 : 0});
  for (std::uint32_t from = 0; from < kHosts; ++from)
    for (std::uint32_t device = 0; device < kDevices; ++device)
      for (std::uint32_t to = 0; to < kHosts; ++to) {
        std::vector<LinkShare> route = {{from * kPerHost + device, 1},
                                        {from * kPerHost + kDevices, 1}};
        if (to != from)
          for (const std::uint32_t link :
               {from * kPerHost + kDevices + 1, kHosts * kPerHost, to * kPerHost + kDevices + 1})
            route.push_back({link, 1});
        route.push_back({to * kPerHost + kDevices + 2, 1.0 + below(2)});
        graph.routes.add(route);
      }
  return graph;
}

// When links that are equally narrow are full at the same time, it depends on the order of the
// links which of them sets the rate, and the two may differ in the last bit.
TEST(BindingLinks, FlowsHaveTheSameRatesUpToRounding) {
  constexpr double kRounding = 1e-15;
  std::size_t left_out = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const TaskGraph graph = random_machine(random);
    const Lists<LinkShare> binding = binding_links(graph);
    FlowNetwork all(graph.links);
    FlowNetwork few(graph.links);
    std::vector<std::uint32_t> flows;
    for (Ticks now = 0; now < 60; ++now) {
      if (flows.size() > 3 && random() % 2 == 0) {
        const std::size_t which = random() % flows.size();
        all.finish(flows[which]);
        few.finish(flows[which]);
        flows.erase(flows.begin() + static_cast<std::ptrdiff_t>(which));
      } else {
        const auto route = static_cast<std::uint32_t>(random() % graph.routes.size());
        left_out += graph.routes[route].size() - binding[route].size();
        flows.push_back(all.add(now, 1e9, graph.routes[route], FlowNetwork::kNoLimit));
        ASSERT_EQ(few.add(now, 1e9, binding[route], FlowNetwork::kNoLimit), flows.back());
      }
      all.update(now);
      few.update(now);
      for (const std::uint32_t flow : flows)
        ASSERT_NEAR(few.rate(flow), all.rate(flow), kRounding * all.rate(flow))
            << "seed " << seed << ", change " << now;
    }
  }
  EXPECT_GT(left_out, 1000u);
}

}  // namespace
}  // namespace convoy::simulate
