#include "core/data/pipeline/dataset.hpp"

#include <fmt/format.h>

#include <array>

#include "core/base/error.hpp"

namespace convoy::data {
namespace {

constexpr std::array<Dataset, 2> kDatasets = {{
    {"imagenet", 1001, 1'281'167, 50'000},
    {"cifar10", 11, 50'000, 10'000},
}};

// The order in which tf_cnn_benchmarks looks for them in a path.
constexpr std::array<std::string_view, 4> kNamesInPaths = {"imagenet", "cifar10", "librispeech",
                                                           "coco"};

const Dataset* look_up(std::string_view name) {
  for (const Dataset& dataset : kDatasets)
    if (dataset.name == name) return &dataset;
  return nullptr;
}

}  // namespace

const Dataset& find_dataset(std::string_view name) {
  if (const Dataset* const dataset = look_up(name)) return *dataset;
  std::string names;
  for (const Dataset& dataset : kDatasets) names += fmt::format("{}, ", dataset.name);
  fail(ExitCode::kUsage,
       "unknown data set '{}'; data_name takes {}or hash, which makes its own images", name, names);
}

const Dataset* requested_dataset(std::string_view data_name, std::string_view data_dir) {
  if (data_name == "hash") return nullptr;
  if (!data_name.empty()) return &find_dataset(data_name);
  for (const std::string_view name : kNamesInPaths) {
    if (data_dir.find(name) == std::string_view::npos) continue;
    if (const Dataset* const dataset = look_up(name)) return dataset;
    fail(ExitCode::kUsage,
         "data set '{}' (guessed from data_dir '{}') is not supported; if the folder holds another "
         "one, name it: --data_name=imagenet or --data_name=cifar10",
         name, data_dir);
  }
  return nullptr;
}

const Dataset& dataset_of(const DataOptions& options) {
  const Dataset* const requested = requested_dataset(options.data_name, options.data_dir);
  return requested != nullptr ? *requested : find_dataset(options.model_dataset);
}

const Dataset& dataset_of_model(
    std::string_view model, std::string_view model_dataset, std::string_view data_name,
    std::string_view data_dir, const std::function<std::string(std::string_view)>& fitting_models) {
  const Dataset& own = find_dataset(model_dataset);
  const Dataset* const requested = requested_dataset(data_name, data_dir);
  if (requested != nullptr && requested != &own) {
    fail(ExitCode::kUsage,
         "model {} is made for {} and the data set is {} ({}); choose another model or "
         "--data_name{}",
         model, own.name, requested->name,
         data_name.empty() ? fmt::format("guessed from data_dir '{}'", data_dir) : "from data_name",
         fitting_models
             ? fmt::format(". Models for {}: {}", requested->name, fitting_models(requested->name))
             : "");
  }
  return own;
}

}  // namespace convoy::data
