#pragma once

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <array>
#include <csignal>
#include <string>
#include <vector>

namespace convoy::plugin {

// The parts of the process that a plug-in's code shares with the rest and must leave unchanged: the
// limits, the actions of the signals that convoy handles, timers, the standard streams, the working
// folder, the permissions of new files, the priority, the language, the environment, and the
// calling thread's floating-point environment. It may raise limits and add variables.
class Surroundings {
 public:
  // Records the present ones.
  Surroundings();

  // Returns what has changed since then, such as "lowered the limit of memory (RLIMIT_AS)"; null:
  // nothing. Allocates no memory, because there may be none left.
  const char* change() const;

 private:
  static constexpr std::array kLimits = {RLIMIT_AS,    RLIMIT_DATA, RLIMIT_STACK, RLIMIT_NOFILE,
                                         RLIMIT_FSIZE, RLIMIT_CPU,  RLIMIT_NPROC};
  static constexpr std::array kSignals = {SIGINT,  SIGTERM, SIGHUP,  SIGUSR1, SIGUSR2,
                                          SIGXCPU, SIGXFSZ, SIGCHLD, SIGALRM};
  static constexpr std::array kTimers = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
  static constexpr int kStreams = 3;
  // A file by device and number; zeros where there is none.
  struct Place {
    dev_t device = 0;
    ino_t number = 0;
    bool operator==(const Place&) const = default;
  };
  struct FloatingPoint {
    int rounding = 0;            // std::fegetround()
    int traps = 0;               // fegetexcept()
    bool has_subnormals = true;  // false: numbers near zero become zero
    bool operator==(const FloatingPoint&) const = default;
  };
  static FloatingPoint floating_point();
  static Place folder();
  static Place stream(int descriptor);

  const char* lowered_limit() const;
  bool signals_differ() const;
  bool blocked_signals_differ() const;
  bool timers_differ() const;
  bool streams_differ() const;
  bool has_all_variables() const;

  std::array<rlimit, kLimits.size()> limits_{};
  std::array<struct sigaction, kSignals.size()> actions_{};
  sigset_t blocked_{};
  std::array<bool, kTimers.size()> timers_{};  // whether each runs
  std::array<Place, kStreams> streams_;
  Place folder_;
  mode_t mask_ = 0;
  int priority_ = 0;
  FloatingPoint floating_point_;
  std::string locale_;
  std::vector<std::string> environment_;
};

}  // namespace convoy::plugin
