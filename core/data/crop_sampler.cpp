#include "core/data/crop_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace convoy {
namespace {

constexpr double kLeastCoverage = 0.1;
constexpr double kLeastAspect = 0.75;  // width / height
constexpr double kLargestAspect = 1.33;
constexpr double kLeastArea = 0.05;
constexpr int kTries = 100;

struct Rectangle {
  double left, top, right, bottom;  // pixels
  double area() const { return (right - left) * (bottom - top); }
};

std::vector<Rectangle> usable_boxes(ImageSize size, std::span<const BoundingBox> boxes) {
  std::vector<Rectangle> usable;
  for (const BoundingBox& box : boxes) {
    // NaN fails every comparison, so the clamped values are checked in the positive.
    const auto inside = [](float fraction) { return fraction >= 0.0f && fraction <= 1.0f; };
    if (!inside(box.x_min) || !inside(box.x_max) || !inside(box.y_min) || !inside(box.y_max)) {
      continue;
    }
    const Rectangle pixels = {double{box.x_min} * size.width, double{box.y_min} * size.height,
                              double{box.x_max} * size.width, double{box.y_max} * size.height};
    if (pixels.left < pixels.right && pixels.top < pixels.bottom) usable.push_back(pixels);
  }
  if (usable.empty()) {
    usable.push_back({0, 0, static_cast<double>(size.width), static_cast<double>(size.height)});
  }
  return usable;
}

bool covers_enough(const PixelWindow& window, const std::vector<Rectangle>& boxes) {
  return std::any_of(boxes.begin(), boxes.end(), [&](const Rectangle& box) {
    const double width =
        std::min(box.right, double(window.x + window.width)) - std::max(box.left, double(window.x));
    const double height = std::min(box.bottom, double(window.y + window.height)) -
                          std::max(box.top, double(window.y));
    return width > 0 && height > 0 && width * height >= kLeastCoverage * box.area();
  });
}

// Draws an aspect ratio, then a height among those that give an allowed area and fit, then a place.
// The number of random words drawn does not depend on the outcome.
std::optional<PixelWindow> propose(ImageSize size, CounterRandom& random) {
  const double aspect = random.uniform(kLeastAspect, kLargestAspect);
  const double height_choice = random.uniform();
  const double x_choice = random.uniform();
  const double y_choice = random.uniform();
  const double image_area = double(size.width) * size.height;
  const int lowest = std::max(1, int(std::ceil(std::sqrt(kLeastArea * image_area / aspect))));
  int highest = std::min(size.height, int(std::sqrt(image_area / aspect)));
  highest = std::min(highest, int((size.width + 0.499) / aspect));
  if (lowest > highest) return std::nullopt;
  PixelWindow window;
  window.height = lowest + int(height_choice * (highest - lowest + 1));
  window.width = std::clamp(int(std::lrint(window.height * aspect)), 1, size.width);
  if (double(window.width) * window.height < kLeastArea * image_area) return std::nullopt;
  window.x = int(x_choice * (size.width - window.width + 1));
  window.y = int(y_choice * (size.height - window.height + 1));
  return window;
}

}  // namespace

PixelWindow sample_crop(ImageSize size, std::span<const BoundingBox> boxes, CounterRandom& random) {
  const std::vector<Rectangle> objects = usable_boxes(size, boxes);
  for (int i = 0; i < kTries; ++i) {
    const std::optional<PixelWindow> window = propose(size, random);
    if (window && covers_enough(*window, objects)) return *window;
  }
  return {0, 0, size.width, size.height};
}

}  // namespace convoy
