#include "core/job/training/input_only.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/files/output_file.hpp"
#include "core/base/process/clocks.hpp"
#include "core/base/process/processors.hpp"
#include "core/checkpoint/safetensors_writer.hpp"

namespace convoy::job {

void check_input_only(const JobOptions& options) {
  if (options.data_dir.empty()) {
    fail(ExitCode::kUsage,
         "--input_only measures how fast images are read and prepared, and there is no --data_dir: "
         "synthetic images are made once; name a folder with data");
  }
  if (options.evaluation.mode() != RunMode::kTraining) {
    fail(ExitCode::kUsage,
         "--input_only measures the input of training: leave out --eval, --forward_only and "
         "evaluations during training");
  }
}

void check_dump(const JobOptions& options) {
  if (options.dump_file.empty()) return;
  if (!options.input_only)
    fail(ExitCode::kUsage, "--dump={} writes the first batch of --input_only, which was not given",
         options.dump_file);
  if (!options.dump_file.ends_with(".safetensors"))
    fail(ExitCode::kUsage,
         "--dump={}: the file is in the safetensors format, so its name must end in .safetensors",
         options.dump_file);
  check_output_file(options.dump_file);
}

void dump_batch(data::BatchSource& source, const data::DataOptions& options,
                const std::filesystem::path& file) {
  std::vector<float> images;
  std::vector<std::int32_t> labels;
  for (int replica = 0; replica < options.replicas; ++replica) {
    const data::Batch& batch = source.acquire(replica, options.first_step);
    images.insert(images.end(), batch.images,
                  batch.images + batch.count * options.image_elements());
    labels.insert(labels.end(), batch.labels, batch.labels + batch.count);
    source.release(replica, options.first_step);
  }
  const auto size = [](auto number) { return static_cast<std::uint64_t>(number); };
  checkpoint::Tensor label_tensor{{"labels", checkpoint::TensorDtype::kI32, {labels.size()}}, {}};
  const auto bytes = std::as_bytes(std::span(labels));
  label_tensor.data.assign(bytes.begin(), bytes.end());
  checkpoint::write_safetensors(
      file, {{"data_dir", options.data_dir}},
      {checkpoint::make_tensor(
           "images",
           {labels.size(), size(options.channels), size(options.height), size(options.width)},
           images),
       std::move(label_tensor)});
}

namespace {

// Acquires the step's batches of all replicas and releases them.
void take(data::BatchSource& source, const data::DataOptions& options, std::int64_t step) {
  for (int replica = 0; replica < options.replicas; ++replica) {
    source.acquire(replica, step);
    source.release(replica, step);
  }
}

// Takes the batches that are ready from this step on. Returns how many steps they are.
std::int64_t take_ready(data::BatchSource& source, const data::DataOptions& options,
                        std::int64_t step) {
  std::int64_t taken = 0;
  const auto is_ready = [&] {
    for (int replica = 0; replica < options.replicas; ++replica)
      if (!source.is_ready(replica, step + taken)) return false;
    return true;
  };
  for (; taken <= options.prefetch_depth && is_ready(); ++taken)
    take(source, options, step + taken);
  return taken;
}

}  // namespace

// What is made counts, not what is acquired, so that images that were made before the clock started
// are not part of the result.
report::InputSpeed measure_input(data::BatchSource& source, const data::DataOptions& options,
                                 const InputOnlySteps& steps, const InputStepEvent& event) {
  using Clock = std::chrono::steady_clock;
  report::InputSpeed speed;
  speed.threads = options.threads;
  speed.cores = std::min<std::int64_t>(count_usable_processors(), options.threads);
  Clock::time_point begin = Clock::now(), last = begin;
  double processor_begin = processor_seconds();
  std::int64_t made_before = 0;
  std::int64_t step = options.first_step;
  for (std::int64_t i = -steps.warmup; i < steps.timed; ++i) {
    if (i == 0) {
      step += take_ready(source, options, step);
      begin = last = Clock::now();
      processor_begin = processor_seconds();
      made_before = source.statistics().made;
    }
    take(source, options, step++);
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - last).count();
    last = now;
    if (i >= 0) {
      speed.seconds = std::chrono::duration<double>(now - begin).count();
      speed.images = source.statistics().made - made_before;
    }
    if (!event(i < 0 ? i : i + 1, seconds)) break;
  }
  speed.processor_seconds = processor_seconds() - processor_begin;
  return speed;
}

}  // namespace convoy::job
