#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/report/speed_statistics.hpp"

namespace convoy {

// What the lines before the first step say.
struct ConsoleHeader {
  std::string version;  // of convoy
  std::string model;
  std::string dataset;  // "imagenet"
  bool synthetic = true;
  std::string mode = "training";
  std::int64_t global_batch = 0;
  std::int64_t batch_per_device = 0;
  std::int64_t num_batches = 0;
  double num_epochs = 0;
  std::vector<std::string> devices;  // "/gpu:0", "/cpu:1"
  bool bound_to_numa_nodes = false;
  std::string data_format;
  std::string optimizer;
  std::string strategy;  // name of the strategy that runs, never "auto"
  // Further lines of the strategy, such as {"AllReduce", "nccl"}, printed below its name.
  std::vector<std::pair<std::string, std::string>> strategy_details;
};

struct Accuracy {
  double top_1 = 0;
  double top_5 = 0;
};

// Writes the lines of tf_cnn_benchmarks that other tools read, byte for byte, except that the first
// header line names convoy. Every line is flushed, so that a pipe sees it at once.
class Console {
 public:
  // loss_name is the title of the loss column ("total_loss" or "base_loss"); with accuracy, step
  // lines have two more columns.
  Console(std::ostream& out, std::string loss_name, bool accuracy);

  void header(const ConsoleHeader& header);
  void generating_model();
  void generating_inference_model();
  void generating_evaluation_model();
  void initializing();
  void warming_up();
  void warmed_up();
  // Titles of the columns of step lines, printed once before the first of them.
  void columns();
  // accuracy must be given if and only if the constructor was told so.
  void step(std::int64_t step, const Speed& speed, double loss,
            std::optional<Accuracy> accuracy = {});
  void total(double images_per_second);
  // What is known of the input, after the total.
  void input(const std::string& text);
  // After the total, only when it is asked for.
  void parameter_hash(const std::string& hash);
  // Likewise: a table of several lines.
  void profile(std::string table);

  // How fast an evaluation went since the last such line; steps count from 1.
  void evaluation_step(std::int64_t step, double examples_per_second);
  void accuracy(const Accuracy& accuracy, std::int64_t examples);
  void no_checkpoint(const std::string& folder);
  // Around an evaluation during training. global_step counts all updates so far.
  void evaluation_begins(std::int64_t global_step, bool final);
  void training_resumes();
  void target_reached(double top_1);
  // Stands where a run that only trains has its total.
  void training_done();

 private:
  void line(const std::string& text);

  std::ostream& out_;
  std::string loss_name_;
  bool accuracy_;
};

// True for timed step 1 (counted from 1) and every display_every-th.
bool is_displayed(std::int64_t step, std::int64_t display_every);

}  // namespace convoy
