#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/report/html/figure.hpp"
#include "core/report/html/record_fields.hpp"

namespace convoy::report {

// What rates were reached on, in the words of a label. Empty where a record does not say.
struct Ground {
  std::string machine;
  std::string software;
  std::string batch;       // "batch 64"
  std::string arithmetic;  // "32-bit"
};

// One rate of a scaling curve.
struct ScalingPoint {
  std::string model;
  std::string label;  // of the curve: the strategy, and whether it was simulated
  bool simulated = false;
  double devices = 0;
  double rate = 0;  // images per second
  Ground ground = {};
  // What else may tell two rates of as many devices apart: words by name.
  std::map<std::string, std::string> details = {};
};

// "batch 64"; empty for 0.
std::string batch_words(double images_per_device);
// Of a record's compute_dtype: "32-bit", "tf32", "16-bit".
std::string arithmetic_words(const std::string& dtype);
// Of a simulation, or of a row of a comparison or a sweep. The machine is one of the hosts:
// "dgx1-p100" of "2 x dgx1-p100".
Ground ground_of(const Json& record);
// Of an object of options: each as "all_reduce_spec=nccl", by its name.
std::map<std::string, std::string> option_words(const Json& options);
// How many of the devices are on each host, where there are several devices.
void add_hosts(ScalingPoint& point, double hosts);

// Curves of all points, one chart of rates and one of efficiency per model. The ground is part of
// a curve's label where the points of the model differ in it, and each ground has a linear line of
// its own. Details are part of it where points with the same number of devices differ in them.
// Points of one curve with the same number of devices are repeats of each other: their median with
// its range. Of many curves only the fastest are drawn, and a note says so.
std::vector<Figure> scaling_figures(const std::vector<ScalingPoint>& points);

}  // namespace convoy::report
