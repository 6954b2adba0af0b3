#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace convoy::conformance {

// Collects how far a device's numbers are from the right ones, and says where they differ most.
class Comparison {
 public:
  // `where` is asked only for what is reported.
  void element(double measured, double expected, double allowed,
               const std::function<std::string()>& where);
  // Every element of a tensor: |difference| <= relative * |expected| + absolute.
  void tensor(const std::string& name, std::span<const float> measured,
              std::span<const float> expected, double relative, double absolute);

  bool right() const { return beyond_ == 0; }
  // Empty when all is right: the largest difference in terms of what is allowed, where it is, and
  // how many elements are wrong.
  std::string text() const;

 private:
  std::uint64_t compared_ = 0;
  std::uint64_t beyond_ = 0;
  double worst_ratio_ = 0;
  std::string worst_;
};

// "conv1/weights[2,0,1,1] of 7x6x4x4": an element of a tensor, counted in plain order.
std::string element_name(const std::string& name, std::span<const std::uint64_t> dimensions,
                         std::uint64_t element);

}  // namespace convoy::conformance
