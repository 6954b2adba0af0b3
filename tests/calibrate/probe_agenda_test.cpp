#include "core/calibrate/probe_agenda.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace convoy::calibrate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A device whose steps take no time but on its own clock.
struct FakeDevice {
  double seconds_per_work = 1;
  double unsteadiness = 0;  // how much longer or shorter than usual steps take, relative
  double clock = 0;
  std::vector<std::string> measured{};
  std::mt19937 random{1};

  Probe probe(const std::string& name, double work, bool needed = false) {
    return {name, work, needed, [this, name, work] {
              const double chance = std::uniform_real_distribution<double>(-1, 1)(random);
              clock += work * seconds_per_work * (1 + unsteadiness * chance);
              measured.push_back(name);
              return true;
            }};
  }

  std::vector<std::string> measure(double seconds, const std::vector<Probe>& probes) {
    return measure_within(
        seconds, [this] { return clock; }, probes);
  }
};

// 10 units of work, of which 3 are needed.
std::vector<Probe> ten_units(FakeDevice& device) {
  return {device.probe("a", 1, true), device.probe("b", 2), device.probe("c", 2, true),
          device.probe("d", 2),       device.probe("e", 2), device.probe("f", 1)};
}

TEST(ProbeAgenda, AFastDeviceMeasuresAllInOrder) {
  FakeDevice device{.seconds_per_work = 0.5};
  EXPECT_THAT(device.measure(8.5, ten_units(device)), IsEmpty());
  EXPECT_THAT(device.measured, ElementsAre("a", "b", "c", "d", "e", "f"));
}

TEST(ProbeAgenda, ASlowDeviceLeavesOutTheLeastInformativeAndEndsInTime) {
  FakeDevice device{.seconds_per_work = 1.1};
  EXPECT_THAT(device.measure(8.5, ten_units(device)), ElementsAre("e", "f"));
  EXPECT_LE(device.clock, 8.5);
  FakeDevice slower{.seconds_per_work = 1.6};
  EXPECT_THAT(slower.measure(8.5, ten_units(slower)), ElementsAre("b", "d", "e"));  // f is short
  EXPECT_LE(slower.clock, 8.5);
}

TEST(ProbeAgenda, WhatIsNeededIsMeasuredHoweverLongItTakes) {
  FakeDevice device{.seconds_per_work = 100};
  EXPECT_THAT(device.measure(8.5, ten_units(device)), ElementsAre("b", "d", "e", "f"));
  EXPECT_THAT(device.measured, ElementsAre("a", "c"));
}

TEST(ProbeAgenda, WhatHadNothingToDoSaysNothingOfTheOthers) {
  FakeDevice device{.seconds_per_work = 0.5};
  std::vector<Probe> probes = ten_units(device);
  probes.insert(probes.begin() + 1, {"idle", 2, false, [] { return false; }});
  EXPECT_THAT(device.measure(8.5, probes), IsEmpty());
  EXPECT_EQ(device.clock, 5);
}

TEST(ProbeAgenda, WhatHasNoNameIsLeftOutSilently) {
  FakeDevice device{.seconds_per_work = 0.8};
  std::vector<Probe> probes = ten_units(device);
  probes.push_back(device.probe("", 5));
  EXPECT_THAT(device.measure(8.5, probes), IsEmpty());
  EXPECT_EQ(device.measured.size(), 6u);
}

TEST(ProbeAgenda, KeepsItsTimeOnAnyDeviceThatMeasuresWhatIsNeededInIt) {
  for (double speed = 0.05; speed < 2.2; speed *= 1.07) {
    FakeDevice device{.seconds_per_work = speed, .unsteadiness = 0.2};
    const std::vector<std::string> left_out = device.measure(8.5, ten_units(device));
    EXPECT_LE(device.clock, 9) << speed << " s per unit";
    EXPECT_EQ(device.measured.size() + left_out.size(), 6u);
    if (speed < 0.6) {
      EXPECT_THAT(left_out, IsEmpty()) << speed << " s per unit";
    }
  }
}

}  // namespace
}  // namespace convoy::calibrate
