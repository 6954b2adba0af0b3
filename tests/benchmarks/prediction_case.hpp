#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/calibrate/machine_profile.hpp"
#include "core/calibrate/probe_session.hpp"
#include "core/plugin/library.hpp"
#include "core/plugin/model_plugin.hpp"
#include "core/runtime/session.hpp"
#include "core/simulate/machine/constants.hpp"
#include "tests/benchmarks/training_steps.hpp"

namespace convoy::benchmarks {

struct PredictionStrategy {
  std::string label;
  std::string plugin;
  plugin::OptionValues options{};
};

// One after the other: a strategy's steps, and beside them those of a fixed network on one device,
// which say how fast the machine was at that moment.
struct PredictionTurn {
  double step_seconds = 0;
  double reference_seconds = 0;
};

struct PredictedCase {
  std::string strategy;
  double predicted_seconds = 0;
  std::vector<PredictionTurn> turns;
};

// The plug-ins that all cases share.
class PredictionPlugins {
 public:
  PredictionPlugins();

  plugin::FoundPlugin find(const std::string& name) const;
  plugin::PluginHost& host() { return host_; }
  const plugin::DevicePlugin& device() const { return *device_; }
  plugin::StrategyPlugin& sharing_nothing() { return *sharing_nothing_; }
  const simulate::SoftwareProfile& software() const { return software_; }

 private:
  plugin::PluginHost host_;
  std::unique_ptr<plugin::DevicePlugin> device_;
  std::unique_ptr<plugin::StrategyPlugin> sharing_nothing_;
  simulate::SoftwareProfile software_;
};

// The reference: a network that calibrations do not measure, on one device with all cores.
class PredictionReference {
 public:
  explicit PredictionReference(PredictionPlugins& plugins);
  double seconds();  // of a usual step

 private:
  std::shared_ptr<runtime::OpenDevices> devices_;
  calibrate::ProbeSession session_;
};

// A model on so many devices, in training with one strategy after the other in the same session:
// plans are exchanged, so that turns are short. Strategies whose plans cannot be exchanged for
// others are left out.
class PredictionCase {
 public:
  PredictionCase(PredictionPlugins& plugins, const std::string& model, std::uint32_t devices,
                 std::uint32_t batch, const std::vector<PredictionStrategy>& strategies);
  ~PredictionCase();

  void predict(const calibrate::MachineProfile& profile);
  // A turn of every strategy: one step that does not count and then so many, queued as in training.
  void round(PredictionReference& reference, int steps);
  const std::vector<PredictedCase>& cases() const { return cases_; }

 private:
  struct Contender {
    std::unique_ptr<plugin::StrategyPlugin> strategy;
    std::shared_ptr<const runtime::PreparedPlan> plan;
  };

  PredictionPlugins& plugins_;
  std::unique_ptr<plugin::ModelPlugin> model_;
  std::vector<Contender> contenders_;  // plans are before the session that lets go of them
  std::unique_ptr<runtime::Session> session_;
  std::unique_ptr<TrainingSteps> steps_;
  std::vector<PredictedCase> cases_;
  bool forwards_ = true;
};

}  // namespace convoy::benchmarks
