#include "core/job/training/profile_collector.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/numbers/statistics.hpp"
#include "core/graph/layer_traits.hpp"
#include "core/graph/layer_work.hpp"

namespace convoy::job {
namespace {

// Returns the rate that layers are compared with: that of products in the type in which they
// compute. If the devices compute a 16-bit type with 32-bit instructions, it is the f32 rate.
double multiply_rate(const runtime::Session& session) {
  runtime::OpenDevices& devices = *session.devices();
  if (session.options().dtype != CONVOY_F32) {
    try {
      return mean(devices.measure(CONVOY_MEASURE_MULTIPLY_HALF));
    } catch (const Error& error) {
      if (error.code() == ExitCode::kTimeout) throw;
    }
  }
  return mean(devices.measure(CONVOY_MEASURE_MULTIPLY));
}

// Returns the seconds per step of one record. Its calls since the session began make up exactly
// `steps` steps. The calls before the timed steps are slower, so only their number is used.
double seconds_per_step(const convoy_profile_record& before, const convoy_profile_record& now,
                        std::int64_t steps) {
  if (now.calls == before.calls) return 0;
  const double per_call =
      (now.seconds - before.seconds) / static_cast<double>(now.calls - before.calls);
  return per_call * static_cast<double>(now.calls) / static_cast<double>(steps);
}

void charge(report::PassProfile& pass, const convoy_profile_record& record, double seconds) {
  if (record.role == CONVOY_PROFILE_HELPER) {
    pass.helper_seconds += seconds;
    return;
  }
  pass.recorded = true;
  pass.seconds += seconds;
  const std::string name = record.implementation;
  if (pass.implementation.find(name) != std::string::npos) return;
  pass.implementation += (pass.implementation.empty() ? "" : " + ") + name;
}

bool took_time(const report::LayerProfile& layer) {
  return std::ranges::any_of(layer.passes, [](const report::PassProfile& pass) {
    return pass.recorded || pass.helper_seconds > 0;
  });
}

bool has_pass(const graph::Graph& graph, const std::vector<bool>& behind, std::size_t node,
              std::size_t pass) {
  if (!graph::owns_weights(graph.nodes()[node].layer.kind)) return false;
  return pass != CONVOY_PASS_BACKWARD_DATA || behind[node];
}

// Counts the passes of primitives in the model, for which there should be times.
void compare_with_model(const runtime::Session& session,
                        const std::vector<report::LayerProfile>& layers,
                        report::ProfileRecord& record) {
  const std::vector<bool> behind = graph::nodes_behind_variables(session.graph());
  const std::size_t passes = session.forward_only() ? 1 : report::kPassNames.size();
  for (std::size_t node = 0; node < layers.size(); ++node) {
    for (std::size_t pass = 0; pass < passes; ++pass) {
      if (!has_pass(session.graph(), behind, node, pass)) continue;
      ++record.expected_passes;
      if (!layers[node].passes[pass].recorded)
        record.missing_passes.push_back(layers[node].name + " " + report::kPassNames[pass]);
    }
  }
}

}  // namespace

ProfileCollector::ProfileCollector(const runtime::Session& session)
    : session_(session),
      multiply_rate_(multiply_rate(session)),
      stream_rate_(mean(session.devices()->measure(CONVOY_MEASURE_STREAM))) {}

void ProfileCollector::warmed_up() {
  before_ = session_.profile();
}

std::optional<report::ProfileRecord> ProfileCollector::record(
    const runtime::TrainingSummary& summary, std::int64_t warmup_steps) const {
  if (summary.timed_steps == 0) return std::nullopt;
  const graph::Graph& graph = session_.graph();
  report::ProfileRecord result;
  result.devices = static_cast<std::uint32_t>(session_.local_replicas().size());
  result.multiply_rate = multiply_rate_;
  result.stream_rate = stream_rate_;
  result.step_seconds = summary.breakdown.seconds;
  const std::uint32_t batch = session_.options().batch;
  if (!session_.forward_only())
    result.unavoidable_bytes =
        graph::unavoidable_bytes(graph, batch, session_.options().optimizer.state_slots);
  std::vector<report::LayerProfile> layers(graph.nodes().size());
  for (std::uint32_t node = 0; node < layers.size(); ++node) {
    layers[node].name = graph.nodes()[node].name;
    layers[node].kind = graph::find_layer_traits(graph.nodes()[node].layer.kind)->group;
    for (std::uint32_t pass = 0; pass < report::kPassNames.size(); ++pass) {
      const graph::LayerWork work =
          graph::layer_work(graph, node, batch, static_cast<convoy_pass>(pass));
      layers[node].passes[pass].flops = work.flops;
      layers[node].passes[pass].bytes = work.bytes;
    }
  }
  const Records now = session_.profile();
  const std::int64_t steps = warmup_steps + summary.timed_steps;
  for (std::size_t replica = 0; replica < now.size(); ++replica)
    for (std::size_t i = 0; i < now[replica].size(); ++i) {
      const convoy_profile_record& record = now[replica][i];
      charge(layers.at(record.node).passes.at(record.pass), record,
             seconds_per_step(before_.at(replica).at(i), record, steps) / result.devices);
    }
  compare_with_model(session_, layers, result);
  std::ranges::copy_if(layers, std::back_inserter(result.layers), took_time);
  return result;
}

}  // namespace convoy::job
