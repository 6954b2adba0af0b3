// The layers by kind. Each function makes a layer of its kind from its parts.
#pragma once

#include <memory>

#include "layer.hpp"

std::unique_ptr<Layer> make_input(LayerParts parts);
std::unique_ptr<Layer> make_convolution(LayerParts parts);
std::unique_ptr<Layer> make_max_pool(LayerParts parts);
std::unique_ptr<Layer> make_average_pool(LayerParts parts);
std::unique_ptr<Layer> make_fully_connected(LayerParts parts);
std::unique_ptr<Layer> make_batch_norm(LayerParts parts);
std::unique_ptr<Layer> make_local_response_norm(LayerParts parts);
std::unique_ptr<Layer> make_concat(LayerParts parts);
std::unique_ptr<Layer> make_pad_channels(LayerParts parts);
std::unique_ptr<Layer> make_relu(LayerParts parts);
std::unique_ptr<Layer> make_add(LayerParts parts);
std::unique_ptr<Layer> make_dropout(LayerParts parts);
std::unique_ptr<Layer> make_softmax_cross_entropy(LayerParts parts);
std::unique_ptr<Layer> make_mean_loss(LayerParts parts);
