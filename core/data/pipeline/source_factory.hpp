#pragma once

#include <memory>

#include "core/data/pipeline/batch_source.hpp"
#include "core/data/pipeline/data_options.hpp"

namespace convoy::data {

// Fails as make_source() does if it would find no files, but opens none. It uses only the options
// that select the data, and reads nothing ahead.
void require_data_files(const DataOptions& options);

// Makes a batch source. Without data_dir, it is the reproducible fill if data_name is "hash", else
// synthetic data. With data_dir, it is the files of the data set (see dataset_of). Fails with
// kUsage on options that contradict each other, otherwise as TfRecordSource and Cifar10Source do.
std::unique_ptr<BatchSource> make_source(const DataOptions& options);

}  // namespace convoy::data
