#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/plugin/library.hpp"
#include "core/runtime/session.hpp"
#include "tests/benchmarks/training_steps.hpp"

namespace convoy::benchmarks {

struct TrialOptions {
  std::string model;
  std::string strategy;
  plugin::OptionValues strategy_options{};
  std::uint32_t devices = 1;
  std::uint32_t batch = 1;    // per device
  std::uint64_t buckets = 0;  // about; 0: the default size of buckets
};

// A model in training on synthetic images, with devices of its own, that takes some steps whenever
// it is asked to: several trials in one process can take turns, so that a machine whose speed
// drifts slows them all down alike. Between turns its devices sleep.
class TrainingTrial {
 public:
  explicit TrainingTrial(const TrialOptions& options);
  ~TrainingTrial();

  double run(int steps);  // as TrainingSteps
  std::size_t buckets() const;

 private:
  struct Plugins;

  std::unique_ptr<Plugins> plugins_;
  std::unique_ptr<runtime::Session> session_;
  std::unique_ptr<TrainingSteps> steps_;
};

}  // namespace convoy::benchmarks
