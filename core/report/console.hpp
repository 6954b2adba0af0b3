#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "core/report/run_observer.hpp"

namespace convoy::report {

// Writes the lines of tf_cnn_benchmarks that other tools read, byte for byte, except that the first
// header line names convoy. Flushes every line, so that a pipe gets it at once.
class Console : public RunObserver {
 public:
  // loss_name is the title of the loss column ("total_loss" or "base_loss"). With `accuracy`, step
  // lines have two more columns.
  Console(std::ostream& out, std::string loss_name, bool accuracy);

  void header(const ConsoleHeader& header) override;
  void enters(RunPhase phase) override;
  void columns() override;
  // accuracy must be given if and only if the constructor was told to show it.
  void step(std::int64_t step, const Speed& speed, double loss,
            std::optional<Accuracy> accuracy = {}) override;
  void total(double images_per_second) override;
  void result(const std::string& text) override;
  void model_loaded(const std::string& path) override;
  void evaluation_step(std::int64_t step, double examples_per_second) override;
  void accuracy(const Accuracy& accuracy, std::int64_t examples) override;
  void no_checkpoint(const std::string& folder) override;
  void evaluation_begins(std::int64_t global_step, bool final) override;
  void target_reached(double top_1) override;

 protected:
  // Writes one line, or several, without the last newline.
  virtual void line(const std::string& text);

 private:
  std::ostream& out_;
  std::string loss_name_;
  bool accuracy_;
};

// Returns true for timed step 1 (steps count from 1) and for every display_every-th step.
bool is_displayed(std::int64_t step, std::int64_t display_every);

}  // namespace convoy::report
