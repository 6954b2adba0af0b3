#include "core/base/files/cache_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "tests/environment.hpp"

namespace convoy {
namespace {

class CacheFolder : public ::testing::Test {
 private:
  const Environment unnamed_{{{"CONVOY_CACHE_DIR", std::nullopt},
                              {"XDG_CACHE_HOME", std::nullopt},
                              {"HOME", std::nullopt}}};
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

TEST_F(CacheFolder, OfConvoysOwnVariableMayBeInTheWorkingFolder) {
  setenv("HOME", "/home/me", 1);
  setenv("CONVOY_CACHE_DIR", "caches/own", 1);
  EXPECT_EQ(cache_folder(), std::filesystem::current_path() / "caches/own");
}

TEST_F(CacheFolder, IsNotRelativeByOtherVariables) {
  setenv("HOME", "/home/me", 1);
  setenv("XDG_CACHE_HOME", "here", 1);
  setenv("CONVOY_CACHE_DIR", "", 1);
  EXPECT_EQ(cache_folder(), "/home/me/.cache/convoy");
}

}  // namespace
}  // namespace convoy
