#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/data/pipeline/batch_source.hpp"
#include "core/job/setup.hpp"
#include "core/job/sizes.hpp"
#include "core/job/training/run_report.hpp"
#include "core/job/training/run_trace.hpp"
#include "core/job/training/validation.hpp"
#include "core/report/run_observer.hpp"
#include "core/report/run_record.hpp"
#include "core/runtime/open_devices.hpp"
#include "core/runtime/session.hpp"

namespace convoy::job {

// The parts that the modes of a run share: training, evaluation, reading input alone.
struct RunContext {
  RunContext(std::span<const std::string> command_line, Setup& setup,
             report::RunObserver& observer);

  RunMode mode() const { return setup.options.evaluation.mode(); }
  bool interrupted() const { return observer.interruption() != ExitCode::kOk; }
  std::int64_t global_batch() const { return std::int64_t{replicas} * sizes.batch; }

  // Adds a text to the record and shows it to people. An empty text is ignored.
  void tell(const std::string& text) { report.tell(text); }
  void tell(const std::vector<std::string>& texts);
  // Returns tell() for parts that take a function. It refers to this context.
  std::function<void(const std::string&)> teller() {
    return [this](const std::string& text) { tell(text); };
  }
  // Notes the devices and the plan of the session, and anything unusual about them.
  void describe(const runtime::Session& session);
  // Says how many records were skipped. of: such as " of the validation data".
  void report_bad_records(const data::SourceStatistics& read, const char* of = "");

  // Sets the timed steps from --num_epochs, if it is given. Files may hold more or fewer images
  // than the published data set, so epochs are passes over the images that exist.
  void count_epochs(std::int64_t examples);
  // Returns the steps that are left of the warm-up and --num_epochs in a run that continues. Empty
  // without --num_epochs.
  std::optional<std::int64_t> left_of_epochs(std::int64_t examples,
                                             std::int64_t samples_taken) const;
  // Returns the devices that the setup has open already; otherwise opens them.
  std::shared_ptr<runtime::OpenDevices> take_devices();
  // The validation uses only this task's own devices, whatever other tasks there are.
  Validation validation() const;

  Setup& setup;
  std::uint32_t devices;  // number of this task's devices
  Sizes sizes;
  std::uint32_t replicas;  // number of replicas of all tasks
  convoy::report::RunRecord record;
  RunReport report;
  RunTrace trace;
  convoy::report::RunObserver& observer;
};

}  // namespace convoy::job
