#pragma once

#include <convoy/abi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace convoy::cuda {

// Operations of one step of one device that one launch is to replace, in order of submission, and
// their waits: for each other, or for something else, for which the whole launch has to wait.
class OperationRun {
 public:
  explicit OperationRun(std::size_t size) : size_(size) {}

  void add(const convoy_submission& operation);
  bool is_complete() const { return operations_.size() == size_; }

  const std::vector<const convoy_submission*>& operations() const { return operations_; }
  const convoy_submission& first() const { return *operations_.front(); }
  // The lanes of its operations, the lane of the first operation first.
  const std::vector<std::uint32_t>& lanes() const { return lanes_; }
  // Waits of the first operation, and of later ones, for anything outside the run.
  const std::vector<convoy_wait>& leading_waits() const { return leading_; }
  const std::vector<convoy_wait>& later_waits() const { return later_; }
  // The operations on other lanes that this one waits for, by their index in the run.
  const std::vector<std::size_t>& links(std::size_t operation) const { return links_[operation]; }

 private:
  std::optional<std::size_t> find(const convoy_wait& wait) const;

  std::size_t size_;
  std::vector<const convoy_submission*> operations_;
  std::vector<std::uint32_t> lanes_;
  std::vector<convoy_wait> leading_;
  std::vector<convoy_wait> later_;
  std::vector<std::vector<std::size_t>> links_;
  // By timeline: the value and the index of every operation, ascending.
  std::unordered_map<const std::uint64_t*, std::vector<std::pair<std::uint64_t, std::size_t>>>
      points_;
};

}  // namespace convoy::cuda
