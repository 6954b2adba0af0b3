#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/speed_statistics.hpp"

namespace convoy {

// What the header block shows. The field names follow its lines.
struct RunHeader {
  std::string version;
  std::string model;
  std::string dataset;  // "imagenet", "cifar10"
  bool synthetic = true;
  std::string mode = "training";
  bool single_session = false;
  std::int64_t global_batch = 0;
  std::int64_t device_batch = 0;
  std::int64_t num_batches = 0;
  double num_epochs = 0;
  std::vector<std::string> devices;  // such as "/cpu:0"
  bool numa_bind = false;
  std::string data_format;
  std::string optimizer;
  std::string variables;                  // the strategy
  std::optional<std::string> all_reduce;  // shown only for strategies that have one
};

struct Accuracy {
  double top_1 = 0;
  double top_5 = 0;
};

// Standard output of a run, in the lines that scripts written for tf_cnn_benchmarks read: apart
// from the first line they are the same byte for byte. Each call writes whole lines and flushes.
class Console {
 public:
  // `loss_name` titles the loss column: "total_loss" or "base_loss".
  Console(std::ostream& out, std::string loss_name, bool accuracy_columns);

  void header(const RunHeader& header);
  void message(std::string_view line);  // such as "Running warm up"
  void column_titles();
  // A step prints its accuracy iff there are accuracy columns.
  void step(std::int64_t step, const Speed& speed, double loss,
            const std::optional<Accuracy>& accuracy = {});
  void total(double images_per_second);

 private:
  std::ostream& out_;
  std::string loss_name_;
  bool accuracy_columns_;
};

// Whether timed step `step`, counted from 1, gets a line: the first and every display_every-th.
bool is_displayed(std::int64_t step, std::int64_t display_every);

}  // namespace convoy
