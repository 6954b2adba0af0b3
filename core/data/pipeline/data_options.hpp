#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convoy::data {

// Training has random order, random crops and no end. Validation has file order and central crops,
// and starts again at the end.
enum class Subset { kTrain, kValidation };

// kRoundRobin uses nearest, bilinear, bicubic and area in turn, by position in the global batch.
enum class ResizeMethod { kNearest, kBilinear, kBicubic, kArea, kRoundRobin };

enum class BadRecordPolicy {
  kFail,  // a record that cannot be used ends the run
  kSkip,  // the next usable record of the epoch replaces it, and it is counted
};

// These fail with ExitCode::kUsage, listing the allowed values, if `text` is none of them.
ResizeMethod parse_resize_method(std::string_view text);
BadRecordPolicy parse_bad_record_policy(std::string_view text);

struct DataOptions {
  std::string data_dir;   // empty: synthetic data
  std::string data_name;  // empty: guessed from data_dir; "hash": the reproducible fill
  std::string model_dataset = "imagenet";  // used if neither of them says
  Subset subset = Subset::kTrain;

  int replicas = 1;  // replicas that share the global batch, on all hosts
  // The numbers of the replicas whose batches this process uses; empty: all. The samples do not
  // depend on it.
  std::vector<int> local_replicas;
  int batch = 1;  // images per replica and step
  int channels = 3;
  int height = 224;  // pixels of the model's input
  int width = 224;
  int classes = 1001;  // labels of files are 0 .. classes - 1; 0 is background

  std::uint32_t seed = 1234;
  std::int64_t first_step = 0;  // the step at which a resumed run continues in the order of samples

  int threads = 1;         // threads that read and decode
  int prefetch_depth = 2;  // batches per replica that are prepared before acquire()
  bool distortions = false;
  bool distort_in_yiq = true;      // changes hue and saturation by a rotation in YIQ, else in HSV
  bool cache_records = false;      // keeps records in memory, not decoded
  bool repeat_one_record = false;  // training: the first usable record is used for all samples
  ResizeMethod resize_method = ResizeMethod::kBilinear;
  BadRecordPolicy on_bad_record = BadRecordPolicy::kFail;
  // The number of passes over the files whose samples count. Samples that only fill up the last
  // batch do not count. Empty: all samples count.
  std::optional<double> counted_epochs;

  // Allocates memory of `elements` zeros for the images of a batch. Empty: ordinary memory.
  using ImageMemory = std::function<std::shared_ptr<float[]>(std::int64_t elements)>;
  ImageMemory image_memory;

  // The number of samples to skip in addition to those of earlier steps, or to go back if it is
  // negative. It is needed if the resumed run had batches of another size.
  std::int64_t sample_offset = 0;

  std::int64_t global_batch() const { return std::int64_t{replicas} * batch; }
  bool is_local(int replica) const;
  // Returns the position of a sample in the order of the whole run.
  std::int64_t sample_at(std::int64_t step, std::int64_t position) const {
    return sample_offset + step * global_batch() + position;
  }
  std::int64_t image_elements() const { return std::int64_t{channels} * height * width; }
  // Returns whether a sample counts. `sample`: its position in the order of the whole run.
  bool counts(std::int64_t sample, std::int64_t samples_per_epoch) const;
  // Allocates memory for all images of one batch.
  std::shared_ptr<float[]> make_image_memory() const;
};

// Fails with ExitCode::kUsage if a count is below its minimum.
void check_data_options(const DataOptions& options);

}  // namespace convoy::data
