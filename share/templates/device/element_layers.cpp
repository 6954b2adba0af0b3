// Layers that treat elements separately, and the fully connected layer, which treats images
// separately.
#include <algorithm>
#include <limits>

#include "layers.hpp"

namespace {

class Input : public Layer {
 public:
  using Layer::Layer;

  void forward(const Step& step) override {
    std::copy_n(step.compute->images, output().data.size(), output().data.begin());
  }
  void backward(const Step&) override {}
};

class Relu : public Layer {
 public:
  explicit Relu(LayerParts parts)
      : Layer(std::move(parts)),
        limit_(layer().limit > 0 ? static_cast<float>(layer().limit)
                                 : std::numeric_limits<float>::infinity()) {}

  void forward(const Step&) override {
    for (std::size_t i = 0; i < output().data.size(); ++i)
      output().data[i] = std::clamp(input().data[i], 0.0f, limit_);
  }

  void backward(const Step&) override {
    for (std::size_t i = 0; i < output().data.size(); ++i)
      if (output().data[i] > 0 && output().data[i] < limit_)
        input().gradient[i] += output().gradient[i];
  }

 private:
  float limit_;
};

class Add : public Layer {
 public:
  using Layer::Layer;

  void forward(const Step&) override {
    output().data = input().data;
    for (std::size_t other = 1; other < inputs().size(); ++other)
      for (std::size_t i = 0; i < output().data.size(); ++i)
        output().data[i] += inputs()[other]->data[i];
  }

  void backward(const Step&) override {
    for (Values* from : inputs())
      for (std::size_t i = 0; i < output().data.size(); ++i)
        from->gradient[i] += output().gradient[i];
  }
};

// A hash of seed, replica, layer, step and position decides whether an element is kept. So backward
// drops the same elements as forward, and the same seed gives the same training.
class Dropout : public Layer {
 public:
  explicit Dropout(LayerParts parts)
      : Layer(std::move(parts)),
        drops_((what().flags & CONVOY_COMPILE_DROPOUT) != 0 && !inference()) {}

  void forward(const Step& step) override {
    for (std::size_t i = 0; i < output().data.size(); ++i)
      output().data[i] = factor(step.number, i) * input().data[i];
  }

  void backward(const Step& step) override {
    for (std::size_t i = 0; i < output().data.size(); ++i)
      input().gradient[i] += factor(step.number, i) * output().gradient[i];
  }

 private:
  // The mixing function of SplitMix64.
  static std::uint64_t mix(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
  }

  float factor(std::uint64_t step, std::size_t element) const {
    if (!drops_) return 1.0f;
    std::uint64_t hash = mix(what().seed);
    for (const std::uint64_t part :
         {std::uint64_t{what().replica}, std::uint64_t{index()}, step, std::uint64_t{element}})
      hash = mix(hash ^ part);
    const double uniform = static_cast<double>(hash >> 11) * 0x1p-53;
    return uniform < layer().keep ? static_cast<float>(1 / layer().keep) : 0.0f;
  }

  bool drops_;
};

class FullyConnected : public Layer {
 public:
  using Layer::Layer;

  void forward(const Step& step) override {
    const float* weights = parameters(step, 0);
    const float* bias = parameters(step, 1);
    for (std::size_t image = 0; image < batch(); ++image)
      for (std::size_t unit = 0; unit < output().channels; ++unit) {
        const float* from = input().data.data() + image * input().image();
        const float* row = weights + unit * input().image();
        double sum = bias == nullptr ? 0.0 : bias[unit];
        for (std::size_t i = 0; i < input().image(); ++i)
          sum += static_cast<double>(row[i]) * from[i];
        output().data[image * output().channels + unit] = static_cast<float>(sum);
      }
  }

  void backward(const Step& step) override {
    const float* weights = parameters(step, 0);
    float* weight_gradients = gradients(step, 0);
    float* bias_gradients = gradients(step, 1);
    const std::size_t width = input().image();
    std::fill_n(weight_gradients, output().channels * width, 0.0f);
    for (std::size_t unit = 0; unit < output().channels; ++unit) {
      double sum = 0;
      for (std::size_t image = 0; image < batch(); ++image) {
        const float gradient = output().gradient[image * output().channels + unit];
        const float* from = input().data.data() + image * width;
        float* back = input().gradient.data() + image * width;
        sum += gradient;
        for (std::size_t i = 0; i < width; ++i) {
          weight_gradients[unit * width + i] += gradient * from[i];
          back[i] += gradient * weights[unit * width + i];
        }
      }
      if (bias_gradients != nullptr) bias_gradients[unit] = static_cast<float>(sum);
    }
  }
};

}  // namespace

std::unique_ptr<Layer> make_input(LayerParts parts) {
  return std::make_unique<Input>(std::move(parts));
}

std::unique_ptr<Layer> make_relu(LayerParts parts) {
  return std::make_unique<Relu>(std::move(parts));
}

std::unique_ptr<Layer> make_add(LayerParts parts) {
  return std::make_unique<Add>(std::move(parts));
}

std::unique_ptr<Layer> make_dropout(LayerParts parts) {
  return std::make_unique<Dropout>(std::move(parts));
}

std::unique_ptr<Layer> make_fully_connected(LayerParts parts) {
  return std::make_unique<FullyConnected>(std::move(parts));
}
