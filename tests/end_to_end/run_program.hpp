#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "tests/sanitized.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy {

struct ProgramResult {
  int exit_code = -1;  // 128 + n when signal n ended it
  std::string out;
  std::string err;
};

struct ProgramOptions {
  double timeout_seconds = kSanitized ? 300 : 120;  // then it is killed, exit code 137
  int signal = 0;  // sent once `signal_after` has appeared on standard output
  std::string signal_after{};
  double stopped_share = 0;    // of the time since it appeared: stopped again and again
  std::string cache_folder{};  // XDG_CACHE_HOME; empty: one of the test's own
  std::string max_cpu_isa{};   // ONEDNN_MAX_CPU_ISA; empty: no limit of the test's own
  int ignored_signal = 0;      // when it starts; SIGHUP: as nohup does
  std::string program = CONVOY_BINARY_DIR "/bin/convoy";
  std::function<void()> surroundings{};  // called in the child before it becomes the program
};

// Of a process that was just forked: it becomes the program, with these streams.
[[noreturn]] void become_convoy(const std::vector<std::string>& arguments,
                                const ProgramOptions& options, int out, int err);

// Runs build/<preset>/bin/convoy with these arguments and collects what it says.
ProgramResult run_convoy(const std::vector<std::string>& arguments,
                         const ProgramOptions& options = {});

// What stands behind this title on its line, at its first place; empty without one.
std::string text_after(const std::string& title, const std::string& text);

}  // namespace convoy
