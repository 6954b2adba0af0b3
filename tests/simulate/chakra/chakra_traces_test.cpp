#include "core/simulate/chakra/chakra_traces.hpp"

#include <chakra.pb.h>
#include <gmock/gmock.h>
#include <google/protobuf/io/coded_stream.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/plan/lower/lower.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/simulate/hand_machine.hpp"

namespace convoy::testing {
namespace {

using convoy_chakra_test::Attribute;
using convoy_chakra_test::Node;

constexpr int kCompute = 4;
constexpr int kSend = 5;
constexpr int kReceive = 6;
constexpr int kCollective = 7;

// A file as Chakra's readers take it apart: messages behind their lengths, metadata first.
std::vector<Node> read_trace(const std::string& file) {
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const std::uint8_t*>(file.data()),
                                               static_cast<int>(file.size()));
  const auto next = [&](auto& message) {
    std::uint32_t size = 0;
    if (!input.ReadVarint32(&size)) return false;
    const auto limit = input.PushLimit(static_cast<int>(size));
    EXPECT_TRUE(message.MergeFromCodedStream(&input));
    EXPECT_TRUE(input.ConsumedEntireMessage());
    input.PopLimit(limit);
    return true;
  };
  convoy_chakra_test::Metadata metadata;
  EXPECT_TRUE(next(metadata));
  EXPECT_FALSE(metadata.version().empty());
  std::vector<Node> nodes;
  for (Node node; next(node); node = {}) nodes.push_back(node);
  return nodes;
}

const Attribute* find(const Node& node, const std::string& name) {
  for (const Attribute& attribute : node.attr())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}

struct Exported {
  plan::Plan plan;
  simulate::ChakraTraces traces;
  std::vector<std::vector<Node>> ranks;
};

Exported exported(const HandMachine& hand, const plan::ArenaMap& arena, const WritePlan& write) {
  Exported it;
  it.plan = plan::lower(write_plan(hand.cluster, arena, write));
  simulate::SimulationOptions options;
  options.keep_operations = true;
  const std::vector<simulate::LayerTimes> layers = {equal_layers(4, 1e-4, 2e-4)};
  const auto result = simulate::simulate(it.plan, hand.machine, layers, options);
  it.traces = simulate::chakra_traces(it.plan, hand.machine, layers, result.operations);
  for (const std::string& file : it.traces.ranks) it.ranks.push_back(read_trace(file));
  return it;
}

std::uint64_t count(const std::vector<Node>& nodes, int type) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(nodes, [&](const Node& node) { return node.type() == type; }));
}

std::vector<WritePlan> plans() {
  return {write_parameter_server, write_sharded_server, write_copy_reduce,
          write_replicated(Algorithm::kRing), write_replicated(Algorithm::kDevice)};
}

// Runs the ranks as a reader does: a node when all that it waits for is done, a receive when its
// message was sent. Returns how many nodes never ran.
std::size_t stuck_nodes(const std::vector<std::vector<Node>>& ranks) {
  std::set<std::uint64_t> sent;  // tags
  std::vector<std::set<std::uint64_t>> done(ranks.size());
  std::size_t left = 0;
  for (const auto& nodes : ranks) left += nodes.size();
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      for (const Node& node : ranks[rank]) {
        const auto is_done = [&](std::uint64_t id) { return done[rank].contains(id); };
        if (is_done(node.id()) || !std::ranges::all_of(node.data_deps(), is_done) ||
            !std::ranges::all_of(node.ctrl_deps(), is_done))
          continue;
        const Attribute* tag = find(node, "comm_tag");
        const auto message = static_cast<std::uint64_t>(tag == nullptr ? 0 : tag->int32_val());
        if (node.type() == kReceive && !sent.contains(message)) continue;
        if (node.type() == kSend) sent.insert(message);
        done[rank].insert(node.id());
        --left;
        moved = true;
      }
  }
  return left;
}

TEST(ChakraTraces, EveryNodeHasTheTypesThatReadersAskFor) {
  for (const WritePlan& write : plans()) {
    const Exported it = exported(hand_machine(2, 2, true), equal_arena(4, 100'000), write);
    for (const std::vector<Node>& nodes : it.ranks)
      for (const Node& node : nodes) {
        const Attribute* processor = find(node, "is_cpu_op");
        ASSERT_NE(processor, nullptr);
        EXPECT_EQ(processor->value_case(), Attribute::kBoolVal);
        EXPECT_FALSE(processor->bool_val());
        EXPECT_GE(node.duration_micros(), 1u);
        const Attribute* size = find(node, "comm_size");
        EXPECT_EQ(size == nullptr, node.type() == kCompute);
        if (size == nullptr) continue;
        EXPECT_EQ(size->value_case(), Attribute::kInt64Val);
        EXPECT_GT(size->int64_val(), 0);
      }
  }
}

TEST(ChakraTraces, NumbersAreARanksOwnAndWhatIsWaitedForComesBefore) {
  for (const WritePlan& write : plans()) {
    const Exported it = exported(hand_machine(2, 2, false), equal_arena(4, 100'000), write);
    std::uint64_t nodes = 0;
    std::size_t waits = 0;
    for (const std::vector<Node>& rank : it.ranks) {
      std::set<std::uint64_t> known;
      for (const Node& node : rank) {
        for (const auto* list : {&node.data_deps(), &node.ctrl_deps()})
          for (const std::uint64_t id : *list) EXPECT_TRUE(known.contains(id)) << node.name();
        waits += static_cast<std::size_t>(node.data_deps_size());
        EXPECT_TRUE(known.insert(node.id()).second);
      }
      nodes += rank.size();
    }
    EXPECT_EQ(nodes, it.traces.nodes);
    EXPECT_GT(waits, nodes / 2);
  }
}

TEST(ChakraTraces, MessagesHaveASendAndAReceiveOfOneSizeAndEverythingRuns) {
  for (const bool peer_access : {true, false})
    for (const WritePlan& write : plans()) {
      const Exported it = exported(hand_machine(2, 3, peer_access), equal_arena(4, 100'000), write);
      std::map<std::int32_t, const Node*> sends;
      std::uint64_t receives = 0;
      for (std::size_t rank = 0; rank < it.ranks.size(); ++rank)
        for (const Node& node : it.ranks[rank]) {
          if (node.type() == kReceive) ++receives;
          if (node.type() != kSend) continue;
          EXPECT_EQ(find(node, "comm_src")->int32_val(), static_cast<std::int32_t>(rank));
          EXPECT_TRUE(sends.try_emplace(find(node, "comm_tag")->int32_val(), &node).second);
        }
      EXPECT_EQ(receives, sends.size());
      for (std::size_t rank = 0; rank < it.ranks.size(); ++rank)
        for (const Node& node : it.ranks[rank]) {
          if (node.type() != kReceive) continue;
          const Node& send = *sends.at(find(node, "comm_tag")->int32_val());
          EXPECT_EQ(find(send, "comm_dst")->int32_val(), static_cast<std::int32_t>(rank));
          EXPECT_EQ(find(send, "comm_size")->int64_val(), find(node, "comm_size")->int64_val());
        }
      EXPECT_EQ(stuck_nodes(it.ranks), 0u);
    }
}

TEST(ChakraTraces, LayersAndCollectivesAreOnEveryDevicesRank) {
  HandMachine hand = hand_machine(1, 4, true);
  hand.cluster.device_collectives = true;
  const Exported it = exported(hand, equal_arena(4, 100'000), write_replicated(Algorithm::kDevice));
  ASSERT_EQ(it.ranks.size(), 4u);  // hosts take no part
  EXPECT_TRUE(it.traces.groups.empty());
  for (const std::vector<Node>& nodes : it.ranks) {
    EXPECT_EQ(count(nodes, kCollective), 4u);
    double micros = 0;
    for (const Node& node : nodes) {
      if (node.name().starts_with("forward") || node.name().starts_with("backward"))
        micros += static_cast<double>(node.duration_micros());
      if (node.type() != kCollective) continue;
      EXPECT_EQ(find(node, "comm_type")->int64_val(), 0);  // ALL_REDUCE
      EXPECT_EQ(find(node, "comm_size")->int64_val(), 400'000);
    }
    EXPECT_NEAR(micros, 4 * 100 + 4 * 200, 1e-6);
  }
}

}  // namespace
}  // namespace convoy::testing
