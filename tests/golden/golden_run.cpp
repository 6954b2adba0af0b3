#include "tests/golden/golden_run.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/data/pipeline/source_factory.hpp"
#include "core/graph/layout.hpp"
#include "core/plugin/availability.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing {
namespace {

std::uint32_t first_gradient(const plan::Plan& plan) {
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].kind == CONVOY_BUFFER_GRADIENT && plan.buffers[i].owner == 0) return i;
  throw std::runtime_error("the plan has no gradients of replica 0");
}

// Where the environment asks for a kind of devices that this machine has none of.
class SkipWithoutDevice : public ::testing::Environment {
 public:
  void SetUp() override {
    if (std::getenv("CONVOY_TEST_DEVICE") == nullptr) return;
    plugin::PluginHost host;
    if (const auto reason = plugin::unavailable_reason(host, found_under_test()))
      GTEST_SKIP() << "no CUDA device can be used: " << *reason;
  }
};

[[maybe_unused]] const ::testing::Environment* const kSkip =
    ::testing::AddGlobalTestEnvironment(new SkipWithoutDevice);

}  // namespace

GoldenRun::GoldenRun(const nlohmann::json& golden, const graph::Graph& graph,
                     const GoldenRunOptions& options)
    : devices_(plugin_under_test(host_, options.devices)),
      strategy_(strategy_plugin(host_, options.strategy, options.strategy_options)) {
  const auto batch = golden.at("batch").get<std::uint32_t>();
  CONVOY_CHECK_EQ(batch % options.devices, 0u);
  runtime::SessionOptions session;
  session.dtype = options.dtype;
  session.batch = batch / options.devices;
  session.seed = golden.at("seed").get<std::uint64_t>();
  session.hash_initializer = options.reference_fill;
  session.dropout = false;
  session.optimizer = train::make_optimizer(options.optimizer, options.devices);
  session_ = std::make_unique<runtime::Session>(
      graph, *strategy_, open_devices(*devices_, options.devices, options.threads), session);
  data::DataOptions data;
  data.data_name = "hash";
  data.replicas = static_cast<int>(options.devices);
  data.batch = static_cast<int>(session.batch);
  data.height = data.width = static_cast<int>(graph.image_size());
  data.classes = golden.at("classes").get<int>();
  data.seed = golden.at("seed").get<std::uint32_t>();
  source_ = data::make_source(data);
}

std::vector<TrainingStep> GoldenRun::train(double rate, std::int64_t steps) {
  std::vector<TrainingStep> result;
  runtime::TrainingEvents events;
  events.timed_step = [&](const TrainingStep& step) { result.push_back(step); };
  runtime::TrainingLoopOptions loop;
  loop.warmup_steps = 0;
  loop.timed_steps = steps;
  loop.first_step = steps_;
  runtime::run_training(*session_, *source_, constant_rate(rate), loop, events);
  steps_ += steps;
  return result;
}

std::vector<float> GoldenRun::gradient_arena() {
  return session_->memory().read_buffer(first_gradient(session_->lowered_plan()));
}

std::vector<float> GoldenRun::plain(const std::vector<float>& arena, std::size_t variable) const {
  const graph::GraphVariable& it = session_->graph().variables().at(variable);
  std::vector<float> result(it.elements);
  graph::unpack(session_->arena().layout(variable), it.dimensions,
                arena.data() + session_->arena().range(variable).first, result.data());
  return result;
}

OptimizerOptions plain_optimizer() {
  OptimizerOptions options;
  options.weight_decay = 0;
  return options;
}

OptimizerOptions momentum_optimizer(const nlohmann::json& trajectory) {
  OptimizerOptions options;
  options.kind = CONVOY_OPTIMIZER_MOMENTUM;
  options.momentum = trajectory.at("momentum");
  options.weight_decay = trajectory.at("weight_decay");
  return options;
}

}  // namespace convoy::testing
