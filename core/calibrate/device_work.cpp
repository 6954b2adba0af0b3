#include "core/calibrate/device_work.hpp"

#include "core/base/error.hpp"

namespace convoy::calibrate {
namespace {

constexpr double kPatienceSeconds = 30;

convoy_submission blank(std::uint32_t kind, std::uint32_t lane) {
  convoy_submission submission{};
  submission.struct_size = sizeof(submission);
  submission.kind = kind;
  submission.lane = lane;
  return submission;
}

void wait_for(OpenDevice& device, const std::uint64_t& timeline, std::uint64_t value) {
  if (device.wait({&timeline, value}, kPatienceSeconds)) return;
  fail(ExitCode::kTimeout, "a device did not finish one operation of the calibration within {} s",
       kPatienceSeconds);
}

}  // namespace

DeviceVector::DeviceVector(OpenDevice& device, std::uint64_t bytes)
    : bytes_(bytes), memory_(device.allocate(bytes), Release{&device}) {}

convoy_region DeviceVector::region() const {
  return {memory_.get(), bytes_ / sizeof(float), CONVOY_F32, 0};
}

double DeviceWork::run(convoy_submission submission) {
  convoy_timing timing{};
  submission.timeline = &timeline_;
  submission.value = ++value_;
  submission.timing = &timing;
  device_.submit(submission);
  wait_for(device_, timeline_, value_);
  return timing.end - timing.start;
}

double DeviceWork::copy(const convoy_region& from, const convoy_region& to) {
  convoy_submission submission = blank(CONVOY_OP_COPY, CONVOY_LANE_COPY_IN);
  submission.reads = &from;
  submission.read_count = 1;
  submission.writes = &to;
  submission.write_count = 1;
  return run(submission);
}

double DeviceWork::sum(const convoy_region& a, const convoy_region& b,
                       const convoy_region& result) {
  const convoy_region parts[] = {a, b};
  convoy_submission submission = blank(CONVOY_OP_SUM, CONVOY_LANE_UPDATE);
  submission.reads = parts;
  submission.read_count = 2;
  submission.writes = &result;
  submission.write_count = 1;
  return run(submission);
}

double DeviceWork::update(const std::vector<convoy_region>& gradients,
                          const convoy_region& parameters, const convoy_region& state) {
  OptimizerOptions options;
  options.kind = CONVOY_OPTIMIZER_MOMENTUM;
  const convoy_optimizer optimizer = train::make_optimizer(options, 1);
  convoy_update update{};
  update.struct_size = sizeof(update);
  update.optimizer = &optimizer;
  update.contributions = gradients.size();
  update.state[0] = static_cast<float*>(state.data);
  // As in training: weight decay, whose part of the loss is summed on the way.
  const convoy_decay_range decayed{0, parameters.count};
  double square_sum = 0;
  update.decayed = &decayed;
  update.decayed_count = 1;
  update.square_sum = &square_sum;
  convoy_submission submission = blank(CONVOY_OP_APPLY, CONVOY_LANE_UPDATE);
  submission.reads = gradients.data();
  submission.read_count = gradients.size();
  submission.writes = &parameters;
  submission.write_count = 1;
  const convoy_update* const updates[] = {&update};
  submission.updates = updates;
  submission.update_count = 1;
  return run(submission);
}

double DeviceWork::chain(const convoy_region& to, int operations) {
  const convoy_region one = {to.data, 1, to.dtype, to.place};
  std::vector<convoy_submission> submissions(static_cast<std::size_t>(operations),
                                             blank(CONVOY_OP_FILL, CONVOY_LANE_UPDATE));
  std::vector<convoy_wait> waits(submissions.size());
  convoy_timing first{};
  convoy_timing last{};
  submissions.front().timing = &first;
  submissions.back().timing = &last;
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    waits[i] = {&timeline_, value_};
    submissions[i].waits = &waits[i];
    submissions[i].wait_count = 1;
    submissions[i].writes = &one;
    submissions[i].write_count = 1;
    submissions[i].timeline = &timeline_;
    submissions[i].value = ++value_;
    device_.submit(submissions[i]);
  }
  wait_for(device_, timeline_, value_);
  return (last.end - first.start) / operations;
}

}  // namespace convoy::calibrate
