#include "topology/write/machine_boxes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/pattern.hpp"
#include "tests/topology/described.hpp"
#include "topology/write/print_machine.hpp"

namespace convoy::topology {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Machine machine_of(const std::string& platform, std::uint32_t hosts) {
  return convoy::testing::described(platform, hosts).machine;
}

bool overlap(const Drawing::Box& a, const Drawing::Box& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

bool contains(const Drawing::Box& outer, const Drawing::Box& inner) {
  return outer.x <= inner.x && outer.y <= inner.y &&
         inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

TEST(MachineBoxes, LieInTheirParentsAndApartFromTheirSiblings) {
  for (const char* platform : {"dgx1-p100", "dgx-a100", "ec2-p2.16xlarge"}) {
    std::vector<MachineBox> boxes = machine_boxes(machine_of(platform, 2));
    const Drawing::Box all = lay_out(boxes, 1600);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const MachineBox& box = boxes[i];
      EXPECT_TRUE(contains(box.parent ? boxes[*box.parent].area : all, box.area))
          << platform << " " << box.lines.front();
      for (std::size_t j = i + 1; j < boxes.size(); ++j) {
        if (boxes[j].parent != box.parent) continue;
        EXPECT_FALSE(overlap(box.area, boxes[j].area))
            << platform << " " << box.lines.front() << " and " << boxes[j].lines.front();
      }
    }
  }
}

TEST(MachineBoxes, OfManyHostsThatAreAlikeTheFirstIsWhole) {
  const auto gpus = [](std::uint32_t hosts) {
    const Machine machine = machine_of("dgx1-p100", hosts);
    std::size_t count = 0;
    for (const MachineBox& box : machine_boxes(machine))
      count += machine.nodes[box.node].kind == NodeKind::gpu ? 1 : 0;
    return count;
  };
  EXPECT_EQ(gpus(1), 8u);
  EXPECT_EQ(gpus(2), 16u);
  EXPECT_EQ(gpus(16), 8u);
}

TEST(MachineBoxes, ThePictureNamesLinksWithTheirRates) {
  const std::string picture = machine_svg(machine_of("dgx1-p100", 1));
  EXPECT_THAT(picture, HasSubstr("15.8 GB/s, shared by 2 GPUs"));
  EXPECT_THAT(picture, HasSubstr("gpu0 to gpu1: 20 GB/s"));
  EXPECT_THAT(picture, HasSubstr("NVLink, 20 GB/s in each direction"));
  EXPECT_THAT(machine_svg(machine_of("dgx-a100", 4)), HasSubstr("32 links of 25 GB/s"));
  EXPECT_THAT(machine_html(machine_of("dgx1-p100", 1)), HasSubstr("shared uplinks:"));
  EXPECT_THAT(machine_svg(machine_of("gce-k80x8", 1)), HasSubstr("shared by 4 GPUs"));
}

// Inkscape and librsvg know no CSS variables.
TEST(MachineBoxes, ThePictureHasColoursWithoutVariables) {
  EXPECT_THAT(machine_svg(machine_of("dgx1-p100", 1)), Not(HasSubstr("var(")));
}

// Whatever the width of the machine, whose boxes give the picture its width.
TEST(MachineBoxes, ThePictureHoldsAllWordsOfItsLegend) {
  static const Pattern kWidth(R"(<svg [^>]*viewBox="\S+ \S+ ([0-9.]+) )");
  static const Pattern kWords(
      R"re(<text x="([0-9.]+)" y="[0-9.-]+" class="soft">([^<]*)</text>)re");
  for (const char* platform : {"dgx1-v100", "gce-k80x8"}) {
    const std::string picture = machine_svg(machine_of(platform, 1));
    const double width = std::stod(kWidth.first_in(picture).at(1));
    bool has_legend = false;
    for (const Pattern::Match& words : kWords.all_in(picture)) {
      const double end = std::stod(words.groups[1]) + text_width(words.groups[2], kBoxFont);
      EXPECT_LE(end, width) << platform << ": " << words.groups[2];
      has_legend |= words.groups[2] == "processor package";
    }
    EXPECT_TRUE(has_legend) << platform;
  }
}

}  // namespace
}  // namespace convoy::topology
