#include "core/job/training/run_context.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/base/text/counted.hpp"
#include "core/job/component_options.hpp"
#include "core/job/hardware/opened_devices.hpp"
#include "core/job/tasks/task.hpp"
#include "core/plan/lower/device_collective.hpp"
#include "core/runtime/claim.hpp"
#include "core/runtime/compute_dtype.hpp"
#include "core/train/run_length.hpp"

namespace convoy::job {
namespace {

Sizes agreed_sizes(const Setup& setup, std::uint32_t devices) {
  const Sizes own = choose_sizes(setup, devices);
  return setup.task == nullptr ? own : setup.task->chiefs_sizes(own, devices);
}

}  // namespace

RunContext::RunContext(std::span<const std::string> command_line, Setup& given_setup,
                       report::RunObserver& given_observer)
    : setup(given_setup),
      devices(count_devices(given_setup)),
      sizes(agreed_sizes(given_setup, devices)),
      replicas(count_replicas(given_setup.task, devices)),
      report(command_line, given_setup, sizes, devices, record, given_observer),
      trace(given_setup.options, given_setup.task),
      observer(given_observer) {
  if (sizes.adapted)
    tell(
        fmt::format("batch size {} per device, {} warm-up and {} timed steps suit these devices; "
                    "--batch_size, --num_warmup_batches and --num_batches change that",
                    sizes.batch, sizes.warmup_steps, sizes.timed_steps));
}

void RunContext::tell(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) tell(text);
}

void RunContext::describe(const runtime::Session& session) {
  report.describe(session);
  tell(runtime::emulation_notice(session.options().dtype, session.devices()->descriptions()));
  tell(plan::lowered_collectives_notice(session.plan()->step.logical()));
  if (!session.forward_only())
    tell(runtime::unproved_notice(setup.strategy->manifest(), session.plan()->step.check()));
}

void RunContext::report_bad_records(const data::SourceStatistics& read, const char* of) {
  if (read.bad_records == 0) return;
  const bool is_one = read.bad_records == 1;
  tell(fmt::format("{}{} {} skipped{}: {}", counted(read.bad_records, "bad record"), of,
                   is_one ? "was" : "were", is_one ? "" : ", for example",
                   read.bad_record_example));
}

void RunContext::count_epochs(std::int64_t examples) {
  if (setup.options.num_epochs)
    sizes.timed_steps = train::timed_steps({}, setup.options.num_epochs, global_batch(), examples);
}

std::optional<std::int64_t> RunContext::left_of_epochs(std::int64_t examples,
                                                       std::int64_t samples_taken) const {
  if (!setup.options.num_epochs) return std::nullopt;
  const std::int64_t samples_of_warmup = sizes.warmup_steps * global_batch();
  return train::steps_left_of_epochs(*setup.options.num_epochs, global_batch(), examples,
                                     samples_taken - samples_of_warmup);
}

std::shared_ptr<runtime::OpenDevices> RunContext::take_devices() {
  if (setup.open_devices) return std::exchange(setup.open_devices, nullptr);
  return open_devices(setup, devices);
}

Validation RunContext::validation() const {
  data::DataOptions data = data_options(setup, sizes, devices);
  data.replicas = static_cast<int>(devices);
  data.local_replicas.clear();
  return {*setup.graph, setup.options, sizes, session_options(setup, sizes, devices),
          std::move(data)};
}

}  // namespace convoy::job
