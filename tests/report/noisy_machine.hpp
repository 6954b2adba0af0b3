#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "core/report/compare/difference.hpp"

namespace convoy::compare {

// Steps as machines make them: runs differ from each other, a step depends on the one before, some
// are disturbed.
struct Noise {
  double between_runs = 0.006;
  double within_run = 0.03;
  double correlation = 0.6;
  double disturbed = 0.02;  // of the steps
  double by = 0.4;          // what a disturbance adds, the logarithm of a factor: its mean
  double freedom = 0;       // runs differ by Student's t with so many degrees; 0: normally
  double stretches = 0;     // of the runs: for a third of its steps others take 30 % of the machine
};

class Machine {
 public:
  explicit Machine(std::uint64_t seed, Noise noise = {}) : random_(seed), noise_(noise) {}

  std::vector<double> run(double seconds, std::size_t steps = 200) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    std::exponential_distribution<double> exponential;
    const double speed = seconds * std::exp(noise_.between_runs * of_run());
    const std::size_t stretch = uniform(random_) < noise_.stretches ? random_() % steps : steps;
    const double fresh = std::sqrt(1 - noise_.correlation * noise_.correlation);
    double state = normal(random_);
    std::vector<double> times;
    for (std::size_t i = 0; i < steps; ++i) {
      state = noise_.correlation * state + fresh * normal(random_);
      const bool slow = uniform(random_) < noise_.disturbed;
      const double longer = slow ? std::exp(noise_.by * exponential(random_)) : 1;
      const bool shared = i >= stretch && i < stretch + steps / 3;
      times.push_back((shared ? 1.3 : 1) * longer * speed * std::exp(noise_.within_run * state));
    }
    return times;
  }

  Side side(double seconds, std::size_t runs) {
    Side result{"side", {}, {}};
    for (std::size_t i = 0; i < runs; ++i) result.runs.push_back(run(seconds));
    return result;
  }

 private:
  double of_run() {
    if (noise_.freedom == 0) return std::normal_distribution<double>()(random_);
    return std::student_t_distribution<double>(noise_.freedom)(random_);
  }

  std::mt19937_64 random_;
  Noise noise_;
};

}  // namespace convoy::compare
