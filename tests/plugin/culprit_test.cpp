#include "core/plugin/culprit.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>

namespace convoy::plugin {
namespace {

constexpr double kPatience = 0.02;

[[noreturn]] void end_slowly(std::chrono::milliseconds time) {
  const std::string file = CONVOY_FIXTURES "/good.so";
  if (::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) ::_exit(1);
  name_when_it_harms("strategy good", file, kPatience);
  watch_ending();
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) continue;
  ::_exit(0);
}

// What is slow may be convoy's own.
TEST(Culprit, NoPluginIsBlamedForTimeInOtherCode) {
  EXPECT_EXIT(end_slowly(std::chrono::milliseconds(200)), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace convoy::plugin
