#include "core/data/pipeline/data_options.hpp"

#include <algorithm>
#include <initializer_list>

#include "core/base/error.hpp"

namespace convoy::data {

ResizeMethod parse_resize_method(std::string_view text) {
  if (text == "nearest") return ResizeMethod::kNearest;
  if (text == "bilinear") return ResizeMethod::kBilinear;
  if (text == "bicubic") return ResizeMethod::kBicubic;
  if (text == "area") return ResizeMethod::kArea;
  if (text == "round_robin") return ResizeMethod::kRoundRobin;
  fail(ExitCode::kUsage,
       "unknown resize_method '{}'; use nearest, bilinear, bicubic, area or round_robin", text);
}

BadRecordPolicy parse_bad_record_policy(std::string_view text) {
  if (text == "fail") return BadRecordPolicy::kFail;
  if (text == "skip") return BadRecordPolicy::kSkip;
  fail(ExitCode::kUsage, "unknown on_bad_record '{}'; use fail or skip", text);
}

std::shared_ptr<float[]> DataOptions::make_image_memory() const {
  const std::int64_t elements = image_elements() * batch;
  if (image_memory) return image_memory(elements);
  return std::shared_ptr<float[]>(new float[static_cast<std::size_t>(elements)]());
}

bool DataOptions::is_local(int replica) const {
  return local_replicas.empty() ||
         std::find(local_replicas.begin(), local_replicas.end(), replica) != local_replicas.end();
}

bool DataOptions::counts(std::int64_t sample, std::int64_t samples_per_epoch) const {
  if (!counted_epochs) return true;
  const double counted = *counted_epochs * static_cast<double>(samples_per_epoch);
  return sample < static_cast<std::int64_t>(counted);  // rounded as in timed_steps()
}

void check_data_options(const DataOptions& options) {
  struct Minimum {
    const char* name;
    std::int64_t value;
    std::int64_t least;
  };
  const std::initializer_list<Minimum> minima = {
      {"number of replicas", options.replicas, 1},
      {"batch size", options.batch, 1},
      {"number of image channels", options.channels, 1},
      {"image height", options.height, 1},
      {"image width", options.width, 1},
      {"number of classes", options.classes, 2},
      {"first step", options.first_step, 0},
      {"number of input threads", options.threads, 1},
      {"prefetch depth", options.prefetch_depth, 1},
  };
  for (const Minimum& minimum : minima) {
    if (minimum.value < minimum.least) {
      fail(ExitCode::kUsage, "the {} is {}; it must be at least {}", minimum.name, minimum.value,
           minimum.least);
    }
  }
}

}  // namespace convoy::data
