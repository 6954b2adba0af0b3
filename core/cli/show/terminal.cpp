#include "core/cli/show/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <ostream>

namespace convoy::cli {
namespace {

bool has_accuracy(const JobOptions& options) {
  return options.print_training_accuracy || options.evaluation.forward_only;
}

}  // namespace

Terminal::Terminal(const JobOptions& options, InterruptGuard& interrupt, std::ostream& out,
                   std::ostream& err)
    : report::Console(out, options.loss_type_to_report, has_accuracy(options)),
      interrupt_(interrupt),
      err_(err),
      progress_(err, report::standard_error_is_terminal()) {}

// From these phases on, there is something to summarise, so a signal no longer ends the process at
// once.
void Terminal::enters(report::RunPhase phase) {
  if (phase == report::RunPhase::kInitializing || phase == report::RunPhase::kWarmingUp)
    interrupt_.end_after_steps();
  report::Console::enters(phase);
}

void Terminal::notice(const std::string& text) {
  progress_.clear();
  print_notices(err_, {text});
}

void Terminal::detail(const std::string& text) {
  if (details_) notice(text);
}

void Terminal::stand_still() {
  ::kill(::getpid(), SIGSTOP);
}

void Terminal::line(const std::string& text) {
  progress_.clear();
  report::Console::line(text);
}

plugin::PluginLog log_to(std::ostream& err, bool details) {
  const std::int32_t least = details ? CONVOY_LOG_DEBUG : CONVOY_LOG_INFO;
  return [&err, least](std::int32_t level, std::string_view plugin, std::string_view text) {
    if (level >= least) print_notices(err, {fmt::format("{}: {}", plugin, text)});
  };
}

void print_notices(std::ostream& err, const std::vector<std::string>& notices) {
  for (const std::string& notice : notices) err << "convoy: " << notice << '\n';
}

}  // namespace convoy::cli
