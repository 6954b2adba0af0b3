#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/data/pipeline/data_options.hpp"

namespace convoy::data {

// A data set that models are made for, as published. Label 0 of imagenet is background, which its
// photographs do not have; cifar10 has one class more than there are labels.
struct Dataset {
  std::string_view name;
  std::uint32_t classes;  // width of the classifier
  std::int64_t training_examples;
  std::int64_t validation_examples;

  std::int64_t examples(Subset subset) const {
    return subset == Subset::kTrain ? training_examples : validation_examples;
  }
};

// Fails with ExitCode::kUsage, listing the names there are, for another name.
const Dataset& find_dataset(std::string_view name);

// What the user says about the data: data_name, else the first of imagenet, cifar10, librispeech
// and coco that occurs in the path data_dir. Nothing if both leave it open, as the reproducible
// fill (data_name "hash") does. Fails with kUsage for a data set that convoy does not read.
const Dataset* requested_dataset(std::string_view data_name, std::string_view data_dir);

// The data set of a run: what the user says, else what the model was made for.
const Dataset& dataset_of(const DataOptions& options);

// Fails with kUsage if the user says another data set than the model's; the text ends with what
// fitting_models(data set) makes of the one the user said.
const Dataset& dataset_of_model(
    std::string_view model, std::string_view model_dataset, std::string_view data_name,
    std::string_view data_dir,
    const std::function<std::string(std::string_view)>& fitting_models = {});

}  // namespace convoy::data
