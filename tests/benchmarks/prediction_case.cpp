#include "tests/benchmarks/prediction_case.hpp"

#include "core/base/error.hpp"
#include "core/calibrate/step_check.hpp"
#include "core/graph/assembler.hpp"
#include "core/simulate/machine/described_constants.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::benchmarks {
namespace {

graph::Graph graph_of(plugin::ModelPlugin& model, const std::string& name) {
  return graph::assemble_graph(name, model.info().image_size, kClasses,
                               [&](const convoy_graph_builder& builder) { model.build(builder); });
}

runtime::SessionOptions session_options(std::uint32_t devices, std::uint32_t batch) {
  runtime::SessionOptions options;
  options.batch = batch;
  options.optimizer = train::make_optimizer({}, devices);
  options.hash_initializer = true;  // which is quick
  return options;
}

}  // namespace

PredictionPlugins::PredictionPlugins()
    : device_(std::make_unique<plugin::DevicePlugin>(host_.load_device(find("convoy_device_cpu")),
                                                     plugin::OptionValues{})),
      sharing_nothing_(std::make_unique<plugin::StrategyPlugin>(
          host_.load_strategy(find("independent")), plugin::OptionValues{})),
      software_(simulate::read_software_profile(CONVOY_SOURCE_DIR "/share/profiles", "convoy")) {}

plugin::FoundPlugin PredictionPlugins::find(const std::string& name) const {
  return plugin::read_plugin(CONVOY_BINARY_DIR "/lib/convoy/plugins/" + name + ".so");
}

PredictionReference::PredictionReference(PredictionPlugins& plugins)
    : devices_(std::make_shared<runtime::OpenDevices>(plugins.device(), 1, 0)),
      session_(calibrate::check_network(), plugins.sharing_nothing(), devices_, false) {}

double PredictionReference::seconds() {
  return calibrate::usual_step(session_);
}

PredictionCase::PredictionCase(PredictionPlugins& plugins, const std::string& model,
                               std::uint32_t devices, std::uint32_t batch,
                               const std::vector<PredictionStrategy>& strategies)
    : plugins_(plugins),
      model_(std::make_unique<plugin::ModelPlugin>(plugins.host().load_model(plugins.find(model)),
                                                   plugin::OptionValues{})) {
  for (const PredictionStrategy& each : strategies) {
    auto strategy = std::make_unique<plugin::StrategyPlugin>(
        plugins.host().load_strategy(plugins.find(each.plugin)), each.options);
    if (!session_)
      session_ = std::make_unique<runtime::Session>(
          graph_of(*model_, model), *strategy,
          std::make_shared<runtime::OpenDevices>(plugins.device(), devices, 0),
          session_options(devices, batch));
    auto plan = contenders_.empty()
                    ? session_->plan()
                    : session_->prepare(*strategy, session_->options().bucket_elements);
    if (!contenders_.empty() && !runtime::why_not_exchangeable(*plan).empty()) continue;
    contenders_.push_back({std::move(strategy), std::move(plan)});
    cases_.push_back({each.label, 0, {}});
  }
  steps_ = std::make_unique<TrainingSteps>(*session_);
}

// The session lets go of its plan before the plan's strategy goes.
PredictionCase::~PredictionCase() {
  session_.reset();
}

void PredictionCase::predict(const calibrate::MachineProfile& profile) {
  for (std::size_t i = 0; i < cases_.size(); ++i)
    cases_[i].predicted_seconds = calibrate::predict_step(
        profile, session_->graph(), session_->options().batch, contenders_[i].plan->step.lowered(),
        session_->devices()->descriptions().front().threads, plugins_.software());
}

void PredictionCase::round(PredictionReference& reference, int steps) {
  for (std::size_t turn = 0; turn < contenders_.size(); ++turn) {
    const std::size_t i = forwards_ ? turn : contenders_.size() - 1 - turn;
    if (session_->plan() != contenders_[i].plan)
      CONVOY_CHECK(!session_->exchange_plan(contenders_[i].plan, steps_->submitted()));
    const double before = reference.seconds();
    const double seconds = steps_->run(steps);
    cases_[i].turns.push_back({seconds, (before + reference.seconds()) / 2});
  }
  forwards_ = !forwards_;
}

}  // namespace convoy::benchmarks
