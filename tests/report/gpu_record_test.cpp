#include "core/report/gpu_record.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace convoy::report {
namespace {

SensorSummary said(double mean, double least, double most) {
  return {.count = 2, .sum = 2 * mean, .least = least, .most = most};
}

GpuReadings hot() {
  GpuReadings gpu;
  gpu.pci_address = "0000:17:00.0";
  gpu.watts = said(600, 550, 700);
  gpu.degrees = said(64, 60, 66);
  gpu.sm_megahertz = said(1700, 1650, 1980);
  gpu.samples = 4;
  gpu.throttled_samples = 1;
  gpu.throttle_reasons = {"power cap"};
  return gpu;
}

TEST(GpuRecord, OneLineTellsPowerAndThrottling) {
  EXPECT_EQ(gpus_line({hot()}, 6000),
            "GPU: power mean 600 W, peak 700 W, 10.00 images/s/W; at most 66 C; throttled 25 % of "
            "the time (power cap)");
  GpuReadings cool;
  cool.watts = said(400, 400, 400);
  cool.samples = 4;
  EXPECT_EQ(gpus_line({cool, cool}, 4000),
            "GPU: power mean 800 W, peak 800 W, 5.00 images/s/W; not throttled");
}

TEST(GpuRecord, PowerOfOneGpuIsNotThatOfAll) {
  GpuReadings silent;
  silent.degrees = said(40, 40, 41);
  EXPECT_EQ(gpus_line({hot(), silent}, 6000),
            "GPU: at most 66 C; throttled 25 % of the time (power cap)");
  const auto json = gpus_json({hot(), silent}, 6000);
  EXPECT_EQ(json.at("watts"), "unknown");
  EXPECT_EQ(json.at("images_per_sec_per_watt"), "unknown");
  EXPECT_EQ(json.at("each").at(1).at("watts"), "unknown");
  EXPECT_EQ(json.at("each").at(0).at("watts").at("max"), 700);
}

TEST(GpuRecord, NothingKnownIsUnknownAndSaysNothing) {
  EXPECT_EQ(gpus_json({}, 100), "unknown");
  EXPECT_EQ(gpus_line({}, 100), "");
}

TEST(GpuRecord, ImagesPerWattAreOfAllGpus) {
  EXPECT_EQ(gpus_json({hot(), hot()}, 6000).at("images_per_sec_per_watt"), 5);
}

}  // namespace
}  // namespace convoy::report
