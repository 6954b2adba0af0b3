#include "core/report/console.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"

namespace convoy {
namespace {

constexpr std::size_t kRuleWidth = 64;

std::string labelled(std::string_view label, std::string_view value) {
  return fmt::format("{:<13}{}\n", label, value);
}

// Python's spelling, which the readers of these lines expect.
std::string_view python_bool(bool value) {
  return value ? "True" : "False";
}

std::string device_list(const std::vector<std::string>& devices) {
  std::vector<std::string> quoted;
  for (const auto& device : devices) quoted.push_back("'" + device + "'");
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

}  // namespace

bool is_displayed(std::int64_t step, std::int64_t display_every) {
  return step == 1 || step % display_every == 0;
}

Console::Console(std::ostream& out, std::string loss_name, bool accuracy_columns)
    : out_(out), loss_name_(std::move(loss_name)), accuracy_columns_(accuracy_columns) {}

void Console::header(const RunHeader& header) {
  std::string text = labelled("convoy:", header.version);
  text += labelled("Model:", header.model);
  text += labelled("Dataset:", header.dataset + (header.synthetic ? " (synthetic)" : ""));
  text += labelled("Mode:", header.mode);
  text += labelled("SingleSess:", python_bool(header.single_session));
  text += labelled("Batch size:", fmt::format("{} global", header.global_batch));
  text += labelled("", fmt::format("{} per device", header.device_batch));
  text += labelled("Num batches:", fmt::format("{}", header.num_batches));
  text += labelled("Num epochs:", fmt::format("{:.2f}", header.num_epochs));
  text += labelled("Devices:", device_list(header.devices));
  text += labelled("NUMA bind:", python_bool(header.numa_bind));
  text += labelled("Data format:", header.data_format);
  text += labelled("Optimizer:", header.optimizer);
  text += labelled("Variables:", header.variables);
  if (header.all_reduce) text += labelled("AllReduce:", *header.all_reduce);
  out_ << text << "==========\n" << std::flush;
}

void Console::message(std::string_view line) {
  out_ << line << '\n' << std::flush;
}

void Console::column_titles() {
  out_ << "Step\tImg/sec\t" << loss_name_
       << (accuracy_columns_ ? "\ttop_1_accuracy\ttop_5_accuracy\n" : "\n") << std::flush;
}

void Console::step(std::int64_t step, const Speed& speed, double loss,
                   const std::optional<Accuracy>& accuracy) {
  CONVOY_CHECK_EQ(accuracy.has_value(), accuracy_columns_);
  std::string line = fmt::format("{}\timages/sec: {:.1f} +/- {:.1f} (jitter = {:.1f})\t{:.3f}",
                                 step, speed.mean, speed.standard_error, speed.jitter, loss);
  if (accuracy) line += fmt::format("\t{:.3f}\t{:.3f}", accuracy->top_1, accuracy->top_5);
  out_ << line << '\n' << std::flush;
}

void Console::total(double images_per_second) {
  const std::string rule(kRuleWidth, '-');
  out_ << rule << fmt::format("\ntotal images/sec: {:.2f}\n", images_per_second) << rule << '\n'
       << std::flush;
}

}  // namespace convoy
