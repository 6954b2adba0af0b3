#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/runtime/step_breakdown.hpp"

namespace convoy::report {

// One pass of one layer in a mean step.
struct PassProfile {
  bool recorded = false;
  double seconds = 0;         // the layer's own computation
  double helper_seconds = 0;  // reorders and sums around it
  double flops = 0;           // from the layer's shape; 0 if memory is the limit
  double bytes = 0;           // from the layer's shape: each tensor counts once
  std::string implementation;
};

struct LayerProfile {
  std::string name;
  std::string kind;                   // "convolution" ...
  std::array<PassProfile, 3> passes;  // forward, backward data, backward weights
};

// The results of --profile, averaged over the devices, and the rates that the machine can reach.
struct ProfileRecord {
  std::uint32_t devices = 1;
  double multiply_rate = 0;  // rate of one device: f32 floating-point operations per second
  double stream_rate = 0;    // rate of one device: bytes per second
  double step_seconds = 0;
  // Bytes of one device in all layers but convolutions and fully connected ones.
  double unavoidable_bytes = 0;
  std::vector<LayerProfile> layers;  // in the model's order; only layers that took time
  // The number of passes of convolutions and fully connected layers in the model, and the passes
  // for which the device reported no time. If any is missing, primitives_seconds() is too low.
  std::int64_t expected_passes = 0;
  std::vector<std::string> missing_passes;

  // Returns the seconds in convolutions and fully connected layers, without reorders and sums
  // around them.
  double primitives_seconds() const;
  // Returns the least time of a step: its primitives, and the unavoidable bytes at the stream rate.
  double least_seconds() const;
};

// Returns whether these layers' time counts as primitives.
bool is_primitive(const LayerProfile& layer);

constexpr std::array<const char*, 3> kPassNames = {"forward", "backward_data", "backward_weights"};

// Returns a text for a screen of 110 columns: a line per layer, sums by kind, and the step's parts.
std::string profile_table(const ProfileRecord& profile, const runtime::StepBreakdown& breakdown);

nlohmann::ordered_json to_json(const ProfileRecord& profile);
nlohmann::ordered_json to_json(const runtime::StepBreakdown& breakdown);
// Reads such a breakdown. Throws nlohmann::json::exception for anything else.
runtime::StepBreakdown read_breakdown(const nlohmann::ordered_json& json);

}  // namespace convoy::report
