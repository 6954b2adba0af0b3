#pragma once

#include <memory>

#include "core/data/batch_source.hpp"
#include "core/data/data_options.hpp"

namespace convoy {

// Without data_dir: the reproducible fill if data_name is "hash", else synthetic data. With it:
// ImageNet's TFRecord files. Fails with kUsage on options that make no sense together or a data set
// that is not supported, otherwise as TfRecordSource does.
std::unique_ptr<BatchSource> make_source(const DataOptions& options);

}  // namespace convoy
