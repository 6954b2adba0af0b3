#include "core/report/console.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/base/error.hpp"

namespace convoy::report {
namespace {

constexpr int kLabelWidth = 13;
constexpr int kRuleWidth = 64;

std::string labelled(const std::string& label, const std::string& value) {
  return fmt::format("{:<{}}{}", label.empty() ? label : label + ":", kLabelWidth, value);
}

// C++ prints the sign bit of NaN, but readers of these lines expect "nan".
double without_sign(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

// Formats a list of texts as Python prints it.
std::string python_list(const std::vector<std::string>& items) {
  std::string text = "[";
  for (const std::string& item : items) {
    if (text.size() > 1) text += ", ";
    text += "'" + item + "'";
  }
  return text + "]";
}

const char* line_of(RunPhase phase) {
  switch (phase) {
    case RunPhase::kGeneratingModel:
      return "Generating training model";
    case RunPhase::kGeneratingEvaluationModel:
      return "Generating evaluation model";
    case RunPhase::kInitializing:
      return "Initializing graph";
    case RunPhase::kWarmingUp:
      return "Running warm up";
    case RunPhase::kWarmedUp:
      return "Done warm up";
    case RunPhase::kTrainingResumes:
      return "Resuming training";
    case RunPhase::kTrainingDone:
      return "Done with training";
  }
  return "";
}

const char* python_bool(bool value) {
  return value ? "True" : "False";
}

}  // namespace

Console::Console(std::ostream& out, std::string loss_name, bool accuracy)
    : out_(out), loss_name_(std::move(loss_name)), accuracy_(accuracy) {}

void Console::line(const std::string& text) {
  out_ << text << '\n' << std::flush;
}

void Console::header(const ConsoleHeader& header) {
  line(labelled("convoy", header.version));
  line(labelled("Model", header.model));
  line(labelled("Dataset", header.dataset + (header.synthetic ? " (synthetic)" : "")));
  line(labelled("Mode", header.mode));
  line(labelled("SingleSess", python_bool(false)));
  line(labelled("Batch size", fmt::format("{} global", header.global_batch)));
  line(labelled("", fmt::format("{} per device", header.batch_per_device)));
  line(labelled("Num batches", fmt::format("{}", header.num_batches)));
  line(labelled("Num epochs", fmt::format("{:.2f}", header.num_epochs)));
  line(labelled("Devices", python_list(header.devices)));
  line(labelled("NUMA bind", python_bool(header.bound_to_numa_nodes)));
  line(labelled("Data format", header.data_format));
  line(labelled("Optimizer", header.optimizer));
  line(labelled("Variables", header.strategy));
  for (const auto& [label, value] : header.strategy_details) line(labelled(label, value));
  line("==========");
}

void Console::enters(RunPhase phase) {
  line(line_of(phase));
}

void Console::columns() {
  line(fmt::format("Step\tImg/sec\t{}{}", loss_name_,
                   accuracy_ ? "\ttop_1_accuracy\ttop_5_accuracy" : ""));
}

void Console::step(std::int64_t step, const Speed& speed, double loss,
                   std::optional<Accuracy> accuracy) {
  CONVOY_CHECK_EQ(accuracy.has_value(), accuracy_);
  std::string text =
      fmt::format("{}\timages/sec: {:.1f} +/- {:.1f} (jitter = {:.1f})\t{:.3f}", step, speed.mean,
                  speed.standard_error, speed.jitter, without_sign(loss));
  if (accuracy) text += fmt::format("\t{:.3f}\t{:.3f}", accuracy->top_1, accuracy->top_5);
  line(text);
}

void Console::total(double images_per_second) {
  const std::string rule(kRuleWidth, '-');
  line(rule);
  line(fmt::format("total images/sec: {:.2f}", images_per_second));
  line(rule);
}

void Console::result(const std::string& text) {
  line(text);
}

void Console::model_loaded(const std::string& path) {
  line(fmt::format("Successfully loaded model from {}.", path));
}

void Console::evaluation_step(std::int64_t step, double examples_per_second) {
  line(fmt::format("{}\t{:.1f} examples/sec", step, examples_per_second));
}

void Console::accuracy(const Accuracy& accuracy, std::int64_t examples) {
  line(fmt::format("Accuracy @ 1 = {:.4f} Accuracy @ 5 = {:.4f} [{} examples]", accuracy.top_1,
                   accuracy.top_5, examples));
}

void Console::no_checkpoint(const std::string& folder) {
  line(fmt::format("Checkpoint not found in {}", folder));
}

void Console::evaluation_begins(std::int64_t global_step, bool final) {
  line(fmt::format("Running {}evaluation at global_step {}", final ? "final " : "", global_step));
}

void Console::target_reached(double top_1) {
  line(fmt::format("Stopping, as eval accuracy of at least {} was reached", top_1));
}

bool is_displayed(std::int64_t step, std::int64_t display_every) {
  return step == 1 || step % display_every == 0;
}

}  // namespace convoy::report
