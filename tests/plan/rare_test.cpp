#include "core/plan/rare.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace convoy::testing {
namespace {

TEST(Rare, IsTheDefaultUntilItIsChanged) {
  plan::Rare<std::string> it;
  EXPECT_TRUE(it.is_default());
  EXPECT_EQ(*it, "");
  it.edit() = "kernel";
  EXPECT_FALSE(it.is_default());
  EXPECT_EQ(*it, "kernel");
}

TEST(Rare, SharesItsValueWithCopiesUntilOneIsChanged) {
  plan::Rare<std::string> first;
  first.edit() = "one";
  plan::Rare<std::string> second = first;
  EXPECT_EQ(&*first, &*second);
  second.edit() += " more";
  EXPECT_EQ(*first, "one");
  EXPECT_EQ(*second, "one more");
  const std::string* const own = &*second;
  second.edit() += "!";
  EXPECT_EQ(&*second, own) << "it has no other owner";
}

TEST(Rare, IsAssignedToItselfAndToOthers) {
  plan::Rare<std::string> it;
  it.edit() = "value";
  const plan::Rare<std::string>& same = it;
  it = same;
  EXPECT_EQ(*it, "value");
  plan::Rare<std::string> moved = std::move(it);
  EXPECT_EQ(*moved, "value");
  moved = plan::Rare<std::string>();
  EXPECT_TRUE(moved.is_default());
}

TEST(Rare, IsCopiedAndChangedOnSeveralThreads) {
  plan::Rare<std::string> shared;
  shared.edit() = "shared";
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([shared] {
      for (int round = 0; round < 1000; ++round) {
        plan::Rare<std::string> own = shared;
        own.edit() += "!";
        EXPECT_EQ(*own, "shared!");
      }
    });
  threads.clear();
  EXPECT_EQ(*shared, "shared");
}

}  // namespace
}  // namespace convoy::testing
