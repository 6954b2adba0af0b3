#include "plugins/devices/cpu/lanes/submission_queue.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace convoy::cpu {
namespace {

TEST(SubmissionQueue, GivesWhatWasPutInItsOrder) {
  SubmissionQueue queue;
  EXPECT_EQ(queue.head(), nullptr);
  const std::vector<convoy_submission> submissions(3);
  for (const convoy_submission& submission : submissions) queue.put(submission);
  for (const convoy_submission& submission : submissions) {
    EXPECT_EQ(queue.head(), &submission);
    queue.pop();
  }
  EXPECT_EQ(queue.head(), nullptr);
}

TEST(SubmissionQueue, TakesMoreThanOneBlockAtOnceAndAgain) {
  SubmissionQueue queue;
  const std::vector<convoy_submission> submissions(5000);
  for (int round = 0; round < 3; ++round) {
    for (const convoy_submission& submission : submissions) queue.put(submission);
    for (std::size_t i = 0; i < submissions.size(); ++i) {
      ASSERT_EQ(queue.head(), &submissions[i]) << "round " << round << ", operation " << i;
      queue.pop();
    }
    ASSERT_EQ(queue.head(), nullptr);
  }
}

TEST(SubmissionQueue, KeepsTheOrderBetweenTwoThreads) {
  SubmissionQueue queue;
  std::vector<convoy_submission> submissions(20000);
  for (std::size_t i = 0; i < submissions.size(); ++i) submissions[i].value = i;
  std::thread putting([&] {
    for (const convoy_submission& submission : submissions) queue.put(submission);
  });
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < submissions.size();) {
    const convoy_submission* head = queue.head();
    if (head == nullptr) {
      std::this_thread::yield();
      continue;
    }
    if (head->value != i) ++wrong;
    queue.pop();
    ++i;
  }
  putting.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(queue.head(), nullptr);
}

}  // namespace
}  // namespace convoy::cpu
