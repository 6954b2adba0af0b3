#pragma once

#include <memory>

namespace convoy {

// A value that most of its owners leave at its default: it takes the room of a pointer until it is
// changed.
template <typename T>
class Rare {
 public:
  Rare() = default;
  Rare(const Rare& other) : own_(copy_of(other)) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(const Rare& other) {
    if (this != &other) own_ = copy_of(other);
    return *this;
  }
  Rare& operator=(Rare&&) noexcept = default;
  ~Rare() = default;

  const T& operator*() const { return own_ ? *own_ : kDefault; }
  const T* operator->() const { return &**this; }
  // To be changed.
  T& edit() {
    if (!own_) own_ = std::make_unique<T>();
    return *own_;
  }

 private:
  static std::unique_ptr<T> copy_of(const Rare& other) {
    return other.own_ ? std::make_unique<T>(*other.own_) : nullptr;
  }

  inline static const T kDefault{};
  std::unique_ptr<T> own_;
};

}  // namespace convoy
