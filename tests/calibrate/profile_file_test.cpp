#include "core/calibrate/profile_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "core/base/error.hpp"
#include "tests/calibrate/profiles.hpp"
#include "tests/environment.hpp"
#include "tests/scratch_folder.hpp"

namespace convoy::calibrate {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " is not in\n" << text.substr(0, 1000);
  return text.replace(at, from.size(), to);
}

MachineProfile read_text(const std::string& text) {
  const std::filesystem::path file =
      std::filesystem::path(scratch_folder("profile_text")) / "file.json";
  std::ofstream(file) << text;
  return read_profile(file);
}

std::string refusal(const std::string& text) {
  try {
    read_text(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "";
}

TEST(ProfileFileTest, WhatWasWrittenIsReadToTheBit) {
  const MachineProfile profile = small_profile();
  const std::string text = profile_text(profile);
  const MachineProfile again = read_text(text);
  EXPECT_EQ(profile_text(again), text);
  EXPECT_EQ(again.machine.memory_bytes, profile.machine.memory_bytes);
  EXPECT_EQ(again.disturbance, profile.disturbance);
  EXPECT_EQ(again.left_out, profile.left_out);
  EXPECT_DOUBLE_EQ(known_error(again), known_error(profile));
  ASSERT_EQ(again.layers.size(), 2u);
  ASSERT_EQ(again.layers[1].samples.size(), profile.layers[1].samples.size());
  for (std::size_t i = 0; i < again.layers[1].samples.size(); ++i) {
    EXPECT_EQ(again.layers[1].samples[i].shape, profile.layers[1].samples[i].shape);
    EXPECT_EQ(again.layers[1].samples[i].seconds, profile.layers[1].samples[i].seconds);
  }
}

TEST(ProfileFileTest, DamageIsReportedWithFileLineAndField) {
  const std::string good = profile_text(small_profile());
  const struct {
    const char* from;
    const char* to;
    std::vector<const char*> parts;
  } cases[] = {
      {"\"neighbour_factor\": 1.1", "\"neighbour_factor\": -1.1", {"neighbour_factor", "-1.1"}},
      {"\"neighbour_factor\": 1.1", "\"neighbour\": 1.1", {"neighbour_factor", "is missing"}},
      {"\"flops\": 200000000000.0", "\"flops\": 0", {"flops", "positive", "convoy calibrate"}},
      {"\"format\": 2", "\"format\": 1", {"format", "is 1", "convoy calibrate"}},
      {"\"measured_seconds\": 0.1", "\"measured_seconds\": 0", {"measured_seconds", "positive"}},
      {"\"cores\": 2", "\"cores\": \"two\"", {"cores", "two"}},
      {"\"flops\": 200000000000.0", "\"flops\": 1e308", {"flops", "above 1e+18"}},
      {"\"flops\": 200000000000.0", "\"flops\": 1e-300", {"flops", "below 1e-15"}},
      {"\"disturbance\": 0.01", "\"disturbance\": 7", {"disturbance", "at most 1"}},
      {"\"layer\": \"convolution\"", "\"layer\": \"volution\"", {"layer", "volution"}},
      {"\"pass\": \"forward\"", "\"pass\": \"sideways\"", {"pass", "sideways"}},
      {"\"seconds\":", "\"second\":", {"seconds", "is missing"}},
  };
  for (const auto& it : cases) {
    const std::string text = refusal(replaced(good, it.from, it.to));
    EXPECT_NE(text.find("/file.json:"), std::string::npos) << text;
    for (const char* part : it.parts)
      EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
  }
}

TEST(ProfileFileTest, AFileThatEndsInTheMiddleIsRefusedByName) {
  const std::string good = profile_text(small_profile());
  EXPECT_NE(refusal(good.substr(0, good.size() / 2)).find("file.json"), std::string::npos);
  EXPECT_NE(refusal("").find("file.json"), std::string::npos);
}

TEST(ProfileFileTest, NoFileIsNoProfileAndAnotherMachinesIsRefused) {
  const std::filesystem::path folder = scratch_folder("profile");
  const MachineProfile profile = small_profile();
  const std::filesystem::path file = folder / "calibration.json";
  EXPECT_FALSE(find_profile(file, profile.machine).has_value());
  std::ofstream(file) << profile_text(profile);
  EXPECT_TRUE(find_profile(file, profile.machine).has_value());
  Fingerprint here = profile.machine;
  here.memory_bytes /= 2;
  ASSERT_TRUE(find_profile(file, here).has_value());
  EXPECT_EQ(find_profile(file, here)->machine.memory_bytes, here.memory_bytes)
      << "what must fit goes by the memory of now";
  here.cores = 3;
  try {
    find_profile(file, here);
    FAIL() << "another machine's file was taken";
  } catch (const Error& error) {
    const std::string text = error.what();
    for (const char* part :
         {"calibration.json", "'2' there and '3' here", "convoy calibrate --force"})
      EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
  }
}

TEST(ProfileFileTest, LiesInTheCacheFolder) {
  const Fingerprint here = small_profile().machine;
  {
    const Environment named({{"CONVOY_CACHE_DIR", std::nullopt}, {"XDG_CACHE_HOME", "/somewhere"}});
    EXPECT_EQ(default_profile_path(here).parent_path(), "/somewhere/convoy");
  }
  const Environment at_home({{"CONVOY_CACHE_DIR", std::nullopt},
                             {"XDG_CACHE_HOME", std::nullopt},
                             {"HOME", "/home/somebody"}});
  EXPECT_EQ(default_profile_path(here).parent_path(), "/home/somebody/.cache/convoy");
  Fingerprint other = here;
  other.cores = 64;
  EXPECT_NE(default_profile_path(here), default_profile_path(other)) << "home folders are shared";
}

}  // namespace
}  // namespace convoy::calibrate
