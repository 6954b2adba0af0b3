#include "plugins/devices/cpu/lanes/submission_queue.hpp"

namespace convoy::cpu {
namespace {

constexpr std::size_t kBlock = 1024;  // more than a lane has in a usual step

}  // namespace

SubmissionQueue::SubmissionQueue() {
  add_block();
  Node* first = fresh_.back();
  fresh_.pop_back();
  taken_.store(first, std::memory_order_relaxed);
  last_ = first;
  reusable_ = first;
}

void SubmissionQueue::add_block() {
  blocks_.push_back(std::make_unique<Node[]>(kBlock));
  fresh_.reserve(kBlock);
  for (std::size_t i = 0; i < kBlock; ++i) fresh_.push_back(&blocks_.back()[i]);
}

SubmissionQueue::Node* SubmissionQueue::free_node() {
  if (reusable_ != taken_.load(std::memory_order_acquire)) {
    Node* node = reusable_;
    reusable_ = node->next.load(std::memory_order_relaxed);
    return node;
  }
  if (fresh_.empty()) add_block();
  Node* node = fresh_.back();
  fresh_.pop_back();
  return node;
}

void SubmissionQueue::put(const convoy_submission& submission) {
  Node* node = free_node();
  node->submission = &submission;
  node->next.store(nullptr, std::memory_order_relaxed);
  last_->next.store(node, std::memory_order_release);
  last_ = node;
}

const convoy_submission* SubmissionQueue::head() const {
  const Node* taken = taken_.load(std::memory_order_relaxed);
  const Node* next = taken->next.load(std::memory_order_acquire);
  return next == nullptr ? nullptr : next->submission;
}

void SubmissionQueue::pop() {
  const Node* taken = taken_.load(std::memory_order_relaxed);
  taken_.store(taken->next.load(std::memory_order_acquire), std::memory_order_release);
}

}  // namespace convoy::cpu
