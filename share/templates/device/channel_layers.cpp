// Layers that treat channels separately, or join them.
#include <algorithm>
#include <cmath>

#include "layers.hpp"

namespace {

class BatchNorm : public Layer {
 public:
  using Layer::Layer;

  void forward(const Step& step) override {
    deviations_.assign(input().channels, 0.0);
    means_.assign(input().channels, 0.0);
    for (std::size_t channel = 0; channel < input().channels; ++channel) {
      float* moving_mean = step.compute->state + node().state_first + channel;
      float* moving_variance = moving_mean + input().channels;
      double variance = *moving_variance;
      means_[channel] = *moving_mean;
      if (!inference()) variance = measure(channel, *moving_mean, *moving_variance);
      deviations_[channel] = std::sqrt(variance + layer().epsilon);
      const double gamma = scale(step, channel);
      const float* beta = parameters(step, 1);
      for_each_element(channel, [&](std::size_t i) {
        const double value = normalised(channel, i) * gamma;
        output().data[i] = static_cast<float>(value + (beta == nullptr ? 0.0 : beta[channel]));
      });
    }
  }

  void backward(const Step& step) override {
    float* gamma_gradients = gradients(step, 0);
    float* beta_gradients = gradients(step, 1);
    for (std::size_t channel = 0; channel < input().channels; ++channel) {
      double sum = 0;
      double product = 0;
      for_each_element(channel, [&](std::size_t i) {
        sum += output().gradient[i];
        product += output().gradient[i] * normalised(channel, i);
      });
      if (gamma_gradients != nullptr) gamma_gradients[channel] = static_cast<float>(product);
      if (beta_gradients != nullptr) beta_gradients[channel] = static_cast<float>(sum);
      const double factor = scale(step, channel) / deviations_[channel];
      for_each_element(channel, [&](std::size_t i) {
        const double apart = output().gradient[i] - sum / count();
        const double shared = normalised(channel, i) * product / count();
        input().gradient[i] += static_cast<float>(factor * (apart - shared));
      });
    }
  }

 private:
  double count() const { return static_cast<double>(batch() * input().plane()); }

  double scale(const Step& step, std::size_t channel) const {
    const float* gamma = parameters(step, 0);
    return gamma == nullptr ? 1.0 : gamma[channel];
  }

  double normalised(std::size_t channel, std::size_t element) const {
    return (input().data[element] - means_[channel]) / deviations_[channel];
  }

  // Computes mean and variance of the batch and updates the moving ones, whose variance is
  // unbiased.
  double measure(std::size_t channel, float& moving_mean, float& moving_variance) {
    double sum = 0;
    for_each_element(channel, [&](std::size_t i) { sum += input().data[i]; });
    const double mean = sum / count();
    double squares = 0;
    for_each_element(channel, [&](std::size_t i) {
      squares += (input().data[i] - mean) * (input().data[i] - mean);
    });
    const double keep = layer().decay;
    const double unbiased = squares / std::max(count() - 1, 1.0);
    moving_mean = static_cast<float>(keep * moving_mean + (1 - keep) * mean);
    moving_variance = static_cast<float>(keep * moving_variance + (1 - keep) * unbiased);
    means_[channel] = mean;
    return squares / count();
  }

  template <typename Body>
  void for_each_element(std::size_t channel, const Body& body) const {
    for (std::size_t image = 0; image < batch(); ++image)
      for (std::size_t cell = 0; cell < input().plane(); ++cell)
        body(image * input().image() + channel * input().plane() + cell);
  }

  std::vector<double> means_;       // of the latest forward, per channel
  std::vector<double> deviations_;  // of the latest forward, per channel; epsilon included
};

// x / d ^ beta, where d = offset + alpha * sum of the squares of the neighbouring channels.
class LocalResponseNorm : public Layer {
 public:
  using Layer::Layer;

  void forward(const Step&) override {
    divisors_.assign(input().data.size(), layer().offset);
    for (std::size_t i = 0; i < divisors_.size(); ++i) {
      for_each_neighbour(i, [&](std::size_t other) {
        const double value = input().data[other];
        divisors_[i] += layer().alpha * value * value;
      });
      output().data[i] = static_cast<float>(input().data[i] / std::pow(divisors_[i], layer().beta));
    }
  }

  void backward(const Step&) override {
    for (std::size_t i = 0; i < divisors_.size(); ++i) {
      double neighbours = 0;
      for_each_neighbour(i, [&](std::size_t other) {
        neighbours += static_cast<double>(output().gradient[other]) * input().data[other] *
                      std::pow(divisors_[other], -layer().beta - 1);
      });
      const double own = output().gradient[i] * std::pow(divisors_[i], -layer().beta);
      const double shared = 2 * layer().alpha * layer().beta * input().data[i] * neighbours;
      input().gradient[i] += static_cast<float>(own - shared);
    }
  }

 private:
  template <typename Body>
  void for_each_neighbour(std::size_t element, const Body& body) const {
    const std::size_t channel = element / input().plane() % input().channels;
    const std::size_t first = channel - std::min<std::size_t>(channel, layer().radius);
    const std::size_t last = std::min<std::size_t>(channel + layer().radius, input().channels - 1);
    for (std::size_t other = first; other <= last; ++other)
      body(element - channel * input().plane() + other * input().plane());
  }

  std::vector<double> divisors_;  // of the latest forward
};

// Copies the channels of its inputs one after the other, each behind `before` elements of an image.
class ChannelCopy : public Layer {
 public:
  ChannelCopy(LayerParts parts, std::size_t before) : Layer(std::move(parts)), before_(before) {}

  void forward(const Step&) override {
    std::fill(output().data.begin(), output().data.end(), 0.0f);
    for_each_element(
        [&](Values& from, std::size_t i, std::size_t to) { output().data[to] = from.data[i]; });
  }

  void backward(const Step&) override {
    for_each_element([&](Values& from, std::size_t i, std::size_t to) {
      from.gradient[i] += output().gradient[to];
    });
  }

 private:
  template <typename Body>
  void for_each_element(const Body& body) const {
    std::size_t first = before_;
    for (Values* from : inputs()) {
      for (std::size_t i = 0; i < from->data.size(); ++i)
        body(*from, i, i / from->image() * output().image() + first + i % from->image());
      first += from->image();
    }
  }

  std::size_t before_;
};

}  // namespace

std::unique_ptr<Layer> make_batch_norm(LayerParts parts) {
  return std::make_unique<BatchNorm>(std::move(parts));
}

std::unique_ptr<Layer> make_local_response_norm(LayerParts parts) {
  return std::make_unique<LocalResponseNorm>(std::move(parts));
}

std::unique_ptr<Layer> make_concat(LayerParts parts) {
  return std::make_unique<ChannelCopy>(std::move(parts), 0);
}

std::unique_ptr<Layer> make_pad_channels(LayerParts parts) {
  const Values& in = *parts.inputs.front();
  const std::size_t before = (parts.output->channels - in.channels) / 2 * in.plane();
  return std::make_unique<ChannelCopy>(std::move(parts), before);
}
