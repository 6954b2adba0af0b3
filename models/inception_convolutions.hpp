#pragma once

#include <convoy/model.hpp>

// Convolutions as the Inception family has them: batch norm without gamma, then a ReLU.
namespace inception {

inline convoy::LayerId conv(convoy::GraphBuilder& g, convoy::LayerId x, uint32_t channels,
                            convoy::Size kernel = 1) {
  return g.conv(x, channels,
                {.kernel = kernel, .batch_norm = convoy::BatchNormOptions{}, .relu = true});
}

inline convoy::LayerId conv_valid(convoy::GraphBuilder& g, convoy::LayerId x, uint32_t channels,
                                  convoy::Size kernel, convoy::Size stride = 1) {
  return g.conv(x, channels,
                {.kernel = kernel,
                 .stride = stride,
                 .padding = convoy::Padding::kValid,
                 .batch_norm = convoy::BatchNormOptions{},
                 .relu = true});
}

}  // namespace inception
