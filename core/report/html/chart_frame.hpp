#pragma once

#include <string>
#include <vector>

#include "core/base/text/drawing.hpp"
#include "core/report/html/figure.hpp"

namespace convoy::report {

inline constexpr double kFontSize = 12;        // size of labels, as in the style sheet
inline constexpr double kAxisRoom = 42;        // below a plot, for tick labels and the title
inline constexpr double kNarrowPicture = 480;  // pixels; in narrower pictures, labels get less room

// Returns the outline of a symbol around a point. Symbols distinguish series if colours do not.
std::string symbol_path(double x, double y, std::size_t kind);

// Draws the label of a tick at x: centred below it, or shifted as far as the picture's edges
// demand. `y` is the base line, `width` the width of the picture, in pixels.
void draw_tick_label(Drawing& drawing, double x, double y, double width, const std::string& label);

// An entry of a legend: a stroke, a filled square or a sign, with its text.
struct LegendEntry {
  enum class Form { kSquare, kStroke, kSign };
  struct Symbol {
    std::size_t kind = 0;
    std::string classes = {};  // empty: none
  };

  std::string words;
  std::string classes;  // for a sign: the sign itself
  Form form = Form::kSquare;
  Symbol symbol = {};  // drawn in the middle of the stroke
};

// Returns legend entries for the signs of these marks.
std::vector<LegendEntry> sign_entries(const std::vector<Mark>& marks);

// A picture with two axes: grid, ticks, units, legend, and the positions of values. The vertical
// axis begins at 0.
class ChartFrame {
 public:
  ChartFrame(double width, double plot_height, const Axis& x, const Interval& x_range,
             const Axis& y, double y_most, const std::vector<LegendEntry>& legend);

  double x(double value) const {
    return left_ + (value - x_range_.low) / (x_range_.high - x_range_.low) * plot_width_;
  }
  double y(double value) const { return top_ + (1 - value / y_most_) * plot_height_; }
  double left() const { return left_; }
  double right() const { return left_ + plot_width_; }
  double top() const { return top_; }
  double bottom() const { return top_ + plot_height_; }
  Drawing& drawing() { return drawing_; }
  const Scale& x_scale() const { return x_scale_; }

  // Draws vertical lines with their signs above the plot.
  void mark(const std::vector<Mark>& marks);
  std::string finish(const std::string& name, const std::string& title, std::size_t points) const;

 private:
  void draw_legend(const std::vector<LegendEntry>& legend);
  void draw_axes(const Axis& x, const std::vector<double>& x_ticks, const Axis& y,
                 const std::vector<double>& y_ticks);

  Drawing drawing_;
  double width_;
  double height_ = 0;
  double left_ = 0;
  double top_ = 0;
  double plot_width_ = 0;
  double plot_height_ = 0;
  Interval x_range_;
  double y_most_ = 1;
  Scale x_scale_;
  Scale y_scale_;
};

// Arranges entries in lines of this width, from (x, y) on. Returns the height that they take.
double draw_legend(Drawing& drawing, double x, double y, double width,
                   const std::vector<LegendEntry>& legend);

// Returns a picture's outermost element, with the attributes that tests and the page's script need.
std::string figure_svg(const Drawing& drawing, double width, double height, const std::string& name,
                       const std::string& title, std::size_t points);

// Returns an axis' title with its unit: "step time, ms".
std::string axis_title(const Axis& axis, const Scale& scale);

}  // namespace convoy::report
