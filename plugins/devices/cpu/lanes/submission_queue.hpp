#pragma once

#include <convoy/abi.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace convoy::cpu {

// A lock-free FIFO queue of submitted operations: one thread puts, one thread takes. It is
// unbounded. Nodes that were taken are used again, so it allocates, in blocks, only when more
// operations are queued than ever before.
class SubmissionQueue {
 public:
  SubmissionQueue();
  SubmissionQueue(const SubmissionQueue&) = delete;
  SubmissionQueue& operator=(const SubmissionQueue&) = delete;

  // Called by the putting thread.
  void put(const convoy_submission& submission);
  // Called by the taking thread: returns the oldest operation, null when there is none.
  const convoy_submission* head() const;
  // Called by the taking thread: removes the oldest operation, which must exist.
  void pop();

 private:
  struct Node {
    std::atomic<Node*> next{nullptr};
    const convoy_submission* submission = nullptr;
  };

  Node* free_node();
  void add_block();

  alignas(64) std::atomic<Node*> taken_;  // the last node that was taken; its successor is the head
  alignas(64) Node* last_;                // for the putting thread only, like the following members
  Node* reusable_;                        // nodes from here up to taken_ may be used again
  std::vector<std::unique_ptr<Node[]>> blocks_;
  std::vector<Node*> fresh_;
};

}  // namespace convoy::cpu
