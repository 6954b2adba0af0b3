#include "core/data/pipeline/source_factory.hpp"

#include "core/base/error.hpp"
#include "core/data/cifar10/cifar10_images.hpp"
#include "core/data/cifar10/cifar10_source.hpp"
#include "core/data/pipeline/dataset.hpp"
#include "core/data/pipeline/fixed_image_source.hpp"
#include "core/data/tfrecord/record_index.hpp"
#include "core/data/tfrecord/tfrecord_source.hpp"

namespace convoy::data {

namespace {

bool is_hash(const DataOptions& options) {
  return options.data_name == "hash";
}

bool is_cifar10(const DataOptions& options) {
  return dataset_of(options).name == "cifar10";
}

void refuse_folder_of_hash(const DataOptions& options) {
  if (is_hash(options))
    fail(ExitCode::kUsage, "data_name=hash makes its own data; leave out data_dir ('{}')",
         options.data_dir);
}

}  // namespace

void require_data_files(const DataOptions& options) {
  if (options.data_dir.empty()) return;
  refuse_folder_of_hash(options);
  if (is_cifar10(options))
    require_cifar10(options.data_dir, options.subset);
  else
    find_record_files(options.data_dir, options.subset);
}

std::unique_ptr<BatchSource> make_source(const DataOptions& options) {
  check_data_options(options);
  if (options.data_dir.empty()) {
    if (is_hash(options)) return std::make_unique<HashSource>(options);
    return std::make_unique<SyntheticSource>(options);
  }
  refuse_folder_of_hash(options);
  if (is_cifar10(options)) return std::make_unique<Cifar10Source>(options);
  return std::make_unique<TfRecordSource>(options);
}

}  // namespace convoy::data
