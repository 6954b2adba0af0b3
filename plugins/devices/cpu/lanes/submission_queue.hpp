#pragma once

#include <convoy/abi.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace convoy::cpu {

// Submitted operations, first in, first out, without a lock: one thread puts, one takes. Unbounded;
// nodes that were taken are used again, so that it allocates only when more operations are queued
// than ever before, in blocks.
class SubmissionQueue {
 public:
  SubmissionQueue();
  SubmissionQueue(const SubmissionQueue&) = delete;
  SubmissionQueue& operator=(const SubmissionQueue&) = delete;

  // The putting thread.
  void put(const convoy_submission& submission);
  // The taking thread: the oldest operation, null when there is none.
  const convoy_submission* head() const;
  // The taking thread: removes the oldest operation, which there must be.
  void pop();

 private:
  struct Node {
    std::atomic<Node*> next{nullptr};
    const convoy_submission* submission = nullptr;
  };

  Node* free_node();
  void add_block();

  alignas(64) std::atomic<Node*> taken_;  // the last node that was taken; its successor is the head
  alignas(64) Node* last_;                // of the putting thread, like the following
  Node* reusable_;                        // nodes from here up to taken_ may be used again
  std::vector<std::unique_ptr<Node[]>> blocks_;
  std::vector<Node*> fresh_;
};

}  // namespace convoy::cpu
