#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace convoy {

// Where a mean timed step's seconds went, averaged over the devices: the five parts add up to the
// step.
struct BreakdownRecord {
  struct Operations {
    double per_step = 0;  // how many, of all devices and hosts
    double seconds = 0;   // per step, likewise
  };

  double seconds = 0;
  double compute = 0;      // forward and backward
  double aggregation = 0;  // other operations, of this device or of one that it waits for, while it
                           // did not compute
  double network = 0;      // nothing ran, and something was on its way from or to another host
  double input_wait = 0;   // nothing ran, and a batch was waited for
  double executor = 0;     // nothing ran otherwise
  std::map<std::string, Operations> operations;  // by kind, forward and backward included
  // Of `network`, by the number of the other host; several that were waited for count each.
  std::map<std::uint32_t, double> network_by_host;
};

// One pass of one layer in a mean step.
struct PassProfile {
  bool recorded = false;
  double seconds = 0;         // the layer's own computation
  double helper_seconds = 0;  // reorders and sums around it
  double flops = 0;           // by the layer's shape; 0 where memory is the limit
  double bytes = 0;           // likewise: each tensor once
  std::string implementation;
};

struct LayerProfile {
  std::string name;
  std::string kind;                   // "convolution" ...
  std::array<PassProfile, 3> passes;  // forward, backward data, backward weights
};

// What --profile found, averaged over the devices, and what the machine can do beside it.
struct ProfileRecord {
  std::uint32_t devices = 1;
  double multiply_rate = 0;  // of one device: f32 floating-point operations per second
  double stream_rate = 0;    // of one device: bytes per second
  double step_seconds = 0;
  double unavoidable_bytes = 0;  // of one device: beside convolutions and fully connected layers
  std::vector<LayerProfile> layers;  // in the model's order; those that took time
  // Passes that the model's convolutions and fully connected layers have, and those of them that
  // the device has no time of: then primitives_seconds() is not the step's own.
  std::int64_t expected_passes = 0;
  std::vector<std::string> missing_passes;

  // Of convolutions and fully connected layers, without the reorders and sums around them.
  double primitives_seconds() const;
  // What a step needs at least: its primitives and the unavoidable bytes at the stream rate.
  double least_seconds() const;
};

// Whether these layers' time counts as primitives.
bool is_primitive(const LayerProfile& layer);

constexpr std::array<const char*, 3> kPassNames = {"forward", "backward_data", "backward_weights"};

// For reading on a screen of 110 columns: a line per layer, sums by kind, the step's parts.
std::string profile_table(const ProfileRecord& profile, const BreakdownRecord& breakdown);

}  // namespace convoy
