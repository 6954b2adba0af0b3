#include "core/job/prediction_options.hpp"

#include "core/runtime/model_map.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::job {
namespace {

constexpr std::uint64_t kPixelBytes = 3 * sizeof(float);  // as batches reach devices

}  // namespace

simulate::PredictorOptions prediction_options(const Setup& setup, const SimulatedHardware& hardware,
                                              std::uint32_t batch) {
  simulate::PredictorOptions options;
  options.batch = batch;
  options.half = setup.options.half;
  options.simulation.software = hardware.software;
  options.simulation.seed = setup.options.seed;
  options.simulation.state_slots = state_slots(setup.options.optimizer.kind);
  options.simulation.keep_operations = !setup.options.trace_file.empty();
  if (!setup.options.data_dir.empty()) {
    const std::uint64_t side = setup.graph->image_size();
    options.simulation.input = {batch, kPixelBytes * side * side};
  }
  return options;
}

ArenaMap simulated_map(const Setup& setup, const SimulatedHardware& hardware, const Arena& arena,
                       std::uint64_t bucket_elements) {
  ArenaMap map = make_arena_map(*setup.graph, arena, bucket_elements);
  if (!hardware.software.bucket_per_variable || setup.options.bucket_mb) return map;
  map.buckets = variable_buckets(map);
  return map;
}

}  // namespace convoy::job
