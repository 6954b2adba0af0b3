#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace convoy::plan {

// A value that most of its owners leave at its default. Until it is changed, it takes only the
// space of a pointer. Copies share one value until one of them is changed. Copies may be on
// different threads.
template <typename T>
class Rare {
 public:
  Rare() = default;
  Rare(const Rare& other) : shared_(other.shared_) {
    if (shared_ != nullptr) shared_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Rare(Rare&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  Rare& operator=(const Rare& other) {
    if (this == &other) return *this;
    Rare copy(other);
    std::swap(shared_, copy.shared_);
    return *this;
  }
  Rare& operator=(Rare&& other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~Rare() { release(); }

  const T& operator*() const { return shared_ != nullptr ? shared_->value : kDefault; }
  const T* operator->() const { return &**this; }
  // Returns the value for a change. The reference is valid until the next copy is made.
  T& edit() {
    if (shared_ != nullptr && shared_->owners.load(std::memory_order_acquire) == 1)
      return shared_->value;
    auto* const own = new Shared{**this};
    release();
    shared_ = own;
    return own->value;
  }
  bool is_default() const { return shared_ == nullptr; }

 private:
  struct Shared {
    T value;
    std::atomic<std::uint32_t> owners = 1;
  };

  void release() {
    if (shared_ != nullptr && shared_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete shared_;
  }

  inline static const T kDefault{};
  Shared* shared_ = nullptr;
};

}  // namespace convoy::plan
