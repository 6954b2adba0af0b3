#pragma once

namespace convoy {

// The standard deviation of the standard normal distribution cut at +-2. TensorFlow's initializers
// divide by the same number.
inline constexpr double kTruncatedDeviation = 0.87962566103423978;

}  // namespace convoy
