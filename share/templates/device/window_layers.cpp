// Layers whose outputs read a window of their inputs: convolutions and pools.
#include <algorithm>
#include <limits>

#include "layers.hpp"

namespace {

// Calls body(output cell, input cell) for all windows of a plane at one position of the kernel, if
// that position is on the image. Cells are numbered row by row.
template <typename Body>
void for_each_window(const convoy_node& node, const Values& input, std::size_t kernel_row,
                     std::size_t kernel_column, const Body& body) {
  const convoy_layer& layer = *node.layer;
  for (std::size_t y = 0; y < node.height; ++y) {
    const std::size_t row = y * layer.stride_height + kernel_row - node.pad_top;
    if (row >= input.height) continue;  // above the image, the unsigned number wraps around
    for (std::size_t x = 0; x < node.width; ++x) {
      const std::size_t column = x * layer.stride_width + kernel_column - node.pad_left;
      if (column < input.width) body(y * node.width + x, row * input.width + column);
    }
  }
}

class Convolution : public Layer {
 public:
  using Layer::Layer;

  void forward(const Step& step) override {
    const float* weights = parameters(step, 0);
    const float* bias = parameters(step, 1);
    Values& out = output();
    for (std::size_t i = 0; i < out.data.size(); ++i)
      out.data[i] = bias == nullptr ? 0.0f : bias[i / out.plane() % out.channels];
    for_each_filter([&](const Filter& it) {
      const float weight = weights[it.weight];
      for (std::size_t image = 0; image < batch(); ++image) {
        float* to = out.data.data() + image * out.image() + it.to * out.plane();
        const float* from = input().data.data() + image * input().image() + it.from * plane();
        for_each_window(
            node(), input(), it.row, it.column,
            [&](std::size_t cell, std::size_t seen) { to[cell] += weight * from[seen]; });
      }
    });
  }

  void backward(const Step& step) override {
    const float* weights = parameters(step, 0);
    float* weight_gradients = gradients(step, 0);
    const Values& out = output();
    for_each_filter([&](const Filter& it) {
      double sum = 0;
      for (std::size_t image = 0; image < batch(); ++image) {
        const std::size_t first = image * input().image() + it.from * plane();
        const float* gradient = out.gradient.data() + image * out.image() + it.to * out.plane();
        const float* from = input().data.data() + first;
        float* back = input().gradient.data() + first;
        const float weight = weights[it.weight];
        for_each_window(node(), input(), it.row, it.column,
                        [&](std::size_t cell, std::size_t seen) {
                          sum += static_cast<double>(gradient[cell]) * from[seen];
                          back[seen] += weight * gradient[cell];
                        });
      }
      weight_gradients[it.weight] = static_cast<float>(sum);
    });
    if (float* bias_gradients = gradients(step, 1)) add_up_bias(bias_gradients);
  }

 private:
  // One weight: the channels that it connects, and its position in the kernel.
  struct Filter {
    std::size_t weight, to, from, row, column;
  };

  std::size_t plane() const { return input().plane(); }

  template <typename Body>
  void for_each_filter(const Body& body) const {
    const std::size_t groups = std::max<std::size_t>(layer().groups, 1);
    const std::size_t from_each = input().channels / groups;
    const std::size_t to_each = output().channels / groups;
    std::size_t weight = 0;
    for (std::size_t to = 0; to < output().channels; ++to)
      for (std::size_t i = 0; i < from_each; ++i)
        for (std::size_t row = 0; row < layer().kernel_height; ++row)
          for (std::size_t column = 0; column < layer().kernel_width; ++column)
            body(Filter{weight++, to, to / to_each * from_each + i, row, column});
  }

  void add_up_bias(float* bias_gradients) const {
    const Values& out = output();
    std::vector<double> sums(out.channels, 0.0);
    for (std::size_t i = 0; i < out.gradient.size(); ++i)
      sums[i / out.plane() % out.channels] += out.gradient[i];
    std::copy(sums.begin(), sums.end(), bias_gradients);
  }
};

class Pool : public Layer {
 public:
  using Layer::Layer;

 protected:
  // Calls body(output element, input element) for every pair that a window connects.
  template <typename Body>
  void for_each_pair(const Body& body) const {
    for (std::size_t row = 0; row < layer().kernel_height; ++row)
      for (std::size_t column = 0; column < layer().kernel_width; ++column)
        for (std::size_t plane = 0; plane < batch() * output().channels; ++plane)
          for_each_window(node(), input(), row, column, [&](std::size_t cell, std::size_t seen) {
            body(plane * output().plane() + cell, plane * input().plane() + seen);
          });
  }
};

// The gradient goes to the first of the largest inputs.
class MaxPool : public Pool {
 public:
  using Pool::Pool;

  void forward(const Step&) override {
    Values& out = output();
    std::fill(out.data.begin(), out.data.end(), -std::numeric_limits<float>::infinity());
    largest_.assign(out.data.size(), 0);
    for_each_pair([&](std::size_t to, std::size_t from) {
      if (!(input().data[from] > out.data[to])) return;
      out.data[to] = input().data[from];
      largest_[to] = from;
    });
  }

  void backward(const Step&) override {
    for (std::size_t i = 0; i < largest_.size(); ++i)
      input().gradient[largest_[i]] += output().gradient[i];
  }

 private:
  std::vector<std::size_t> largest_;  // per output: the input element with the largest value
};

// Cells beyond the image do not count.
class AveragePool : public Pool {
 public:
  explicit AveragePool(LayerParts parts) : Pool(std::move(parts)), cells_(output().data.size()) {
    for_each_pair([&](std::size_t to, std::size_t) { ++cells_[to]; });
  }

  void forward(const Step&) override {
    Values& out = output();
    std::fill(out.data.begin(), out.data.end(), 0.0f);
    for_each_pair([&](std::size_t to, std::size_t from) { out.data[to] += input().data[from]; });
    for (std::size_t i = 0; i < out.data.size(); ++i) out.data[i] /= cells_[i];
  }

  void backward(const Step&) override {
    for_each_pair([&](std::size_t to, std::size_t from) {
      input().gradient[from] += output().gradient[to] / cells_[to];
    });
  }

 private:
  std::vector<float> cells_;  // per output: how many cells it averages
};

}  // namespace

std::unique_ptr<Layer> make_convolution(LayerParts parts) {
  return std::make_unique<Convolution>(std::move(parts));
}

std::unique_ptr<Layer> make_max_pool(LayerParts parts) {
  return std::make_unique<MaxPool>(std::move(parts));
}

std::unique_ptr<Layer> make_average_pool(LayerParts parts) {
  return std::make_unique<AveragePool>(std::move(parts));
}
