#pragma once

#include <convoy/abi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

namespace convoy::plan {

// Spans and ranges are the ABI's frozen value types; here they get comparison and overlap.
using PlanSpan = convoy_span;
using ElementRange = convoy_range;

// A vector of the spans that an operation reads or writes. A single span is stored in the list
// itself, because most operations have only one. Plans for many hosts have millions of lists, and a
// heap allocation for each would cost more than all other work on them.
class SpanList {
 public:
  SpanList() = default;
  SpanList(std::initializer_list<PlanSpan> spans) { assign(spans.begin(), spans.end()); }
  explicit SpanList(std::span<const PlanSpan> spans) {
    assign(spans.data(), spans.data() + spans.size());
  }
  SpanList(const SpanList& other) { assign(other.begin(), other.end()); }
  SpanList(SpanList&& other) noexcept { swap(other); }
  SpanList& operator=(const SpanList& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  SpanList& operator=(SpanList&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SpanList() { release(); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  PlanSpan* data() { return is_inside() ? &storage_.one : storage_.many; }
  const PlanSpan* data() const { return is_inside() ? &storage_.one : storage_.many; }
  PlanSpan* begin() { return data(); }
  PlanSpan* end() { return data() + size_; }
  const PlanSpan* begin() const { return data(); }
  const PlanSpan* end() const { return data() + size_; }
  PlanSpan& operator[](std::size_t index) { return data()[index]; }
  const PlanSpan& operator[](std::size_t index) const { return data()[index]; }
  PlanSpan& front() { return data()[0]; }
  const PlanSpan& front() const { return data()[0]; }
  PlanSpan& back() { return data()[size_ - 1]; }
  const PlanSpan& back() const { return data()[size_ - 1]; }

  // The spans must not be from the list itself.
  void assign(const PlanSpan* first, const PlanSpan* last) {
    const auto count = static_cast<std::uint32_t>(last - first);
    size_ = 0;
    reserve(count);
    std::copy(first, last, data());
    size_ = count;
  }
  void push_back(PlanSpan span) {
    if (size_ == capacity_) reserve(2 * capacity_);
    data()[size_++] = span;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }

 private:
  union Storage {
    PlanSpan one;
    PlanSpan* many;
  };

  bool is_inside() const { return capacity_ == 1; }
  void release() {
    if (!is_inside()) delete[] storage_.many;
  }
  void reserve(std::uint32_t capacity) {
    if (capacity <= capacity_) return;
    auto* const many = new PlanSpan[capacity];
    std::copy(begin(), end(), many);
    release();
    storage_.many = many;
    capacity_ = capacity;
  }
  void swap(SpanList& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(storage_, other.storage_);
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 1;
  Storage storage_ = {};
};

}  // namespace convoy::plan
