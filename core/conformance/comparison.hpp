#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace convoy::conformance {

// Collects the differences between a device's numbers and the right ones, and says where the
// largest one is.
class Comparison {
 public:
  // `where` is called only for differences that are reported.
  void element(double measured, double expected, double allowed,
               const std::function<std::string()>& where);
  // Compares every element of a tensor: |difference| <= relative * |expected| + absolute.
  void tensor(const std::string& name, std::span<const float> measured,
              std::span<const float> expected, double relative, double absolute);

  bool right() const { return beyond_ == 0; }
  // Returns the largest difference relative to the allowed one, where it is, and how many elements
  // are wrong; empty if all is right.
  std::string text() const;

 private:
  std::uint64_t compared_ = 0;
  std::uint64_t beyond_ = 0;
  double worst_ratio_ = 0;
  std::string worst_;
};

// Returns "conv1/weights[2,0,1,1] of 7x6x4x4": the name of a tensor's element, which is numbered in
// plain order.
std::string element_name(const std::string& name, std::span<const std::uint64_t> dimensions,
                         std::uint64_t element);

}  // namespace convoy::conformance
