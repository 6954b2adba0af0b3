#include <convoy/sized.hpp>

#include "core/conformance/conformance.hpp"

#include "core/base/error.hpp"
#include "core/base/process/left_memory.hpp"
#include "core/conformance/compiled_case.hpp"

namespace convoy::conformance {
namespace {

// Returns the spans as they stand in a plan, without addresses.
std::vector<convoy_span> spans(const convoy_region* regions, std::uint64_t count) {
  std::vector<convoy_span> result;
  for (std::uint64_t i = 0; i < count; ++i)
    result.push_back({static_cast<std::uint32_t>(i), regions[i].dtype, 0, regions[i].count});
  return result;
}

}  // namespace

std::vector<ConformanceCase> conformance_cases() {
  std::vector<ConformanceCase> cases;
  add_device_cases(cases);
  add_operation_cases(cases);
  add_algebra_cases(cases);
  add_update_cases(cases);
  add_order_cases(cases);
  add_layer_cases(cases);
  add_program_cases(cases);
  add_compression_cases(cases);
  return cases;
}

ConformanceRun::~ConformanceRun() {
  if (hangs_) leave_to_the_end(device_);
}

TestedDevice& ConformanceRun::device() {
  if (!device_) device_ = std::make_unique<TestedDevice>(plugin_, place_);
  return *device_;
}

const convoy_device_description& ConformanceRun::description() {
  return device().description();
}

CaseResult ConformanceRun::run(const ConformanceCase& it) {
  CONVOY_CHECK(!hangs_);
  try {
    std::string wrong = it.check(plugin_, device());
    return {wrong.empty() ? Outcome::kRight : Outcome::kWrong, std::move(wrong)};
  } catch (const Unsupported& reason) {
    return {Outcome::kUnsupported, reason.what()};
  } catch (const Error& error) {
    hangs_ = error.code() == ExitCode::kTimeout;
    if (!hangs_) device_.reset();
    return {Outcome::kWrong, without_label(plugin_, error.what())};
  }
}

void require_supported(TestedDevice& device, const convoy_submission& submission) {
  const std::vector<convoy_span> reads = spans(submission.reads, submission.read_count);
  const std::vector<convoy_span> writes = spans(submission.writes, submission.write_count);
  auto question = make_sized<convoy_operation>();
  question.kind = submission.kind;
  question.flags = submission.flags;
  question.reduction = submission.reduction;
  question.reads = reads.data();
  question.read_count = reads.size();
  question.writes = writes.data();
  question.write_count = writes.size();
  question.scalar = submission.scalar;
  if (submission.sizes != nullptr) std::copy_n(submission.sizes, 4, question.sizes);
  if (const auto reason = device.open().refusal(question)) throw Unsupported(*reason);
}

std::unique_ptr<TrainingCase> compile_case(const plugin::DevicePlugin& plugin, TestedDevice& device,
                                           const graph::Graph& graph,
                                           const TrainingOptions& options) {
  try {
    return std::make_unique<TrainingCase>(device, graph, options);
  } catch (const Error& error) {
    throw Unsupported(without_label(plugin, error.what()));
  }
}

std::string without_label(const plugin::DevicePlugin& plugin, const std::string& text) {
  const std::string label = plugin.settings().label + ": ";
  return text.starts_with(label) ? text.substr(label.size()) : text;
}

}  // namespace convoy::conformance
