// What a run says of its progress.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "core/job/training/run.hpp"
#include "core/report/run_observer.hpp"

namespace convoy::job::progress_test {
namespace {

struct Progress {
  int step = 0;
  int all = 0;
};

struct Watcher : report::RunObserver {
  void progress(const std::string& text) override {
    Progress it;
    texts.push_back(text);
    if (std::sscanf(text.c_str(), "step %d of %d", &it.step, &it.all) == 2) seen.push_back(it);
  }
  std::vector<Progress> seen;
  std::vector<std::string> texts;
};

// Every one of the workers, which take steps of their own, is asked for `batches`.
Watcher progress_of(const std::string& strategy, int batches) {
  JobOptions options;
  options.model = "lenet";
  options.device = "cpu";
  options.num_devices = 2;
  options.threads_per_device = 1;
  options.batch_size = 2;
  options.num_batches = batches;
  options.num_warmup_batches = 1;
  options.variable_update = strategy;
  Watcher watcher;
  Setup setup = set_up_run(options, plugin::installed_plugins(CONVOY_OWN_PLUGINS), log_to(watcher));
  run(setup, watcher);
  return watcher;
}

TEST(RunProgress, EndsWithItsLastStep) {
  const std::vector<Progress> together = progress_of("replicated", 6).seen;
  ASSERT_EQ(together.size(), 6u);
  EXPECT_EQ(together.back().step, 6);
  EXPECT_EQ(together.back().all, 6);
  const std::vector<Progress> apart = progress_of("ssp", 6).seen;
  ASSERT_GT(apart.size(), 6u);
  for (const Progress& it : apart) EXPECT_LE(it.step, it.all);
  EXPECT_EQ(apart.front().all, 12);
}

// A thousand devices take a minute until the first step has ended.
TEST(RunProgress, BeginsWithWhatComesBeforeTheFirstStep) {
  const std::vector<std::string> texts = progress_of("replicated", 2).texts;
  ASSERT_GE(texts.size(), 2u);
  EXPECT_EQ(texts[0], "preparing 2 devices");
  EXPECT_EQ(texts[1], "the first step of 2 devices");
}

}  // namespace
}  // namespace convoy::job::progress_test
