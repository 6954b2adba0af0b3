// The last layer of a network. It returns the loss to the host, and its gradient starts the
// backward pass.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "layers.hpp"

namespace {

// The host may scale the gradient, so that small values survive in 16 bits. The loss is not scaled.
float loss_scale(const Step& step) {
  return step.compute->loss_scale == nullptr ? 1.0f : *step.compute->loss_scale;
}

class MeanLoss : public Layer {
 public:
  using Layer::Layer;

  void forward(const Step& step) override {
    const std::vector<float>& values = input().data;
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    *step.compute->loss = sum / static_cast<double>(values.size());
  }

  void backward(const Step& step) override {
    const float each = loss_scale(step) / static_cast<float>(input().data.size());
    for (float& gradient : input().gradient) gradient += each;
  }
};

class SoftmaxCrossEntropy : public Layer {
 public:
  explicit SoftmaxCrossEntropy(LayerParts parts)
      : Layer(std::move(parts)), classes_(input().image()) {}

  void forward(const Step& step) override {
    double total = 0;
    std::uint64_t hits[2] = {0, 0};
    for (std::size_t image = 0; image < batch(); ++image) {
      const float* scores = input().data.data() + image * classes_;
      if (!counts(step, image)) continue;
      const std::size_t label = label_of(step, image);
      total += logarithm_of_sum(scores) - scores[label];
      const auto better = std::count_if(scores, scores + classes_,
                                        [&](float score) { return score > scores[label]; });
      hits[0] += better < 1 ? 1 : 0;
      hits[1] += better < 5 ? 1 : 0;
    }
    *step.compute->loss = total / static_cast<double>(batch());
    if ((what().flags & CONVOY_COMPILE_ACCURACY) != 0) std::copy_n(hits, 2, step.compute->hits);
  }

  void backward(const Step& step) override {
    const double scale = loss_scale(step) / static_cast<double>(batch());
    for (std::size_t image = 0; image < batch(); ++image) {
      if (!counts(step, image)) continue;
      const float* scores = input().data.data() + image * classes_;
      float* back = input().gradient.data() + image * classes_;
      const double logarithm = logarithm_of_sum(scores);
      for (std::size_t k = 0; k < classes_; ++k)
        back[k] += static_cast<float>(scale * std::exp(scores[k] - logarithm));
      back[label_of(step, image)] -= static_cast<float>(scale);
    }
  }

 private:
  // An image with the label -1 does not count in loss, hits or gradient.
  static bool counts(const Step& step, std::size_t image) {
    return step.compute->labels[image] != -1;
  }

  std::size_t label_of(const Step& step, std::size_t image) const {
    const std::int32_t label = step.compute->labels[image];
    if (label >= 0 && static_cast<std::size_t>(label) < classes_)
      return static_cast<std::size_t>(label);
    throw std::invalid_argument("label " + std::to_string(label) + " of image " +
                                std::to_string(image) + " is none of the " +
                                std::to_string(classes_) + " classes");
  }

  // Subtracts the largest score first, so that no exponential overflows.
  double logarithm_of_sum(const float* scores) const {
    const double largest = *std::max_element(scores, scores + classes_);
    double sum = 0;
    for (std::size_t k = 0; k < classes_; ++k) sum += std::exp(scores[k] - largest);
    return largest + std::log(sum);
  }

  std::size_t classes_;
};

}  // namespace

std::unique_ptr<Layer> make_softmax_cross_entropy(LayerParts parts) {
  return std::make_unique<SoftmaxCrossEntropy>(std::move(parts));
}

std::unique_ptr<Layer> make_mean_loss(LayerParts parts) {
  return std::make_unique<MeanLoss>(std::move(parts));
}
