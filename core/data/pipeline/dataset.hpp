#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/data/pipeline/data_options.hpp"

namespace convoy::data {

// A data set for which models are made, as published. Label 0 of imagenet is background, which its
// photographs do not have. cifar10 has one class more than there are labels.
struct Dataset {
  std::string_view name;
  std::uint32_t classes;  // width of the classifier
  std::int64_t training_examples;
  std::int64_t validation_examples;

  std::int64_t examples(Subset subset) const {
    return subset == Subset::kTrain ? training_examples : validation_examples;
  }
};

// Fails with ExitCode::kUsage, listing the known names, for another name.
const Dataset& find_dataset(std::string_view name);

// Returns the data set that the user names: data_name, else the first of imagenet, cifar10,
// librispeech and coco that occurs in the path data_dir. Null if neither names one, as with the
// reproducible fill (data_name "hash"). Fails with kUsage for a data set that convoy does not read.
const Dataset* requested_dataset(std::string_view data_name, std::string_view data_dir);

// Returns the data set of a run: the one that the user names, else the one for which the model was
// made.
const Dataset& dataset_of(const DataOptions& options);

// Returns the model's data set. Fails with kUsage if the user names another one. The text ends with
// the result of fitting_models() for the data set that the user names.
const Dataset& dataset_of_model(
    std::string_view model, std::string_view model_dataset, std::string_view data_name,
    std::string_view data_dir,
    const std::function<std::string(std::string_view)>& fitting_models = {});

}  // namespace convoy::data
