#include "core/simulate/collectives/channel_search.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/simulate/collectives/crossing_chains.hpp"

namespace convoy::testing {
namespace {

using simulate::ChannelEnds;
using simulate::Channels;
using simulate::DeviceLinks;
using simulate::find_chains;
using simulate::find_crossing_chains;
using simulate::find_rings;

constexpr double kBrick = 20e9;

// Two devices and how many bricks join them, both ways.
using Pairs = std::vector<std::array<std::uint32_t, 3>>;

// Direct links between these pairs; nothing else.
DeviceLinks mesh(std::uint32_t devices, const Pairs& pairs) {
  DeviceLinks links;
  links.devices = devices;
  links.ways.resize(devices * devices);
  std::uint32_t next = 0;
  for (const auto& [a, b, bricks] : pairs)
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
      links.ways[from * devices + to] = {{next}, true};
      links.limits[next++] = bricks * kBrick;
    }
  // Those without a link share a slow one.
  links.limits[next] = 6e9;
  for (std::uint32_t from = 0; from < devices; ++from)
    for (std::uint32_t to = 0; to < devices; ++to)
      if (from != to && links.ways[from * devices + to].links.empty())
        links.ways[from * devices + to] = {{next}, false};
  return links;
}

// Eight devices of six bricks each: some pairs are joined by two of them.
DeviceLinks cube_mesh_of_six_bricks() {
  const Pairs pairs = {{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1},
                       {1, 5, 2}, {2, 3, 2}, {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1},
                       {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}};
  return mesh(8, pairs);
}

// Devices with a port each to one switch.
DeviceLinks star(std::uint32_t devices, double port, bool direct) {
  DeviceLinks links;
  links.devices = devices;
  links.ways.resize(devices * devices);
  for (std::uint32_t from = 0; from < devices; ++from) {
    links.limits[2 * from] = port;
    links.limits[2 * from + 1] = port;
    for (std::uint32_t to = 0; to < devices; ++to)
      if (from != to) links.ways[from * devices + to] = {{2 * from, 2 * to + 1}, direct};
  }
  return links;
}

void expect_within_limits(const DeviceLinks& links, const Channels& channels, bool closed) {
  std::map<std::uint32_t, double> load;
  for (const auto& order : channels.orders) {
    std::set<std::uint32_t> all(order.begin(), order.end());
    EXPECT_EQ(all.size(), links.devices);
    for (std::size_t i = 0; i + (closed ? 0 : 1) < order.size(); ++i)
      for (const std::uint32_t link : links.way(order[i], order[(i + 1) % order.size()]).links)
        load[link] += channels.bytes_per_second;
  }
  for (const auto& [link, bytes] : load)
    EXPECT_LE(bytes, links.limits.at(link) * (1 + 1e-6)) << "link " << link;
}

TEST(ChannelSearchTest, CubeMeshOfFourBricksGivesFourRings) {
  const Pairs pairs = {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {1, 2, 1}, {1, 3, 1}, {2, 3, 1},
                       {4, 5, 1}, {4, 6, 1}, {4, 7, 1}, {5, 6, 1}, {5, 7, 1}, {6, 7, 1},
                       {0, 4, 1}, {1, 5, 1}, {2, 6, 1}, {3, 7, 1}};
  const DeviceLinks links = mesh(8, pairs);
  const Channels rings = find_rings(links);
  EXPECT_EQ(rings.orders.size(), 4u);
  EXPECT_DOUBLE_EQ(rings.bytes_per_second, kBrick);
  expect_within_limits(links, rings, true);
}

TEST(ChannelSearchTest, CubeMeshOfSixBricksGivesSixRings) {
  const DeviceLinks links = cube_mesh_of_six_bricks();
  const Channels rings = find_rings(links);
  EXPECT_NEAR(rings.total(), 6 * kBrick, 1);
  expect_within_limits(links, rings, true);
}

TEST(ChannelSearchTest, OneRingFillsThePortsOfASwitch) {
  const DeviceLinks links = star(16, 150e9, true);
  const Channels rings = find_rings(links);
  EXPECT_NEAR(rings.total(), 150e9, 1);
  expect_within_limits(links, rings, true);
}

// Four devices below each of two switches: a ring that changes the switch more than twice would
// load what joins them more than once.
TEST(ChannelSearchTest, RingsCrossWhatJoinsTwoSwitchesOnce) {
  DeviceLinks links = star(8, 12e9, false);
  links.limits[100] = 12e9;
  links.limits[101] = 12e9;
  const auto side = [](std::uint32_t device) { return device % 2; };  // numbered across switches
  for (std::uint32_t from = 0; from < 8; ++from)
    for (std::uint32_t to = 0; to < 8; ++to)
      if (side(from) != side(to)) links.ways[from * 8 + to].links.push_back(100 + side(from));
  const Channels rings = find_rings(links);
  EXPECT_NEAR(rings.total(), 12e9, 1);
  expect_within_limits(links, rings, true);
}

TEST(ChannelSearchTest, RingsGoOverSlowLinksWhereNvlinkMakesNoRing) {
  const DeviceLinks links = mesh(4, {{0, 1, 12}, {2, 3, 12}});
  const Channels rings = find_rings(links);
  ASSERT_FALSE(rings.orders.empty());
  EXPECT_NEAR(rings.total(), 3e9, 1);  // over the shared link twice
}

TEST(ChannelSearchTest, ChainsBeginAndEndAtTheirCards) {
  const DeviceLinks links = cube_mesh_of_six_bricks();
  const std::vector<ChannelEnds> ends = {{0, 1}, {2, 3}, {4, 5}, {6, 7}};
  const Channels chains = find_chains(links, ends, 12e9);
  ASSERT_EQ(chains.orders.size(), 4u);
  EXPECT_GE(chains.bytes_per_second, 10e9);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    EXPECT_EQ(chains.orders[i].front(), ends[i].first);
    EXPECT_EQ(chains.orders[i].back(), *ends[i].last);
  }
  expect_within_limits(links, chains, false);
}

// A link between any two of the devices.
DeviceLinks complete_mesh(std::uint32_t devices) {
  Pairs pairs;
  for (std::uint32_t a = 0; a < devices; ++a)
    for (std::uint32_t b = a + 1; b < devices; ++b) pairs.push_back({a, b, 1});
  DeviceLinks links = mesh(devices, pairs);
  links.limits.erase(std::prev(links.limits.end()));  // no pair is left to the slow one
  return links;
}

// A card next to each device.
std::vector<ChannelEnds> a_card_each(std::uint32_t devices) {
  std::vector<ChannelEnds> ends;
  for (std::uint32_t i = 0; i < devices; ++i) ends.push_back({i, std::nullopt});
  return ends;
}

TEST(ChannelSearchTest, ChainsThatCrossACompleteMeshUseEveryLinkAndCardOnce) {
  for (const std::uint32_t devices : {2u, 4u, 8u, 16u}) {
    const DeviceLinks links = complete_mesh(devices);
    const Channels chains = find_crossing_chains(links, a_card_each(devices));
    ASSERT_EQ(chains.orders.size(), devices);
    EXPECT_DOUBLE_EQ(chains.bytes_per_second, kBrick);
    expect_within_limits(links, chains, false);
    std::set<std::uint32_t> in, out, used;
    for (const auto& order : chains.orders) {
      in.insert(order.front());
      out.insert(order.back());
      for (std::size_t i = 0; i + 1 < order.size(); ++i)
        used.insert(links.way(order[i], order[i + 1]).links.front());
    }
    EXPECT_EQ(in.size(), devices);
    EXPECT_EQ(out.size(), devices);
    EXPECT_EQ(used.size(), links.limits.size());
  }
}

TEST(ChannelSearchTest, NoChainsCrossWhereALinkOrACardIsMissing) {
  const auto crosses = [](const DeviceLinks& links, const std::vector<ChannelEnds>& ends) {
    return !find_crossing_chains(links, ends).orders.empty();
  };
  EXPECT_TRUE(crosses(complete_mesh(4), a_card_each(4)));
  EXPECT_FALSE(crosses(complete_mesh(4), a_card_each(3)));
  EXPECT_FALSE(crosses(complete_mesh(4), {{0, 1}, {2, 3}}));
  EXPECT_FALSE(crosses(complete_mesh(5), a_card_each(5)));
  EXPECT_FALSE(crosses(mesh(4, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {0, 3, 1}}), a_card_each(4)));
  EXPECT_FALSE(crosses(star(8, 150e9, true), a_card_each(8)));
  EXPECT_FALSE(crosses({1, {{}}, {}}, a_card_each(1)));
}

}  // namespace
}  // namespace convoy::testing
