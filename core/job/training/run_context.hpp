#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/data/pipeline/batch_source.hpp"
#include "core/job/setup.hpp"
#include "core/job/sizes.hpp"
#include "core/job/training/run_report.hpp"
#include "core/job/training/validation.hpp"
#include "core/report/run_observer.hpp"
#include "core/runtime/open_devices.hpp"
#include "core/runtime/session.hpp"

namespace convoy::job {

// What every kind of run has: training, evaluation and input alone.
struct RunContext {
  // Agrees with the other tasks on the sizes, if there are any. Error as choose_sizes.
  RunContext(std::span<const std::string> command_line, Setup& setup,
             report::RunObserver& observer);
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;

  RunMode mode() const { return setup.options.evaluation.mode(); }
  bool interrupted() const { return observer.interruption() != ExitCode::kOk; }

  void tell(const std::string& text) { report.tell(text); }
  std::function<void(const std::string&)> teller() {
    return [this](const std::string& text) { tell(text); };
  }
  void tell(const std::vector<std::string>& texts);
  // Says how many records were skipped; `of` what, if not of the run's only data.
  void tell_bad_records(const data::SourceStatistics& read, const char* of = "");

  // Notes the session for the record, and says what is odd about how it computes.
  void describe(const runtime::Session& session);

  // Files may hold more or less than the published data set: with --num_epochs the steps are as
  // many as passes over `examples` take.
  void count_epochs(std::int64_t examples);
  // On this task's own devices, whichever tasks there are.
  Validation validation() const;
  // Those that choosing the strategy has opened, else new ones.
  std::shared_ptr<runtime::OpenDevices> open_devices();

  Setup& setup;
  report::RunObserver& observer;
  std::uint32_t devices;  // of this task
  Sizes sizes;
  std::uint32_t replicas;  // of all tasks
  RunReport report;
};

}  // namespace convoy::job
