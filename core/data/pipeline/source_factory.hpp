#pragma once

#include <memory>

#include "core/data/pipeline/batch_source.hpp"
#include "core/data/pipeline/data_options.hpp"

namespace convoy::data {

// Without data_dir: the reproducible fill if data_name is "hash", else synthetic data. With it:
// the files of the data set (see dataset_of). Fails with kUsage on options that make no sense
// together, otherwise as TfRecordSource and Cifar10Source do.
std::unique_ptr<BatchSource> make_source(const DataOptions& options);

}  // namespace convoy::data
