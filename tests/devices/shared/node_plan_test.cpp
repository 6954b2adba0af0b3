#include "plugins/devices/shared/node_plan.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace convoy {
namespace {

// A graph of layers that are nothing but their kinds, inputs and whether they have a variable.
class NodePlans : public testing::Test {
 protected:
  std::size_t add(std::uint32_t kind, const std::vector<std::uint32_t>& inputs,
                  double limit = 0.0) {
    inputs_.push_back(inputs);
    convoy_layer& layer = layers_.emplace_back();
    layer.kind = kind;
    layer.inputs = inputs_.back().data();
    layer.input_count = inputs.size();
    layer.limit = limit;
    convoy_node& node = nodes_.emplace_back();
    node.layer = &layer;
    const bool trains = kind == CONVOY_LAYER_CONVOLUTION || kind == CONVOY_LAYER_FULLY_CONNECTED ||
                        kind == CONVOY_LAYER_BATCH_NORM;
    node.variables[0] = trains ? 0 : CONVOY_NONE;
    node.variables[1] = CONVOY_NONE;
    pointers_.push_back(&node);
    return nodes_.size() - 1;
  }
  std::uint32_t input() { return id(add(CONVOY_LAYER_INPUT, {})); }
  std::uint32_t convolution(std::uint32_t from) {
    return id(add(CONVOY_LAYER_CONVOLUTION, {from}));
  }
  std::uint32_t batch_norm(std::uint32_t from) { return id(add(CONVOY_LAYER_BATCH_NORM, {from})); }
  std::uint32_t relu(std::uint32_t from, double limit = 0.0) {
    return id(add(CONVOY_LAYER_RELU, {from}, limit));
  }
  std::uint32_t sum(std::uint32_t a, std::uint32_t b) { return id(add(CONVOY_LAYER_ADD, {a, b})); }
  std::uint32_t gelu(std::uint32_t from) { return id(add(CONVOY_LAYER_GELU, {from})); }
  std::uint32_t stochastic_depth(std::uint32_t from) {
    return id(add(CONVOY_LAYER_STOCHASTIC_DEPTH, {from}));
  }
  std::uint32_t dropout(std::uint32_t from) { return id(add(CONVOY_LAYER_DROPOUT, {from})); }

  GraphPlan plan(const PlanOptions& options = {}) {
    convoy_graph graph{};
    graph.nodes = pointers_.data();
    graph.node_count = pointers_.size();
    return plan_graph(graph, options);
  }

 private:
  static std::uint32_t id(std::size_t index) { return static_cast<std::uint32_t>(index); }

  std::deque<std::vector<std::uint32_t>> inputs_;
  std::deque<convoy_layer> layers_;
  std::deque<convoy_node> nodes_;
  std::vector<const convoy_node*> pointers_;
};

TEST_F(NodePlans, LetAConvolutionComputeTheReluBehindIt) {
  const auto from = convolution(input());
  const auto behind = relu(from, 6.0);
  const GraphPlan made = plan();
  EXPECT_EQ(made.nodes[from].fused_relu, behind);
  EXPECT_TRUE(made.nodes[behind].done_by_producer);
  EXPECT_TRUE(made.nodes[behind].in_place);
  EXPECT_EQ(made.nodes[behind].value, made.nodes[from].value);
  EXPECT_TRUE(made.changes_gradient(behind));
}

TEST_F(NodePlans, KeepWhatSomebodyElseReads) {
  const auto from = convolution(input());
  const auto one = relu(from);
  const auto other = convolution(from);
  sum(one, other);
  const GraphPlan made = plan();
  EXPECT_EQ(made.nodes[from].fused_relu, kNoNode);
  EXPECT_FALSE(made.nodes[one].in_place);
  EXPECT_NE(made.nodes[one].value, made.nodes[from].value);
}

TEST_F(NodePlans, NeverOverwriteTheInput) {
  const auto images = input();
  const auto behind = relu(images);
  const GraphPlan made = plan();
  EXPECT_FALSE(made.nodes[behind].in_place);
  EXPECT_FALSE(made.nodes[behind].needs_gradient);
}

// A residual block: the sum is the second batch norm's, and so is the relu behind it.
TEST_F(NodePlans, LetABatchNormComputeTheSumAndTheReluBehindIt) {
  const auto shortcut = convolution(input());
  const auto block = batch_norm(convolution(shortcut));
  const auto joined = sum(shortcut, block);
  const auto last = relu(joined);
  const GraphPlan made = plan();
  EXPECT_EQ(made.nodes[block].fused_add, joined);
  EXPECT_TRUE(made.nodes[joined].done_by_producer);
  EXPECT_EQ(made.nodes[joined].value, made.nodes[block].value);
  EXPECT_EQ(made.last_relu(block), last);
  EXPECT_TRUE(made.part_of_batch_norm(joined));
  EXPECT_TRUE(made.part_of_batch_norm(last));
  EXPECT_FALSE(made.changes_gradient(last)) << "the batch norm undoes it";
  EXPECT_TRUE(made.changes_gradient(block));
}

TEST_F(NodePlans, LeaveASumAloneWhereItsBatchNormIsNotRightBeforeIt) {
  const auto shortcut = convolution(input());
  const auto block = batch_norm(convolution(shortcut));
  const auto between = convolution(shortcut);
  const auto joined = sum(block, between);
  const GraphPlan made = plan();
  EXPECT_EQ(made.nodes[block].fused_add, kNoNode);
  EXPECT_FALSE(made.nodes[joined].in_place);
}

TEST_F(NodePlans, LeaveASumAloneWhereActivationsAreRounded) {
  const auto shortcut = convolution(input());
  const auto block = batch_norm(convolution(shortcut));
  const auto joined = sum(shortcut, block);
  EXPECT_EQ(plan({.dropout = false, .rounds = true}).nodes[block].fused_add, kNoNode);
  EXPECT_EQ(plan().nodes[block].fused_add, joined);
}

TEST_F(NodePlans, LeaveALimitedReluToItselfWhereActivationsAreRounded) {
  const auto norm = batch_norm(convolution(input()));
  const auto limited = relu(norm, 6.0);
  EXPECT_EQ(plan({.dropout = false, .rounds = true}).nodes[norm].fused_relu, kNoNode);
  EXPECT_EQ(plan().nodes[norm].fused_relu, limited);
}

// Dropout may zero what a relu computed, but not scale it across the relu's upper limit.
TEST_F(NodePlans, LetDropoutOverwriteAReluWithoutALimit) {
  const auto image = input();
  const auto plain = dropout(relu(convolution(image)));
  const auto limited = dropout(relu(convolution(image), 6.0));
  const GraphPlan drops = plan({.dropout = true, .rounds = false});
  EXPECT_TRUE(drops.nodes[plain].in_place);
  EXPECT_FALSE(drops.nodes[limited].in_place);
  EXPECT_TRUE(plan().nodes[limited].in_place) << "it does nothing";
}

// Nor whole images; functions whose gradient needs what they read do not overwrite it.
TEST_F(NodePlans, TreatStochasticDepthAsDropoutAndKeepWhatSmoothFunctionsRead) {
  const auto image = input();
  const auto depth = stochastic_depth(relu(convolution(image), 6.0));
  const auto smooth = gelu(convolution(image));
  EXPECT_FALSE(plan({.dropout = true, .rounds = false}).nodes[depth].in_place);
  EXPECT_TRUE(plan().nodes[depth].in_place);
  EXPECT_FALSE(plan().nodes[smooth].in_place);
}

TEST_F(NodePlans, NeedGradientsFromTheFirstVariableOn) {
  const auto image = input();
  const auto before = relu(image);
  const auto first = convolution(before);
  const auto behind = relu(first);
  const GraphPlan made = plan();
  EXPECT_FALSE(made.nodes[image].needs_gradient);
  EXPECT_FALSE(made.nodes[before].needs_gradient);
  EXPECT_TRUE(made.nodes[first].needs_gradient);
  EXPECT_TRUE(made.nodes[behind].needs_gradient);
  EXPECT_EQ(made.nodes[image].consumers, (std::vector<std::size_t>{before}));
}

}  // namespace
}  // namespace convoy
