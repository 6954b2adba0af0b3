#pragma once

// Fully connected layers and a softmax loss, computed by their definition.

#include <convoy/device.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

class InlineProgram {
 public:
  explicit InlineProgram(const convoy_compilation& what) : what_(what) {
    if (what.dtype != CONVOY_F32) throw std::invalid_argument("only float32");
    for (std::uint64_t n = 0; n < what.graph->node_count; ++n) {
      const convoy_node& node = *what.graph->nodes[n];
      const std::uint32_t kind = node.layer->kind;
      if (kind != CONVOY_LAYER_INPUT && kind != CONVOY_LAYER_FULLY_CONNECTED &&
          kind != CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY)
        throw std::invalid_argument("layers of kind " + std::to_string(kind) +
                                    " are not supported");
      values_.emplace_back(what.batch * width(n));
      gradients_.emplace_back(what.batch * width(n));
    }
  }

  void forward(const convoy_compute& it) {
    for (std::uint64_t n = 0; n < what_.graph->node_count; ++n) {
      if (node(n).segment != it.segment && n > 0) continue;
      if (n == 0) values_[0].assign(it.images, it.images + values_[0].size());
      if (node(n).layer->kind == CONVOY_LAYER_FULLY_CONNECTED) connect(n, it);
      if (node(n).layer->kind == CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY) *it.loss = softmax(n, it);
    }
  }

  void backward(const convoy_compute& it) {
    for (std::uint64_t n = what_.graph->node_count; n-- > 1;) {
      if (node(n).segment != it.segment) continue;
      if (node(n).layer->kind == CONVOY_LAYER_FULLY_CONNECTED)
        connect_backward(n, it);
      else
        softmax_backward(n, it);
    }
  }

 private:
  const convoy_node& node(std::uint64_t n) const { return *what_.graph->nodes[n]; }
  std::uint64_t input(std::uint64_t n) const { return node(n).layer->inputs[0]; }
  std::uint64_t width(std::uint64_t n) const {
    return std::uint64_t{node(n).channels} * node(n).height * node(n).width;
  }
  std::uint64_t first(std::uint64_t n, int which) const {
    return what_.graph->variables[node(n).variables[which]]->arena_first;
  }

  void connect(std::uint64_t n, const convoy_compute& it) {
    const std::uint64_t from = width(input(n));
    const float* weights = it.parameters + first(n, 0);
    const bool biased = node(n).variables[1] != CONVOY_NONE;
    for (std::uint64_t b = 0; b < what_.batch; ++b)
      for (std::uint64_t o = 0; o < width(n); ++o) {
        float total = biased ? it.parameters[first(n, 1) + o] : 0;
        for (std::uint64_t i = 0; i < from; ++i)
          total += weights[o * from + i] * values_[input(n)][b * from + i];
        values_[n][b * width(n) + o] = total;
      }
  }

  void connect_backward(std::uint64_t n, const convoy_compute& it) {
    const std::uint64_t from = width(input(n));
    const std::uint64_t to = width(n);
    const bool biased = node(n).variables[1] != CONVOY_NONE;
    std::fill_n(it.gradients + first(n, 0), to * from, 0.0f);
    if (biased) std::fill_n(it.gradients + first(n, 1), to, 0.0f);
    std::ranges::fill(gradients_[input(n)], 0.0f);
    for (std::uint64_t b = 0; b < what_.batch; ++b)
      for (std::uint64_t o = 0; o < to; ++o) {
        const float gradient = gradients_[n][b * to + o];
        if (biased) it.gradients[first(n, 1) + o] += gradient;
        for (std::uint64_t i = 0; i < from; ++i) {
          it.gradients[first(n, 0) + o * from + i] += gradient * values_[input(n)][b * from + i];
          gradients_[input(n)][b * from + i] +=
              gradient * it.parameters[first(n, 0) + o * from + i];
        }
      }
  }

  // Leaves the probabilities; the mean loss of the batch.
  double softmax(std::uint64_t n, const convoy_compute& it) {
    const std::uint64_t classes = width(n);
    double loss = 0;
    for (std::uint64_t b = 0; b < what_.batch; ++b) {
      const float* logits = values_[input(n)].data() + b * classes;
      const float largest = *std::max_element(logits, logits + classes);
      float total = 0;
      for (std::uint64_t c = 0; c < classes; ++c)
        total += values_[n][b * classes + c] = std::exp(logits[c] - largest);
      for (std::uint64_t c = 0; c < classes; ++c) values_[n][b * classes + c] /= total;
      loss -= std::log(values_[n][b * classes + static_cast<std::uint64_t>(it.labels[b])]);
    }
    return loss / what_.batch;
  }

  void softmax_backward(std::uint64_t n, const convoy_compute& it) {
    const std::uint64_t classes = width(n);
    for (std::uint64_t b = 0; b < what_.batch; ++b)
      for (std::uint64_t c = 0; c < classes; ++c) {
        const bool right = static_cast<std::uint64_t>(it.labels[b]) == c;
        gradients_[input(n)][b * classes + c] =
            (values_[n][b * classes + c] - (right ? 1.0f : 0.0f)) / static_cast<float>(what_.batch);
      }
  }

  const convoy_compilation what_;
  std::vector<std::vector<float>> values_;     // per node: of what it gives
  std::vector<std::vector<float>> gradients_;  // likewise
};
