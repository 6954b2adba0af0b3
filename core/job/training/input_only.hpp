#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "core/data/pipeline/batch_source.hpp"
#include "core/data/pipeline/data_options.hpp"
#include "core/job/options.hpp"
#include "core/report/input_verdict.hpp"

namespace convoy::job {

// Error(kUsage) if these options cannot be combined with --input_only, which needs data_dir and
// measures the images of training.
void check_input_only(const JobOptions& options);

// Error(kUsage) for a dump file without input_only, or one that cannot be written.
void check_dump(const JobOptions& options);

// Takes the first batches of all replicas from a source with these options, and writes them, one
// after the other, as tensors "images" (samples x channels x height x width, f32, normalised) and
// "labels" (i32).
void dump_batch(data::BatchSource& source, const data::DataOptions& options,
                const std::filesystem::path& file);

struct InputOnlySteps {
  std::int64_t warmup = 0;
  std::int64_t timed = 1;
};

// Called after every step, with its number (timed steps count from 1, warm-up steps are negative)
// and its seconds. Returns whether to go on.
using InputStepEvent = std::function<bool(std::int64_t step, double seconds)>;

// Takes batches from `source` as training would, without computing, and measures the rate. Nothing
// else should run in this process, because its processor time is counted as the input's.
report::InputSpeed measure_input(data::BatchSource& source, const data::DataOptions& options,
                                 const InputOnlySteps& steps, const InputStepEvent& event);

}  // namespace convoy::job
