#pragma once

#include <iosfwd>
#include <string>

#include "core/cli/interrupt.hpp"
#include "core/job/setup.hpp"
#include "core/report/console.hpp"
#include "core/report/progress.hpp"

namespace convoy::cli {

// Prints a run to a terminal: the lines of tf_cnn_benchmarks go to out, notices and progress to
// err.
class Terminal : public report::Console {
 public:
  Terminal(const JobOptions& options, InterruptGuard& interrupt, std::ostream& out,
           std::ostream& err);

  void enters(report::RunPhase phase) override;
  void progress(const std::string& text) override { progress_.show(text); }
  void notice(const std::string& text) override;
  void detail(const std::string& text) override;
  // Sets whether details are printed, too.
  void show_details(bool show) { details_ = show; }
  ExitCode interruption() const override { return interrupt_.code(); }
  std::string interrupted_by() const override { return interrupt_.signal_name(); }
  bool take_save_request() override { return interrupt_.take_save_request(); }
  bool take_standstill_request() override { return interrupt_.take_standstill_request(); }
  // Stops this process until SIGCONT.
  void stand_still() override;

 private:
  void line(const std::string& text) override;

  InterruptGuard& interrupt_;
  std::ostream& err_;
  report::Progress progress_;
  bool details_ = false;
};

// Prints messages of plug-ins to standard error. With details, it also prints the messages for
// their authors.
plugin::PluginLog log_to(std::ostream& err, bool details = false);

// Prints sentences for people to standard error.
void print_notices(std::ostream& err, const std::vector<std::string>& notices);

}  // namespace convoy::cli
