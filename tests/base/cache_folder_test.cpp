#include "core/base/cache_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

namespace convoy {
namespace {

// Variables that differ for a test, and are what they were after it.
class CacheFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"CONVOY_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
      if (const char* value = std::getenv(name)) before_[name] = value;
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (const char* name : {"CONVOY_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) unsetenv(name);
    for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::map<std::string, std::string> before_;
};

TEST_F(CacheFolder, IsTheFirstThatTheEnvironmentNames) {
  EXPECT_EQ(cache_folder(), "");
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(cache_folder(), "/home/me/.cache/convoy");
  setenv("XDG_CACHE_HOME", "/fast", 1);
  EXPECT_EQ(cache_folder(), "/fast/convoy");
  setenv("CONVOY_CACHE_DIR", "/own", 1);
  EXPECT_EQ(cache_folder(), "/own");
}

TEST_F(CacheFolder, IsNeverRelative) {
  setenv("HOME", "/home/me", 1);
  setenv("XDG_CACHE_HOME", "here", 1);
  setenv("CONVOY_CACHE_DIR", "", 1);
  EXPECT_EQ(cache_folder(), "/home/me/.cache/convoy");
}

}  // namespace
}  // namespace convoy
