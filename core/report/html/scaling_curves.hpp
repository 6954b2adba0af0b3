#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/report/html/figure.hpp"
#include "core/report/html/record_fields.hpp"

namespace convoy::report {

// The conditions of a rate, in words for a label. A part is empty if the record does not have it.
struct Conditions {
  std::string machine;
  std::string software;
  std::string batch;       // "batch 64"
  std::string arithmetic;  // "32-bit"
  std::string mode = {};   // "forward only"; empty for training
};

// One rate of a scaling curve.
struct ScalingPoint {
  std::string model;
  std::string label;  // label of the curve: the strategy, and whether it was simulated
  bool simulated = false;
  double devices = 0;
  double rate = 0;  // images per second
  Conditions conditions = {};
  // Further properties in which two rates with the same number of devices may differ: words by
  // name.
  std::map<std::string, std::string> details = {};
};

// Returns "batch 64"; empty for 0.
std::string batch_words(double images_per_device);
// Returns the words for a record's compute_dtype: "32-bit", "tf32", "16-bit".
std::string arithmetic_words(const std::string& dtype);
// Returns the conditions of a simulation, or of a row of a comparison or a sweep. The machine is
// one of the hosts: "dgx1-p100" for "2 x dgx1-p100".
Conditions conditions_of(const Json& record);
// Returns the words for an object of options, such as "all_reduce_spec=nccl", by the option's name.
std::map<std::string, std::string> option_words(const Json& options);
// Adds the number of devices on each host, if there are several devices.
void add_hosts(ScalingPoint& point, double hosts);

// Draws curves of all points: one chart of rates and one of efficiency per model. Conditions are
// part of a curve's label if the points of the model differ in them, a mode other than training
// always. Each combination has a linear line. Details are part of the label if points with the same
// number of devices differ in them. Points of one curve with the same number of devices are repeats
// of each other and become their median with its range. Of many curves, only the fastest are drawn,
// and a note says so.
std::vector<Figure> scaling_figures(const std::vector<ScalingPoint>& points);

}  // namespace convoy::report
