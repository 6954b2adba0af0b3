#include "core/data/pipeline/source_factory.hpp"

#include "core/base/error.hpp"
#include "core/data/cifar10/cifar10_source.hpp"
#include "core/data/pipeline/dataset.hpp"
#include "core/data/pipeline/fixed_image_source.hpp"
#include "core/data/tfrecord/tfrecord_source.hpp"

namespace convoy::data {

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
  if (dataset_of(options).name == "cifar10") return std::make_unique<Cifar10Source>(options);
  return std::make_unique<TfRecordSource>(options);
}

}  // namespace convoy::data
