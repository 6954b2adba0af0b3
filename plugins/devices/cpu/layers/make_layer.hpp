#pragma once

#include <convoy/abi.h>

#include <memory>

#include "plugins/devices/cpu/layers/layer.hpp"

namespace convoy::cpu {

// Throws for a kind or a flag that this version does not know.
std::unique_ptr<Layer> make_layer(const convoy_layer& layer);

}  // namespace convoy::cpu
