#include "core/calibrate/device_work.hpp"

#include <convoy/sized.hpp>

#include <utility>

#include "core/base/error.hpp"
#include "core/base/process/left_memory.hpp"

namespace convoy::calibrate {
namespace {

constexpr std::uint64_t kNoSizes[4] = {};

convoy_submission blank(std::uint32_t kind, std::uint32_t lane) {
  auto submission = make_sized<convoy_submission>();
  submission.sizes = kNoSizes;  // operations of a step have sizes, so devices may rely on them
  submission.kind = kind;
  submission.lane = lane;
  return submission;
}

}  // namespace

DeviceVector::DeviceVector(plugin::OpenDevice& device, std::uint64_t bytes)
    : bytes_(bytes), memory_(device.allocate(bytes), Release{&device}) {}

convoy_region DeviceVector::region() const {
  return {memory_.get(), bytes_ / sizeof(float), CONVOY_F32, 0};
}

DeviceWork::DeviceWork(plugin::OpenDevice& device, std::vector<plugin::OpenDevice*> owners,
                       double patience)
    : device_(device), owners_(std::move(owners)), patience_(patience) {
  owners_.push_back(&device);
}

convoy_submission& DeviceWork::prepare(std::uint32_t kind, std::uint32_t lane,
                                       const std::vector<convoy_region>& reads,
                                       const convoy_region& write) {
  flight_->reads = reads;
  flight_->write = write;
  flight_->submissions.assign(1, blank(kind, lane));
  convoy_submission& submission = flight_->submissions.front();
  submission.reads = flight_->reads.data();
  submission.read_count = flight_->reads.size();
  submission.writes = &flight_->write;
  submission.write_count = 1;
  return submission;
}

double DeviceWork::run() {
  convoy_submission& submission = flight_->submissions.front();
  submission.timeline = &flight_->timeline;
  submission.value = ++value_;
  submission.timing = &flight_->last;
  device_.submit(submission);
  wait();
  return flight_->last.end - flight_->last.start;
}

void DeviceWork::wait() {
  if (device_.wait({&flight_->timeline, value_}, patience_)) return;
  for (plugin::OpenDevice* owner : owners_) owner->abandon();
  leave_to_the_end(flight_);
  fail(ExitCode::kTimeout,
       "{} did not finish an operation within {:g} s while its rates were measured: it hangs, or "
       "other programs take its time; stop them, or use another device",
       device_.settings().label, patience_);
}

double DeviceWork::copy(const convoy_region& from, const convoy_region& to) {
  prepare(CONVOY_OP_COPY, CONVOY_LANE_COPY_IN, {from}, to);
  return run();
}

double DeviceWork::sum(const convoy_region& a, const convoy_region& b,
                       const convoy_region& result) {
  prepare(CONVOY_OP_SUM, CONVOY_LANE_UPDATE, {a, b}, result);
  return run();
}

double DeviceWork::update(const std::vector<convoy_region>& gradients,
                          const convoy_region& parameters, const convoy_region& state) {
  convoy_submission& submission =
      prepare(CONVOY_OP_APPLY, CONVOY_LANE_UPDATE, gradients, parameters);
  OptimizerOptions options;
  options.kind = CONVOY_OPTIMIZER_MOMENTUM;
  flight_->optimizer = train::make_optimizer(options, 1);
  // This has weight decay, as in training. The decay's part of the loss is summed in the same
  // operation.
  flight_->decayed = {0, parameters.count};
  convoy_update& update = flight_->update = make_sized<convoy_update>();
  update.optimizer = &flight_->optimizer;
  update.contributions = gradients.size();
  update.state[0] = static_cast<float*>(state.data);
  update.decayed = &flight_->decayed;
  update.decayed_count = 1;
  update.square_sum = &flight_->square_sum;
  submission.updates = &flight_->updates;
  submission.update_count = 1;
  return run();
}

double DeviceWork::chain(const convoy_region& to, int operations) {
  flight_->write = {to.data, 1, to.dtype, to.place};
  flight_->submissions.assign(static_cast<std::size_t>(operations),
                              blank(CONVOY_OP_FILL, CONVOY_LANE_UPDATE));
  flight_->waits.resize(flight_->submissions.size());
  flight_->submissions.front().timing = &flight_->first;
  flight_->submissions.back().timing = &flight_->last;
  for (std::size_t i = 0; i < flight_->submissions.size(); ++i) {
    convoy_submission& submission = flight_->submissions[i];
    flight_->waits[i] = {&flight_->timeline, value_};
    submission.waits = &flight_->waits[i];
    submission.wait_count = 1;
    submission.writes = &flight_->write;
    submission.write_count = 1;
    submission.timeline = &flight_->timeline;
    submission.value = ++value_;
    device_.submit(submission);
  }
  wait();
  return (flight_->last.end - flight_->first.start) / operations;
}

}  // namespace convoy::calibrate
