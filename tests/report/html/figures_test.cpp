#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/report/html/chart_frame.hpp"
#include "core/report/html/draw.hpp"
#include "core/report/html/report.hpp"
#include "tests/support/pattern.hpp"

namespace convoy::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

std::size_t points_of(const std::string& svg) {
  const std::vector<std::string> match = Pattern("data-points=\"([0-9]+)\"").first_in(svg);
  EXPECT_FALSE(match.empty()) << svg;
  return match.empty() ? 0 : std::stoul(match[1]);
}

LineChart chart_of(std::size_t points) {
  LineChart chart{"name", "title", {"step", Unit::kNumber, true}, {"time", Unit::kSeconds}, {{}}};
  for (std::size_t i = 0; i < points; ++i)
    chart.series[0].points.push_back(
        {static_cast<double>(i + 1), 0.01 + 0.001 * static_cast<double>(i % 7)});
  return chart;
}

// Inkscape and librsvg know no CSS variables.
TEST(Figures, APictureOfItsOwnHasColoursWithoutVariables) {
  const std::string file = standalone_svg(draw(chart_of(5), 500));
  EXPECT_THAT(file, HasSubstr(".paper { fill: #ffffff; }"));
  EXPECT_THAT(file, Not(HasSubstr("var(")));
}

TEST(Figures, AFewPointsHaveAMarkEachAndTheAxisBeginsAtZero) {
  const std::string svg = draw(chart_of(5), 500);
  EXPECT_EQ(points_of(svg), 5);
  EXPECT_EQ(count(svg, "class=\"m c0\""), 5);
  EXPECT_THAT(svg, HasSubstr(">0</text>"));
  EXPECT_THAT(svg, HasSubstr("time, ms"));
  EXPECT_THAT(svg, HasSubstr("step 3: 12 ms"));
}

TEST(Figures, ManyPointsBecomeABandWhosePictureDoesNotGrow) {
  const std::string thousand = draw(chart_of(1000), 500);
  const std::string million = draw(chart_of(100000), 500);
  EXPECT_GT(points_of(thousand), 100);
  EXPECT_LT(million.size(), 1.3 * static_cast<double>(thousand.size()));
  EXPECT_THAT(thousand, HasSubstr("class=\"b0\""));
  // The extremes are still there to be read.
  EXPECT_THAT(million, HasSubstr("10 ms to 16 ms"));
}

TEST(Figures, RepeatsHaveTheirRange) {
  LineChart chart = chart_of(1);
  chart.series[0].points[0].range = Interval{0.008, 0.02};
  EXPECT_THAT(draw(chart, 500), HasSubstr("(repeats from 8 ms to 20 ms)"));
}

TEST(Figures, TextsOfRecordsCannotBecomeMarkup) {
  LineChart chart = chart_of(3);
  chart.title = "<script>alert(1)</script>";
  chart.series[0].label = "\"><b>";
  const std::string svg = draw(chart, 500);
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
}

TEST(Figures, BarsOfPartsAddUp) {
  BarChart chart{"name", "title", {"time", Unit::kSeconds}, {"a", "b"}, {}, 0.1};
  chart.bars = {{"one", {{0, 0.06}, {1, 0.04}}, "100 ms"}, {"none", {{0, 0}}, "0"}};
  const std::string svg = draw(chart, 600);
  EXPECT_EQ(points_of(svg), 2);
  const Pattern bar("<rect x=\"([0-9.]+)\"[^>]* width=\"([0-9.]+)\"[^>]*class=\"m f");
  std::vector<std::pair<double, double>> boxes;
  for (const Pattern::Match& match : bar.all_in(svg))
    boxes.emplace_back(std::stod(match.groups[1]), std::stod(match.groups[2]));
  ASSERT_EQ(boxes.size(), 2u);
  EXPECT_NEAR(boxes[0].first + boxes[0].second, boxes[1].first, 0.11);
  EXPECT_NEAR(boxes[0].second / boxes[1].second, 1.5, 0.01);
}

Timeline timeline_of(std::size_t events) {
  Timeline timeline{"measured", 1, {{"cpu:0", "compute"}, {"cpu:0", "update"}}, {}};
  for (std::size_t i = 0; i < events; ++i)
    timeline.events.push_back({i % 2, static_cast<double>(i) / static_cast<double>(events),
                               0.4 / static_cast<double>(events), i % 4 == 0 ? "forward" : "sum",
                               i});
  return timeline;
}

TEST(Figures, TheSameOperationHasTheSameIdInBothTimelines) {
  const std::string svg =
      draw(TimelineChart{"name", "title", {timeline_of(4), timeline_of(4)}}, 1100);
  EXPECT_EQ(points_of(svg), 8);
  EXPECT_EQ(count(svg, "data-op=\"3\""), 2);
  EXPECT_THAT(svg, HasSubstr("forward, operation 0"));
}

TEST(Figures, ATimelineOfVeryManyOperationsIsPutTogether) {
  const std::string svg = draw(TimelineChart{"name", "title", {timeline_of(50000)}}, 1100);
  EXPECT_LE(points_of(svg), 900);
  EXPECT_GE(points_of(svg), 20);
  EXPECT_THAT(svg, HasSubstr("short operations"));
}

// Of lanes and links that begin alike, a name that is cut tells none apart.
TEST(Figures, LongNamesAreWholeInNarrowPictures) {
  Timeline timeline = timeline_of(4);
  timeline.rows[0] = {"host:0", "receive from host 1"};
  EXPECT_THAT(draw(TimelineChart{"name", "title", {timeline}}, 344),
              HasSubstr(">host:0 receive from host 1<"));
  BarChart chart{"name", "title", {"of capacity", Unit::kShare}, {""}, {}};
  chart.bars = {{"host11/bridge0 to host11/switch0", {{0, 0.1}}, "7.9 %, 928 MB per step"}};
  EXPECT_THAT(draw(chart, 344), HasSubstr("host11/switch0<"));
}

// The last tick is at the plot's end, where a label in its middle would leave the picture.
TEST(Figures, LabelsOfTicksStayInNarrowPictures) {
  constexpr double kWidth = 344;
  BarChart chart{"name", "title", {"time", Unit::kSeconds}, {""}, {}};
  chart.bars = {{"forward", {{0, 0.999}}, "999 ms"}};
  const std::string svg = draw(chart, kWidth);
  EXPECT_THAT(svg, HasSubstr(">1,000<"));
  const std::vector<std::string> match = Pattern("<text x=\"([0-9.]+)\"[^>]*>1,000<").first_in(svg);
  ASSERT_FALSE(match.empty());
  const double half =
      match[0].find("\"end\"") == std::string::npos ? text_width("1,000", kFontSize) / 2 : 0;
  EXPECT_LE(std::stod(match[1]) + half, kWidth);
}

TEST(Figures, TheLegendOfLinesShowsTheirSymbols) {
  LineChart chart = chart_of(5);
  chart.series.push_back(chart.series.front());
  chart.series[0].label = "a";
  chart.series[1].label = "b";
  chart.series[1].colour = 1;
  const std::string svg = draw(chart, 500);
  EXPECT_EQ(points_of(svg), 10);
  EXPECT_EQ(count(svg, "class=\"c0\""), 1);
  EXPECT_EQ(count(svg, "class=\"c1\""), 1);
}

}  // namespace
}  // namespace convoy::report
