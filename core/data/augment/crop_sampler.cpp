#include "core/data/augment/crop_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace convoy::data {
namespace {

constexpr double kLeastCoverage = 0.1;
constexpr double kLeastAspect = 0.75;  // width / height
constexpr double kLargestAspect = 1.33;
constexpr float kLeastArea = 0.05f;
constexpr int kTries = 100;

using Boxes = std::vector<PixelWindow>;

// Like the published sampler, truncates corners to whole pixels and ignores boxes that then have no
// pixel.
Boxes usable_boxes(ImageSize size, std::span<const BoundingBox> boxes) {
  Boxes usable;
  for (const BoundingBox& box : boxes) {
    // NaN fails every comparison, so the conditions are written for valid values.
    const auto inside = [](float fraction) { return fraction >= 0.0f && fraction <= 1.0f; };
    if (!inside(box.x_min) || !inside(box.x_max) || !inside(box.y_min) || !inside(box.y_max)) {
      continue;
    }
    const auto pixels = [](float fraction, int all) {
      return static_cast<int>(fraction * static_cast<float>(all));
    };
    const int left = pixels(box.x_min, size.width), right = pixels(box.x_max, size.width);
    const int top = pixels(box.y_min, size.height), bottom = pixels(box.y_max, size.height);
    if (left < right && top < bottom) usable.push_back({left, top, right - left, bottom - top});
  }
  if (usable.empty()) usable.push_back({0, 0, size.width, size.height});
  return usable;
}

bool covers_enough(const PixelWindow& window, const Boxes& boxes) {
  return std::any_of(boxes.begin(), boxes.end(), [&](const PixelWindow& box) {
    const int width =
        std::min(box.x + box.width, window.x + window.width) - std::max(box.x, window.x);
    const int height =
        std::min(box.y + box.height, window.y + window.height) - std::max(box.y, window.y);
    return width > 0 && height > 0 &&
           double(width) * height >= kLeastCoverage * (double(box.width) * box.height);
  });
}

int rounded(float value) {
  return static_cast<int>(std::lrint(value));
}

// Returns the largest height with which a window of this shape is not wider than the image.
int largest_height(ImageSize size, float area, float aspect) {
  int height = rounded(std::sqrt(area / aspect));
  if (rounded(static_cast<float>(height) * aspect) > size.width) {
    height = static_cast<int>((static_cast<float>(size.width) + 0.4999999f) / aspect);
    if (rounded(static_cast<float>(height) * aspect) > size.width) --height;
  }
  return std::min(height, size.height);
}

// Positions are 0 ... room - 1, so a window that is smaller than the image never reaches its far
// edge.
int place(double choice, int room) {
  return static_cast<int>(choice * room);
}

// Draws an aspect ratio, then a height among those that give an allowed area and fit, then a
// position, with the ranges and roundings of the published sampler. The number of random words
// drawn does not depend on the outcome.
std::optional<PixelWindow> propose(ImageSize size, CounterRandom& random) {
  const auto aspect = static_cast<float>(random.uniform(kLeastAspect, kLargestAspect));
  const double height_choice = random.uniform();
  const double x_choice = random.uniform();
  const double y_choice = random.uniform();
  const float image_area = static_cast<float>(size.width) * static_cast<float>(size.height);
  const float least_area = kLeastArea * image_area;
  const int highest = largest_height(size, image_area, aspect);
  const int lowest = std::min(rounded(std::sqrt(least_area / aspect)), highest);
  PixelWindow window;
  const auto set_height = [&](int height) {
    window.height = height;
    window.width = rounded(static_cast<float>(height) * aspect);
  };
  const auto area = [&] {
    return static_cast<float>(window.width) * static_cast<float>(window.height);
  };
  set_height(lowest + place(height_choice, highest - lowest + 1));
  // Rounding may have led slightly out of the allowed areas.
  if (area() < least_area) set_height(window.height + 1);
  if (area() > image_area) set_height(window.height - 1);
  const bool fits = window.width > 0 && window.width <= size.width && window.height > 0 &&
                    window.height <= size.height;
  if (!fits || area() < least_area || area() > image_area) return std::nullopt;
  window.x = place(x_choice, size.width - window.width);
  window.y = place(y_choice, size.height - window.height);
  return window;
}

}  // namespace

PixelWindow sample_crop(ImageSize size, std::span<const BoundingBox> boxes, CounterRandom& random) {
  const Boxes objects = usable_boxes(size, boxes);
  for (int i = 0; i < kTries; ++i) {
    const std::optional<PixelWindow> window = propose(size, random);
    if (window && covers_enough(*window, objects)) return *window;
  }
  return {0, 0, size.width, size.height};
}

}  // namespace convoy::data
