#include "core/simulate/collectives/double_tree.hpp"

#include <gtest/gtest.h>

#include <map>

namespace convoy::testing {
namespace {

using simulate::DoubleTree;
using simulate::make_double_tree;

void expect_tree(const DoubleTree::Edges& edges, std::uint32_t hosts, std::uint32_t depth) {
  std::map<std::uint32_t, std::uint32_t> parent;
  std::map<std::uint32_t, int> children;
  for (const auto& [child, above] : edges) {
    EXPECT_TRUE(parent.emplace(child, above).second) << "two parents of " << child;
    ++children[above];
  }
  EXPECT_EQ(parent.size(), hosts - 1) << hosts << " hosts";
  for (const auto& [host, count] : children) EXPECT_LE(count, 2) << "host " << host;
  for (std::uint32_t host = 0; host < hosts; ++host) {
    std::uint32_t steps = 0;
    for (auto at = parent.find(host); at != parent.end(); at = parent.find(at->second))
      ASSERT_LE(++steps, depth) << "host " << host << " of " << hosts;
  }
}

TEST(DoubleTreeTest, BothAreTreesOverAllHostsOfLogarithmicDepth) {
  for (const std::uint32_t hosts : {2u, 3u, 4u, 5u, 7u, 8u, 13u, 64u, 100u}) {
    const DoubleTree tree = make_double_tree(hosts);
    expect_tree(tree.first, hosts, tree.depth);
    expect_tree(tree.second, hosts, tree.depth);
  }
  EXPECT_TRUE(make_double_tree(1).first.empty());
}

// No host sends and receives much more than the others: together twice the data each way.
TEST(DoubleTreeTest, InnerHostsOfOneAreLeavesOfTheOther) {
  for (const std::uint32_t hosts : {4u, 8u, 16u, 64u}) {
    const DoubleTree tree = make_double_tree(hosts);
    std::map<std::uint32_t, int> links;
    for (const auto* edges : {&tree.first, &tree.second})
      for (const auto& [child, parent] : *edges) {
        ++links[child];
        ++links[parent];
      }
    for (const auto& [host, count] : links) EXPECT_LE(count, 4) << "host " << host;
  }
}

}  // namespace
}  // namespace convoy::testing
