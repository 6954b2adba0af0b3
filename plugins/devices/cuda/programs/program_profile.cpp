#include "plugins/devices/cuda/programs/program_profile.hpp"

#include <convoy/device.hpp>
#include <utility>

namespace convoy::cuda {

ProgramProfile::ProgramProfile(StreamDriver& driver, const ProgramPlan& plan) : driver_(driver) {
  for (const TaskList& tasks : plan.forward)
    for (const PlannedTask& task : tasks) add_record(task.label);
  for (auto tasks = plan.backward.rbegin(); tasks != plan.backward.rend(); ++tasks)
    for (const PlannedTask& task : *tasks) add_record(task.label);
}

ProgramProfile::Key ProgramProfile::key_of(const TaskLabel& label) {
  return {label.node, label.pass, label.role, label.implementation};
}

void ProgramProfile::add_record(const TaskLabel& label) {
  if (!places_.try_emplace(key_of(label), records_.size()).second) return;
  convoy_profile_record& record = records_.emplace_back();
  record.node = label.node;
  record.pass = label.pass;
  record.role = label.role;
  set_text(record.implementation, label.implementation);
}

void ProgramProfile::begin(const TaskList& tasks, std::uint32_t lane) {
  open_ = {&tasks, {driver_.record(lane)}};
}

void ProgramProfile::mark(std::uint32_t lane) {
  open_.events.push_back(driver_.record(lane));
}

void ProgramProfile::end() {
  const std::lock_guard lock(mutex_);
  queued_.push_back(std::exchange(open_, {}));
}

void ProgramProfile::finish() {
  const std::lock_guard lock(mutex_);
  const Queued done = std::move(queued_.front());
  queued_.pop_front();
  double start = driver_.time(done.events.front());
  for (std::size_t i = 0; i < done.tasks->size(); ++i) {
    const double end = driver_.time(done.events[i + 1]);
    charge((*done.tasks)[i].label, start, end);
    start = end;
  }
  for (const StreamDriver::Event event : done.events) driver_.give_back(event);
}

void ProgramProfile::charge(const TaskLabel& label, double start, double end) {
  convoy_profile_record& record = records_.at(places_.at(key_of(label)));
  const std::uint64_t slot = record.calls++ % CONVOY_PROFILE_RECENT;
  record.seconds += end - start;
  record.recent_start[slot] = start;
  record.recent_end[slot] = end;
}

std::vector<convoy_profile_record> ProgramProfile::records() {
  const std::lock_guard lock(mutex_);
  return records_;
}

}  // namespace convoy::cuda
