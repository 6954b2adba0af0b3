#include "core/runtime/evaluator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <convoy/model.hpp>
#include <map>
#include <utility>

#include "core/base/error.hpp"
#include "core/graph/assembler.hpp"
#include "core/train/optimizer.hpp"
#include "tests/devices/fake/fake_device.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::testing::evaluator_test {
namespace {

using data::Batch;
using data::BatchSource;
using runtime::Evaluation;
using runtime::Evaluator;
using runtime::ModelValues;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

runtime::SessionOptions options_for(std::uint32_t devices, std::uint32_t batch) {
  runtime::SessionOptions options;
  options.batch = batch;
  options.optimizer = train::make_optimizer({}, devices);
  return options;
}

ModelValues zeros(const graph::Graph& graph) {
  ModelValues values;
  for (const graph::GraphVariable& variable : graph.variables())
    values.variables.emplace_back(variable.elements, 0.0f);
  values.state.assign(graph.state_elements(), 0.0f);
  return values;
}

// Fake devices count one hit of rank 1 in their first step, two in their second, and twice as many
// of rank 5.
class FakeEvaluator : public ::testing::Test {
 protected:
  NumberSource source_{{2, 8, 192, 7}, [](std::int64_t) { return 0.5f; }};
  std::unique_ptr<plugin::DevicePlugin> plugin_ = fake_plugin();
  graph::Graph graph_ = small_network();
  Evaluator evaluator_{graph_, open_devices(*plugin_, 2), options_for(2, 8)};
};

TEST_F(FakeEvaluator, CountsTheShareOfHits) {
  const Evaluation evaluation = evaluator_.run(zeros(graph_), source_, 4, {});
  EXPECT_DOUBLE_EQ(evaluation.top_1, (1 + 2 + 3 + 4) / 4.0 * 2 / 16);
  EXPECT_DOUBLE_EQ(evaluation.top_5, 2 * evaluation.top_1);
  EXPECT_EQ(evaluation.examples, 64);
  EXPECT_GT(evaluation.examples_per_second(), 0);
  EXPECT_FALSE(evaluation.stopped);
  EXPECT_EQ(source_.acquired(), 8);
  EXPECT_EQ(source_.held(), 0u);
}

// The batches of another source, of which so many samples have no label.
class WithoutLabels : public BatchSource {
 public:
  WithoutLabels(BatchSource& source, std::int64_t left_out, std::int64_t from_step = 0)
      : source_(source), left_out_(left_out), from_step_(from_step) {}

  const Batch& acquire(int replica, std::int64_t step) override {
    Batch& batch = batches_[{replica, step}];
    batch = source_.acquire(replica, step);
    batch.left_out = step < from_step_ ? 0 : left_out_;
    return batch;
  }
  void release(int replica, std::int64_t step) override { source_.release(replica, step); }
  data::SourceStatistics statistics() const override { return source_.statistics(); }
  std::int64_t samples_per_epoch() const override { return source_.samples_per_epoch(); }

 private:
  BatchSource& source_;
  std::int64_t left_out_;
  std::int64_t from_step_;
  std::map<std::pair<int, std::int64_t>, Batch> batches_;
};

TEST_F(FakeEvaluator, LeavesOutWhatHasNoLabel) {
  WithoutLabels source(source_, 2);
  const Evaluation evaluation = evaluator_.run(zeros(graph_), source, 4, {});
  EXPECT_EQ(evaluation.examples, 48);
  EXPECT_DOUBLE_EQ(evaluation.top_1, (1 + 2 + 3 + 4) / 4.0 * 2 / 12);
}

// The hits of 16, 16, 16 and 4 images: each image counts the same.
TEST_F(FakeEvaluator, CountsEveryImageOnceAlsoWhereBatchesDiffer) {
  WithoutLabels source(source_, 6, 3);
  const Evaluation evaluation = evaluator_.run(zeros(graph_), source, 4, {});
  EXPECT_EQ(evaluation.examples, 52);
  EXPECT_DOUBLE_EQ(evaluation.top_1, (1 + 2 + 3 + 4) * 2 / 52.0);
}

TEST_F(FakeEvaluator, HasNoAccuracyOfNothing) {
  WithoutLabels source(source_, 8);
  EXPECT_THAT(thrown_text([&] { evaluator_.run(zeros(graph_), source, 4, {}); }),
              HasSubstr("none of the images of the validation data"));
}

TEST_F(FakeEvaluator, TellsTheSpeedOfEveryInterval) {
  std::vector<std::int64_t> steps;
  runtime::EvaluationEvents events;
  events.every = 2;
  events.progress = [&](std::int64_t step, double speed) {
    steps.push_back(step);
    EXPECT_GT(speed, 0);
  };
  evaluator_.run(zeros(graph_), source_, 5, events);
  EXPECT_THAT(steps, ElementsAre(2, 4));
}

TEST_F(FakeEvaluator, StopsWhenAskedAndCountsWhatItFinished) {
  runtime::EvaluationEvents events;
  std::int64_t finished = 0;
  events.every = 1;
  events.progress = [&](std::int64_t step, double) { finished = step; };
  events.stop_requested = [&] { return finished >= 3; };
  const Evaluation evaluation = evaluator_.run(zeros(graph_), source_, 100, events);
  EXPECT_TRUE(evaluation.stopped);
  EXPECT_EQ(evaluation.examples, 16 * finished);
  EXPECT_DOUBLE_EQ(evaluation.top_1, static_cast<double>(finished + 1) / 2 * 2 / 16);
  EXPECT_EQ(source_.held(), 0u);
}

TEST_F(FakeEvaluator, HasNoMemoryButParametersAndNoOperationButForward) {
  const runtime::Session& session = evaluator_.session();
  EXPECT_TRUE(session.forward_only());
  ASSERT_EQ(session.lowered_plan().buffers.size(), 2u);
  for (const plan::PlanBuffer& buffer : session.lowered_plan().buffers)
    EXPECT_EQ(buffer.kind, std::uint32_t{CONVOY_BUFFER_PARAMETERS});
  EXPECT_EQ(session.lowered_plan().body.size(), 2 * graph_.segment_count());
  for (const plan::Operation& operation : session.lowered_plan().body)
    EXPECT_EQ(operation.kind, plan::OperationKind::kForward);
}

TEST_F(FakeEvaluator, ComputesOnTheValuesItIsGiven) {
  ModelValues values = zeros(graph_);
  for (std::size_t i = 0; i < values.variables.size(); ++i)
    for (std::size_t e = 0; e < values.variables[i].size(); ++e)
      values.variables[i][e] = static_cast<float>(100 * i + e);
  evaluator_.run(values, source_, 1, {});
  EXPECT_EQ(evaluator_.session().values().read_model().variables, values.variables);
}

TEST_F(FakeEvaluator, RefusesTheValuesOfAnotherModel) {
  ModelValues values = zeros(graph_);
  values.variables[2].pop_back();
  EXPECT_THAT(thrown_text([&] { evaluator_.run(values, source_, 1, {}); }),
              HasSubstr(graph_.variables()[2].name));
  values = zeros(graph_);
  values.variables.pop_back();
  EXPECT_THROW(evaluator_.run(values, source_, 1, {}), Error);
  values = zeros(graph_);
  values.state.push_back(0);
  EXPECT_THROW(evaluator_.run(values, source_, 1, {}), Error);
}

TEST_F(FakeEvaluator, AFailingInputEndsTheEvaluation) {
  source_.before_acquire = [](std::int64_t step) {
    if (step == 3) fail(ExitCode::kFailed, "no more records");
  };
  EXPECT_THROW(evaluator_.run(zeros(graph_), source_, 10, {}), Error);
}

// Ten images that are all alike cannot be told apart: only one label can come out on top, five
// among the best five.
TEST(Evaluator, GivesTenLabelsOfOneImageLowAccuracies) {
  plugin::PluginHost host;
  const auto cpu = cpu_plugin(host);
  const graph::Graph graph = graph::assemble_graph("ten", 8, 11, [](const auto& builder) {
    GraphBuilder model(builder);
    model.classify(model.conv(model.input(), 4, {.kernel = 3, .relu = true}));
  });
  for (const std::uint32_t devices : {1u, 2u}) {
    Evaluator evaluator(graph, open_devices(*cpu, devices), options_for(devices, 1));
    const ModelValues initial = evaluator.session().values().read_model();
    NumberSource source({devices, 1, 192, 10}, [](std::int64_t) { return 0.5f; });
    const Evaluation evaluation = evaluator.run(initial, source, 10, {});
    EXPECT_LE(evaluation.top_1, 0.1 + 1e-12) << devices << " devices";
    EXPECT_LE(evaluation.top_5, 0.5 + 1e-12) << devices << " devices";
    EXPECT_GT(evaluation.top_5, 0) << "11 classes, 10 of them labels";
    EXPECT_EQ(evaluation.examples, 10 * devices);
  }
}

// Images of one number; class 0 scores the normalised number, class 1 its opposite. Within a batch
// of one image every number is the batch's mean, so that training would score both classes 0.
TEST(Evaluator, NormalisesByTheMovingStatisticsAndLeavesThemAlone) {
  plugin::PluginHost host;
  const auto cpu = cpu_plugin(host);
  const graph::Graph graph = graph::assemble_graph("norm", 1, 2, [](const auto& builder) {
    GraphBuilder model(builder);
    const LayerId x = model.batch_norm(model.input());
    model.softmax_cross_entropy(model.fully_connected(x, 2, {.bias = false}));
  });
  ASSERT_EQ(graph.state_elements(), 6u);
  Evaluator evaluator(graph, open_devices(*cpu, 2), options_for(2, 1));
  ModelValues values = zeros(graph);
  values.variables.back() = {1, 1, 1, -1, -1, -1};
  NumberSource::Shape shape{2, 1, 3, 1};  // one label: 0
  for (const auto& [mean, expected] : {std::pair{0.0f, 1.0}, std::pair{2.0f, 0.0}}) {
    values.state = {mean, mean, mean, 4, 4, 4};
    NumberSource source(shape, [](std::int64_t) { return 1.0f; });
    const Evaluation evaluation = evaluator.run(values, source, 3, {});
    EXPECT_EQ(evaluation.top_1, expected) << "moving mean " << mean;
    for (std::uint32_t replica = 0; replica < 2; ++replica)
      EXPECT_EQ(evaluator.session().memory().read_replica_state(replica), values.state);
  }
}

}  // namespace
}  // namespace convoy::testing::evaluator_test
