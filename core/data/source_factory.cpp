#include "core/data/source_factory.hpp"

#include <array>

#include "core/base/error.hpp"
#include "core/data/hash_source.hpp"
#include "core/data/synthetic_source.hpp"
#include "core/data/tfrecord_source.hpp"

namespace convoy {

std::string guess_data_name(std::string_view data_dir) {
  constexpr std::array<std::string_view, 4> kNames = {"imagenet", "cifar10", "librispeech", "coco"};
  for (const std::string_view name : kNames) {
    if (data_dir.find(name) != std::string_view::npos) return std::string(name);
  }
  return "imagenet";
}

std::unique_ptr<BatchSource> make_source(const DataOptions& options) {
  check_data_options(options);
  const bool hash = options.data_name == "hash";
  if (options.data_dir.empty()) {
    if (hash) return std::make_unique<HashSource>(options);
    return std::make_unique<SyntheticSource>(options);
  }
  if (hash) {
    fail(ExitCode::kUsage, "data_name=hash makes its own data; leave out data_dir ('{}')",
         options.data_dir);
  }
  const bool guessed = options.data_name.empty();
  const std::string name = guessed ? guess_data_name(options.data_dir) : options.data_name;
  if (name != "imagenet") {
    fail(ExitCode::kUsage,
         "data set '{}' ({}) is not supported; use data_name=imagenet for TFRecord files of JPEG "
         "images, data_name=hash, or leave out data_dir for synthetic data",
         name,
         guessed ? fmt::format("guessed from data_dir '{}'", options.data_dir) : "from data_name");
  }
  return std::make_unique<TfRecordSource>(options);
}

}  // namespace convoy
