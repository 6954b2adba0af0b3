#include "tests/devices/cpu/convolutions/winograd_case.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <random>
#include <string>

#include "tests/devices/cpu/bf16_values.hpp"

namespace convoy::test {
namespace {

std::size_t whole_blocks(std::size_t channels, std::size_t block) {
  return (channels + block - 1) / block * block;
}

std::vector<float> random_values(std::size_t count, std::uint32_t seed, bool bf16 = false) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) {
    value = normal(random);
    if (bf16) value = static_cast<float>(value_of(nearest_bf16(double{value})));
  }
  return values;
}

std::size_t image_index(std::size_t image, std::size_t channel, std::size_t pixel,
                        std::size_t padded, std::size_t pixels, std::size_t block) {
  return (image * padded + channel / block * block) * pixels + pixel * block + channel % block;
}

std::size_t weight_index(std::size_t out, std::size_t in, std::size_t tap,
                         const ConvolutionSizes& sizes) {
  const std::size_t block = sizes.block;
  const std::size_t in_blocks = whole_blocks(sizes.in, block) / block;
  return (((out / block * in_blocks + in / block) * sizes.filter() + tap) * block + in % block) *
             block +
         out % block;
}

// Calls use(result index, source index, weight index) for every product of the convolution.
template <typename Use>
void for_each_product(const ConvolutionSizes& s, const Use& use) {
  const std::size_t height = s.out_height();
  const std::size_t width = s.out_width();
  for (std::size_t image = 0; image < s.batch; ++image) {
    for (std::size_t i = 0; i < s.out * s.in * s.filter(); ++i) {
      const std::size_t out = i / (s.in * s.filter()), in = i / s.filter() % s.in;
      const std::size_t tap = i % s.filter();
      for (std::size_t y = 0; y < height; ++y) {
        const std::size_t row = y + tap / s.taps - s.top;
        if (row >= s.height) continue;
        for (std::size_t x = 0; x < width; ++x) {
          const std::size_t column = x + tap % s.taps - s.left;
          if (column >= s.width) continue;
          use(((image * s.out + out) * height + y) * width + x,
              ((image * s.in + in) * s.height + row) * s.width + column, i);
        }
      }
    }
  }
}

// Activations as the kernels read and write them: in blocks of channels, or in bf16 with the
// channels in a single block.
class StoredImages {
 public:
  StoredImages(const std::vector<float>& plain, const ConvolutionSizes& sizes, std::size_t channels,
               std::size_t pixels)
      : batch_(sizes.batch),
        channels_(channels),
        pixels_(pixels),
        block_(sizes.bf16 ? channels : sizes.block),
        bf16_(sizes.bf16),
        floats_(blocked_images(plain, batch_, channels_, pixels_, block_)) {
    for (const float value : floats_) halves_.push_back(nearest_bf16(double{value}));
  }

  void* data() { return bf16_ ? static_cast<void*>(halves_.data()) : floats_.data(); }
  std::vector<float> plain() const {
    std::vector<float> values = floats_;
    for (std::size_t i = 0; bf16_ && i < values.size(); ++i) {
      values[i] = static_cast<float>(value_of(halves_[i]));
    }
    return plain_images(values, batch_, channels_, pixels_, block_);
  }

 private:
  std::size_t batch_, channels_, pixels_, block_;
  bool bf16_;
  std::vector<float> floats_;
  std::vector<cpu::Bf16> halves_;
};

// Memory aligned to 64 bytes.
class Scratch {
 public:
  explicit Scratch(std::size_t floats) : data_(new (std::align_val_t{64}) float[floats]) {
    std::fill_n(data_, floats, 0.0f);
  }
  ~Scratch() { operator delete[](data_, std::align_val_t{64}); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  float* data() { return data_; }

 private:
  float* data_;
};

}  // namespace

cpu::WinogradShape ConvolutionSizes::shape() const {
  cpu::WinogradShape shape;
  shape.batch = batch;
  shape.block = block;
  shape.in_channels = whole_blocks(in, block);
  shape.in_height = height;
  shape.in_width = width;
  shape.out_channels = whole_blocks(out, block);
  shape.out_height = out_height();
  shape.out_width = out_width();
  shape.pad_top = top;
  shape.pad_left = left;
  shape.taps = taps;
  shape.bf16 = bf16;
  return shape;
}

void PrintTo(const ConvolutionSizes& s, std::ostream* out) {
  *out << s.taps << "x" << s.taps << " filter, " << s.batch << "x" << s.in << "x" << s.height << "x"
       << s.width << " to " << s.out << " channels, padding " << s.top << s.left << s.bottom
       << s.right << (s.bf16 ? ", bf16" : ", block " + std::to_string(s.block));
}

ConvolutionReference::ConvolutionReference(const ConvolutionSizes& given)
    : sizes(given),
      source(random_values(given.batch * given.in * given.height * given.width, 1, given.bf16)),
      weights(random_values(given.out * given.in * given.filter(), 2)),
      gradient(random_values(given.batch * given.out * given.out_height() * given.out_width(), 3,
                             given.bf16)),
      result(gradient.size()),
      source_gradient(source.size()),
      weights_gradient(weights.size()) {
  for_each_product(sizes, [this](std::size_t to, std::size_t from, std::size_t weight) {
    result[to] += double{source[from]} * double{weights[weight]};
    source_gradient[from] += double{gradient[to]} * double{weights[weight]};
    weights_gradient[weight] += double{gradient[to]} * double{source[from]};
  });
}

std::vector<float> blocked_images(const std::vector<float>& plain, std::size_t batch,
                                  std::size_t channels, std::size_t pixels, std::size_t block) {
  const std::size_t padded = whole_blocks(channels, block);
  std::vector<float> blocked(batch * padded * pixels);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    blocked[image_index(i / (channels * pixels), i / pixels % channels, i % pixels, padded, pixels,
                        block)] = plain[i];
  }
  return blocked;
}

std::vector<float> plain_images(const std::vector<float>& blocked, std::size_t batch,
                                std::size_t channels, std::size_t pixels, std::size_t block) {
  const std::size_t padded = whole_blocks(channels, block);
  std::vector<float> plain(batch * channels * pixels);
  for (std::size_t i = 0; i < batch * padded * pixels; ++i) {
    const std::size_t image = i / (padded * pixels), channel = i / pixels % padded;
    const float value = blocked[image_index(image, channel, i % pixels, padded, pixels, block)];
    if (channel < channels) {
      plain[(image * channels + channel) * pixels + i % pixels] = value;
    } else {
      EXPECT_EQ(value, 0.0f) << "padding, channel " << channel;
    }
  }
  return plain;
}

std::vector<float> blocked_weights(const std::vector<float>& plain, const ConvolutionSizes& sizes) {
  std::vector<float> blocked(whole_blocks(sizes.out, sizes.block) *
                             whole_blocks(sizes.in, sizes.block) * sizes.filter());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    blocked[weight_index(i / (sizes.in * sizes.filter()), i / sizes.filter() % sizes.in,
                         i % sizes.filter(), sizes)] = plain[i];
  }
  return blocked;
}

std::vector<float> plain_weights(const std::vector<float>& blocked, const ConvolutionSizes& sizes) {
  std::vector<float> plain(sizes.out * sizes.in * sizes.filter());
  const std::size_t in_padded = whole_blocks(sizes.in, sizes.block);
  for (std::size_t i = 0; i < blocked.size(); ++i) {
    const std::size_t out = i / (in_padded * sizes.filter());
    const std::size_t in = i / sizes.filter() % in_padded;
    const float value = blocked[weight_index(out, in, i % sizes.filter(), sizes)];
    if (out < sizes.out && in < sizes.in) {
      plain[(out * sizes.in + in) * sizes.filter() + i % sizes.filter()] = value;
    } else {
      EXPECT_EQ(value, 0.0f) << "padding, channels " << out << " and " << in;
    }
  }
  return plain;
}

WinogradResults compute_winograd(const ConvolutionReference& reference, std::size_t threads,
                                 const cpu::WinogradResultOptions& options) {
  omp_set_num_threads(static_cast<int>(threads));
  const ConvolutionSizes& s = reference.sizes;
  const cpu::WinogradShape shape = s.shape();
  const std::size_t in_pixels = s.height * s.width;
  const std::size_t out_pixels = s.out_height() * s.out_width();
  StoredImages source(reference.source, s, s.in, in_pixels);
  StoredImages gradient(reference.gradient, s, s.out, out_pixels);
  StoredImages result(std::vector<float>(reference.gradient.size()), s, s.out, out_pixels);
  StoredImages source_gradient(std::vector<float>(reference.source.size()), s, s.in, in_pixels);
  const auto weights = blocked_weights(reference.weights, s);
  Scratch scratch(std::max({cpu::winograd_forward_scratch(shape, threads),
                            cpu::winograd_backward_data_scratch(shape, threads),
                            cpu::winograd_backward_weights_scratch(shape, threads)}));
  std::vector<float> weights_gradient(weights.size());
  cpu::winograd_forward(shape, source.data(), weights.data(), options, result.data(),
                        scratch.data(), threads);
  cpu::winograd_backward_data(shape, gradient.data(), weights.data(), source_gradient.data(),
                              scratch.data(), threads);
  cpu::winograd_backward_weights(shape, source.data(), gradient.data(), weights_gradient.data(),
                                 scratch.data(), threads);
  std::vector<float> bias_gradient(s.out);
  cpu::winograd_backward_bias(shape, gradient.data(), bias_gradient.data(), s.out);
  return {result.plain(), source_gradient.plain(), plain_weights(weights_gradient, s),
          bias_gradient};
}

double relative_error(const std::vector<float>& values, const std::vector<double>& expected) {
  double error = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = double{values[i]} - expected[i];
    error += difference * difference;
    size += expected[i] * expected[i];
  }
  return std::sqrt(error / size);
}

}  // namespace convoy::test
