#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convoy::data {

// train: random order, random crops, endless. validation: file order, central crops, starting
// again at the end.
enum class Subset { kTrain, kValidation };

// kRoundRobin takes nearest, bilinear, bicubic, area in turn by position in the global batch.
enum class ResizeMethod { kNearest, kBilinear, kBicubic, kArea, kRoundRobin };

enum class BadRecordPolicy {
  kFail,  // a record that cannot be used ends the run
  kSkip,  // it is replaced by the next usable one of the epoch, and counted
};

// Each fails with ExitCode::kUsage, listing the allowed values, if `text` is none of them.
ResizeMethod parse_resize_method(std::string_view text);
BadRecordPolicy parse_bad_record_policy(std::string_view text);

struct DataOptions {
  std::string data_dir;   // empty: synthetic data
  std::string data_name;  // empty: guessed from data_dir; "hash": the reproducible fill
  std::string model_dataset = "imagenet";  // where neither of them says
  Subset subset = Subset::kTrain;

  int replicas = 1;  // that share the global batch, on all hosts
  // The numbers of those whose batches this process takes; empty: all. Samples are the same.
  std::vector<int> local_replicas;
  int batch = 1;  // images per replica and step
  int channels = 3;
  int height = 224;  // pixels, of the model's input
  int width = 224;
  int classes = 1001;  // labels of files are 0 .. classes - 1; 0 is background

  std::uint32_t seed = 1234;
  std::int64_t first_step = 0;  // where a resumed run goes on in the order of samples

  int threads = 1;         // that read and decode
  int prefetch_depth = 2;  // batches per replica made ahead of acquire()
  bool distortions = false;
  bool distort_in_yiq = true;      // hue and saturation as a rotation in YIQ, else in HSV
  bool cache_records = false;      // keep what was read in memory, not decoded
  bool repeat_one_record = false;  // training: the first usable record stands for all
  ResizeMethod resize_method = ResizeMethod::kBilinear;
  BadRecordPolicy on_bad_record = BadRecordPolicy::kFail;
  // Passes over the files whose samples count; those that fill up the last batch are left out.
  // Empty: all count.
  std::optional<double> counted_epochs;

  // Gives memory of `elements` zeros for the images of a batch. Empty: ordinary memory.
  using ImageMemory = std::function<std::shared_ptr<float[]>(std::int64_t elements)>;
  ImageMemory image_memory;

  // Samples to skip, or, negative, to go back, besides those of the steps before: the run that is
  // resumed had batches of another size.
  std::int64_t sample_offset = 0;

  std::int64_t global_batch() const { return std::int64_t{replicas} * batch; }
  bool is_local(int replica) const;
  // The place of a sample in the order of the whole run.
  std::int64_t sample_at(std::int64_t step, std::int64_t position) const {
    return sample_offset + step * global_batch() + position;
  }
  std::int64_t image_elements() const { return std::int64_t{channels} * height * width; }
  // Whether a sample, by its place in the order of the whole run, counts.
  bool counts(std::int64_t sample, std::int64_t samples_per_epoch) const;
  // For all images of one batch.
  std::shared_ptr<float[]> make_image_memory() const;
};

// Fails with ExitCode::kUsage on a count below its minimum.
void check_data_options(const DataOptions& options);

}  // namespace convoy::data
