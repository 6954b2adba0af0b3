#pragma once

#include <memory>

#include "core/data/pipeline/batch_source.hpp"
#include "core/data/pipeline/data_options.hpp"

namespace convoy::data {

// Fails as make_source() where it would find no files, without opening one. Of the options, only
// what says which data: nothing is read ahead.
void require_data_files(const DataOptions& options);

// Without data_dir: the reproducible fill if data_name is "hash", else synthetic data. With it:
// the files of the data set (see dataset_of). Fails with kUsage on options that make no sense
// together, otherwise as TfRecordSource and Cifar10Source do.
std::unique_ptr<BatchSource> make_source(const DataOptions& options);

}  // namespace convoy::data
