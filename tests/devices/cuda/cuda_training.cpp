#include "tests/devices/cuda/cuda_training.hpp"

#include <cstdlib>

#include "core/base/error.hpp"
#include "core/runtime/evaluator.hpp"
#include "core/runtime/input_memory.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing {
namespace {

using runtime::SessionOptions;

SessionOptions session_options(const CudaTraining& how) {
  SessionOptions options;
  options.batch = how.batch;
  options.bucket_elements = 512;
  options.hash_initializer = true;
  options.optimizer.struct_size = sizeof options.optimizer;
  options.optimizer.kind = how.optimizer;
  options.optimizer.state_slots = how.optimizer == CONVOY_OPTIMIZER_ADAM ? 2 : 0;
  options.optimizer.beta1 = 0.9;
  options.optimizer.beta2 = 0.999;
  options.optimizer.epsilon = 1e-3;
  options.optimizer.gradient_scale = 1;
  return options;
}

}  // namespace

std::array<std::atomic<std::uint64_t>, 3>& emulated_launches() {
  static std::array<std::atomic<std::uint64_t>, 3> counts{};
  setenv("CONVOY_EMULATION_COUNTERS",
         std::to_string(reinterpret_cast<std::uintptr_t>(counts.data())).c_str(), 1);
  return counts;
}

std::string why_no_gpus(const std::string& gpu_indices) {
  emulated_launches();
  plugin::PluginHost host;
  try {
    const plugin::DevicePlugin plugin(host.load_device(found_under_test()),
                                      {{"gpu_indices", gpu_indices}});
    static_cast<void>(plugin.count({sizeof(convoy_device_request), 0, 0}));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

CudaOutcome train_on(const CudaTraining& how, const graph::Graph& graph) {
  auto& launches = emulated_launches();
  plugin::PluginHost host;
  CudaOutcome outcome;
  const plugin::PluginLog log = [&outcome](std::int32_t, std::string_view, std::string_view text) {
    outcome.log.emplace_back(text);
  };
  const plugin::DevicePlugin plugin(host.load_device(found_under_test()),
                                    {{"gpu_indices", how.gpus}, {"cuda_graph", how.cuda_graph}},
                                    log);
  const auto strategy = strategy_plugin(host, how.strategy, how.options);
  const std::uint32_t devices = plugin.count({sizeof(convoy_device_request), 0, 0});
  const SessionOptions options = session_options(how);
  runtime::Session session(graph, *strategy, open_devices(plugin, devices), options);
  for (const plan::Operation& operation : session.lowered_plan().body)
    outcome.has_collectives = outcome.has_collectives || plan::is_collective(operation.kind);
  std::unique_ptr<runtime::Evaluator> evaluator;
  if (how.evaluates)
    evaluator = std::make_unique<runtime::Evaluator>(graph, session.devices(), options);
  const auto images = [&session, &options, devices] {
    return hash_images(devices, devices * options.batch, runtime::input_memory(session.devices()));
  };
  runtime::TrainingEvents events;
  events.timed_step = [&](const TrainingStep& step) { outcome.losses.push_back(step.total_loss); };
  // While it pauses nothing is queued ahead.
  const auto evaluates_at = [&](std::int64_t step) {
    return how.evaluates && step % (how.steps / 2) == 0;
  };
  events.pause_after = [&](const runtime::PausePoint& point) {
    return point.global_step == how.steps - 2 || evaluates_at(point.global_step);
  };
  events.paused = [&](const runtime::PausePoint& point) {
    if (evaluates_at(point.global_step)) {
      outcome.top_1.push_back(
          evaluator->run(session.values().read_model(), *images(), 6, {}).top_1);
    }
    if (point.global_step == how.steps - 2)
      outcome.launches = {launches[0].load(), launches[1].load(), launches[2].load()};
    return true;
  };
  runtime::run_training(session, *images(), constant_rate(0.05), {0, how.steps, 0}, events);
  for (std::size_t kind = 0; kind < launches.size(); ++kind)
    outcome.launches[kind] = launches[kind].load() - outcome.launches[kind];
  outcome.hash = session.values().parameter_hash();
  return outcome;
}

}  // namespace convoy::testing
