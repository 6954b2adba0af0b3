#include "core/data/pipeline/batch_pipeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/base/error.hpp"
#include "tests/data/data_test_support.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::data {
namespace {

using ::testing::HasSubstr;

DataOptions options_for(int replicas, int batch, int threads, int prefetch_depth) {
  DataOptions options;
  options.replicas = replicas;
  options.batch = batch;
  options.channels = options.height = options.width = 1;
  options.threads = threads;
  options.prefetch_depth = prefetch_depth;
  return options;
}

// Image and label say which sample they are.
SampleResult label_of(const SampleRequest& request, float* image) {
  const auto sample = static_cast<std::int32_t>(request.step * 100 + request.position);
  *image = static_cast<float>(sample);
  return {sample, false, ""};
}

void wait_until(const std::atomic<int>& value, int target) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (value < target && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  ASSERT_GE(value.load(), target);
}

TEST(BatchPipeline, DeliversEverySampleInItsPlace) {
  BatchPipeline pipeline(options_for(3, 5, 4, 2), label_of);
  for (int step = 0; step < 50; ++step) {
    for (int replica = 0; replica < 3; ++replica) {
      const Batch& batch = pipeline.acquire(replica, step);
      ASSERT_EQ(batch.count, 5);
      for (int i = 0; i < 5; ++i) {
        const int expected = step * 100 + replica * 5 + i;
        ASSERT_EQ(batch.labels[i], expected);
        ASSERT_EQ(batch.images[i], static_cast<float>(expected));
      }
      pipeline.release(replica, step);
    }
  }
  EXPECT_EQ(pipeline.statistics().images, 50 * 15);
}

// Two processes with two replicas each make the batches that one with four makes, and no others.
TEST(BatchPipeline, MakesTheBatchesOfLocalReplicasOnly) {
  for (const std::vector<int>& local : {std::vector<int>{0, 1}, std::vector<int>{2, 3}}) {
    DataOptions options = options_for(4, 5, 2, 2);
    options.local_replicas = local;
    std::atomic<int> foreign{0};
    BatchPipeline pipeline(options, [&](const SampleRequest& request, float* image) {
      const auto replica = static_cast<int>(request.position / 5);
      foreign += replica != local[0] && replica != local[1] ? 1 : 0;
      return label_of(request, image);
    });
    for (int step = 0; step < 20; ++step)
      for (const int replica : local) {
        const Batch& batch = pipeline.acquire(replica, step);
        for (int i = 0; i < 5; ++i) ASSERT_EQ(batch.labels[i], step * 100 + replica * 5 + i);
        pipeline.release(replica, step);
      }
    EXPECT_EQ(foreign, 0);
  }
}

TEST(BatchPipeline, HeldBatchesStayValid) {
  BatchPipeline pipeline(options_for(1, 2, 2, 1), label_of);
  std::vector<const Batch*> held;
  for (int step = 0; step < 10; ++step) {
    held.push_back(&pipeline.acquire(0, step));
    if (step < 4) continue;
    for (int i = step - 4; i <= step; ++i) {
      ASSERT_EQ(held[static_cast<std::size_t>(i)]->labels[1], i * 100 + 1) << "step " << step;
    }
    pipeline.release(0, step - 4);
  }
}

TEST(BatchPipeline, StartsAtTheFirstStep) {
  DataOptions options = options_for(1, 1, 1, 2);
  options.first_step = 7;
  BatchPipeline pipeline(options, label_of);
  EXPECT_EQ(pipeline.acquire(0, 7).labels[0], 700);
}

TEST(BatchPipeline, PreparesNoMoreThanThePrefetchDepth) {
  std::atomic<int> made = 0;
  BatchPipeline pipeline(options_for(2, 3, 2, 4), [&](const SampleRequest& request, float* image) {
    SampleResult result = label_of(request, image);
    ++made;
    return result;
  });
  wait_until(made, 2 * 3 * 4);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(made, 2 * 3 * 4);
  pipeline.acquire(0, 0);
  wait_until(made, 2 * 3 * 4 + 3);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(made, 2 * 3 * 4 + 3);
}

TEST(BatchPipeline, AnErrorComesOutOfTheBatchItBelongsTo) {
  BatchPipeline pipeline(options_for(1, 4, 3, 3), [](const SampleRequest& request, float* image) {
    if (request.step == 2 && request.position >= 1) {
      fail(ExitCode::kUnavailable, "position {} is bad", request.position);
    }
    return label_of(request, image);
  });
  pipeline.acquire(0, 0);
  pipeline.acquire(0, 1);
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      pipeline.acquire(0, 2);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUnavailable);
      EXPECT_STREQ(error.what(), "position 1 is bad");
    }
  }
}

TEST(BatchPipeline, OtherExceptionsBecomeErrors) {
  BatchPipeline pipeline(options_for(1, 1, 1, 1), [](const SampleRequest&, float*) -> SampleResult {
    throw std::bad_alloc();
  });
  EXPECT_THAT(thrown_text([&] { pipeline.acquire(0, 0); }), HasSubstr("bad_alloc"));
}

TEST(BatchPipeline, CountsReplacedSamplesWhenTheirBatchIsTaken) {
  BatchPipeline pipeline(options_for(1, 4, 2, 3), [](const SampleRequest& request, float*) {
    const bool bad = request.step == 1 && request.position < 3;
    return SampleResult{0, bad, bad ? "a reason" : ""};
  });
  pipeline.acquire(0, 0);
  EXPECT_EQ(pipeline.statistics().bad_records, 0);
  pipeline.acquire(0, 1);
  EXPECT_EQ(pipeline.statistics().bad_records, 3);
  EXPECT_EQ(pipeline.statistics().bad_record_example, "a reason");
}

TEST(BatchPipeline, MeasuresTheWaitForData) {
  BatchPipeline pipeline(options_for(1, 1, 1, 1), [](const SampleRequest& request, float* image) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    return label_of(request, image);
  });
  pipeline.acquire(0, 0);
  EXPECT_GT(pipeline.statistics().wait_seconds, 0.03);
}

TEST(BatchPipeline, ShutsDownWhileItsThreadsWaitOrWork) {
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> made = 0;
    BatchPipeline waiting(options_for(1, 1, 3, 1), [&](const SampleRequest& request, float* image) {
      ++made;
      return label_of(request, image);
    });
    wait_until(made, 1);
    std::atomic<int> working = 0;
    BatchPipeline busy(options_for(2, 64, 3, 2), [&](const SampleRequest& request, float* image) {
      ++working;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return label_of(request, image);
    });
    wait_until(working, 3);
  }
}

TEST(BatchPipeline, ServesReplicasFromTheirOwnThreads) {
  BatchPipeline pipeline(options_for(4, 3, 2, 2), label_of);
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int replica = 0; replica < 4; ++replica) {
      threads.emplace_back([&pipeline, &wrong, replica] {
        for (int step = 0; step < 200; ++step) {
          const Batch& batch = pipeline.acquire(replica, step);
          if (batch.labels[2] != step * 100 + replica * 3 + 2) ++wrong;
          pipeline.release(replica, step);
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace convoy::data
