#include "core/data/augment/resize.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/data/data_test_support.hpp"

namespace convoy::data {
namespace {

using testing::make_constant_picture;
using testing::make_picture;

constexpr ResizeMethod kMethods[] = {ResizeMethod::kNearest, ResizeMethod::kBilinear,
                                     ResizeMethod::kBicubic, ResizeMethod::kArea};

double pixel(const ByteImage& image, int x, int y, int channel) {
  return image.row(
      std::clamp(y, 0, image.height - 1))[std::clamp(x, 0, image.width - 1) * kRgb + channel];
}

// Keys' convolution kernel with a = -0.75, as published.
double cubic(double d) {
  const double a = -0.75;
  d = std::abs(d);
  if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  if (d < 2) return a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a;
  return 0;
}

// The mean over a rectangle of the picture seen as constant squares.
double mean_over(const ByteImage& image, double left, double top, double right, double bottom,
                 int channel) {
  double sum = 0;
  for (int y = int(top); y < bottom; ++y) {
    for (int x = int(left); x < right; ++x) {
      const double width = std::min(right, x + 1.0) - std::max(left, double(x));
      const double height = std::min(bottom, y + 1.0) - std::max(top, double(y));
      sum += pixel(image, x, y, channel) * std::max(width, 0.0) * std::max(height, 0.0);
    }
  }
  return sum / ((right - left) * (bottom - top));
}

double reference(const ByteImage& image, ResizeMethod method, ImageSize full, int x, int y,
                 int channel) {
  const double scale_x = double(image.width) / full.width;
  const double scale_y = double(image.height) / full.height;
  const double from_x = double(x) * image.width / full.width;
  const double from_y = double(y) * image.height / full.height;
  const int x0 = int(from_x), y0 = int(from_y);
  if (method == ResizeMethod::kNearest) return pixel(image, x0, y0, channel);
  if (method == ResizeMethod::kArea) {
    return mean_over(image, from_x, from_y, from_x + scale_x, from_y + scale_y, channel);
  }
  double sum = 0;
  for (int dy = -1; dy <= 2; ++dy) {
    for (int dx = -1; dx <= 2; ++dx) {
      const double away_x = x0 + dx - from_x, away_y = y0 + dy - from_y;
      const bool linear = method == ResizeMethod::kBilinear;
      const double weight_x = linear ? std::max(1 - std::abs(away_x), 0.0) : cubic(away_x);
      const double weight_y = linear ? std::max(1 - std::abs(away_y), 0.0) : cubic(away_y);
      sum += weight_x * weight_y * pixel(image, x0 + dx, y0 + dy, channel);
    }
  }
  return sum;
}

TEST(Resize, EqualsASlowReferenceForEveryMethodAndScale) {
  const ImageSize inputs[] = {{1, 1}, {2, 3}, {28, 28}, {37, 23}, {101, 64}};
  const ImageSize outputs[] = {{1, 1}, {5, 4}, {28, 28}, {28, 56}, {64, 33}};
  Resizer resizer;
  FloatImage result;
  for (const ImageSize in : inputs) {
    const ByteImage image = make_picture(in.width, in.height, 3);
    for (const ImageSize out : outputs) {
      for (const ResizeMethod method : kMethods) {
        resizer.resize(image, method, out, {0, 0, out.width, out.height}, result);
        for (int y = 0; y < out.height; ++y) {
          for (int x = 0; x < out.width; ++x) {
            for (int channel = 0; channel < kRgb; ++channel) {
              ASSERT_NEAR(result.row(y)[x * kRgb + channel],
                          reference(image, method, out, x, y, channel), 2e-3)
                  << "method " << int(method) << ", " << in.width << " x " << in.height << " to "
                  << out.width << " x " << out.height << ", pixel " << x << ", " << y;
            }
          }
        }
      }
    }
  }
}

TEST(Resize, AWindowIsThatPartOfTheWhole) {
  const ByteImage image = make_picture(50, 40, 4);
  const PixelWindow window = {7, 3, 20, 25};
  Resizer resizer;
  FloatImage whole, part;
  for (const ResizeMethod method : kMethods) {
    resizer.resize(image, method, {33, 31}, {0, 0, 33, 31}, whole);
    resizer.resize(image, method, {33, 31}, window, part);
    for (int y = 0; y < window.height; ++y) {
      for (int i = 0; i < window.width * kRgb; ++i) {
        ASSERT_EQ(part.row(y)[i], whole.row(window.y + y)[window.x * kRgb + i]);
      }
    }
  }
}

TEST(Resize, AConstantImageStaysConstant) {
  const ByteImage image = make_constant_picture(45, 31, 10, 100, 250);
  Resizer resizer;
  FloatImage result;
  for (const ResizeMethod method : kMethods) {
    resizer.resize(image, method, {28, 64}, {0, 0, 28, 64}, result);
    for (std::size_t i = 0; i < result.values.size(); i += kRgb) {
      ASSERT_NEAR(result.values[i], 10, 1e-3) << "method " << int(method);
      ASSERT_NEAR(result.values[i + 1], 100, 1e-3) << "method " << int(method);
      ASSERT_NEAR(result.values[i + 2], 250, 1e-3) << "method " << int(method);
    }
  }
}

TEST(Resize, TheSameSizeChangesNothing) {
  const ByteImage image = make_picture(31, 17, 5);
  Resizer resizer;
  FloatImage result;
  for (const ResizeMethod method : kMethods) {
    resizer.resize(image, method, {31, 17}, {0, 0, 31, 17}, result);
    for (std::size_t i = 0; i < image.values.size(); ++i) {
      ASSERT_FLOAT_EQ(result.values[i], image.values[i]) << "method " << int(method);
    }
  }
}

}  // namespace
}  // namespace convoy::data
