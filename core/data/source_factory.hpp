#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/data/batch_source.hpp"
#include "core/data/data_options.hpp"

namespace convoy {

// The name of the data set a folder holds, guessed from its path: the first of imagenet, cifar10,
// librispeech and coco that occurs in it, else imagenet.
std::string guess_data_name(std::string_view data_dir);

// Without data_dir: the reproducible fill if data_name is "hash", else synthetic data. With it:
// ImageNet's TFRecord files. Fails with kUsage on options that make no sense together or a data set
// that is not supported, otherwise as TfRecordSource does.
std::unique_ptr<BatchSource> make_source(const DataOptions& options);

}  // namespace convoy
