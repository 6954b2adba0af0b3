#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "core/data/pipeline/batch_source.hpp"
#include "core/data/pipeline/data_options.hpp"
#include "core/job/options.hpp"
#include "core/report/input_verdict.hpp"

namespace convoy::job {

// Error(kUsage) unless these options can be run with --input_only: they need data_dir, and the
// images of training are what is measured.
void check_input_only(const JobOptions& options);

// Error(kUsage) for a dump without input_only, or one that cannot be written to.
void check_dump(const JobOptions& options);

// Takes the first batch of a source that these options made, of all replicas one behind the other,
// and writes it as tensors "images" (samples x channels x height x width, f32, normalised) and
// "labels" (i32).
void dump_batch(data::BatchSource& source, const data::DataOptions& options,
                const std::filesystem::path& file);

struct InputOnlySteps {
  std::int64_t warmup = 0;
  std::int64_t timed = 1;
};

// Called after every step, with its number (timed ones count from 1, warm-up steps are negative)
// and its seconds; returns whether to go on.
using InputStepEvent = std::function<bool(std::int64_t step, double seconds)>;

// Takes batches from `source` as training would, at once, and measures how fast they come. Nothing
// else should run in this process meanwhile: its processor time is taken for that of the input.
report::InputSpeed measure_input(data::BatchSource& source, const data::DataOptions& options,
                                 const InputOnlySteps& steps, const InputStepEvent& event);

}  // namespace convoy::job
