#pragma once

#include <memory>

#include "core/conformance/conformance.hpp"
#include "core/conformance/training_case.hpp"

namespace convoy::conformance {

// Compiles a graph. Throws Unsupported with the device's reason if it does not compile it.
std::unique_ptr<TrainingCase> compile_case(const plugin::DevicePlugin& plugin, TestedDevice& device,
                                           const graph::Graph& graph,
                                           const TrainingOptions& options);

}  // namespace convoy::conformance
