// The layers of one replica, ready to compute.
#pragma once

#include <convoy/abi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "layer.hpp"

class Program {
 public:
  // Throws std::invalid_argument with the reason when this device cannot compute it.
  explicit Program(const convoy_compilation& what);

  // Run the layers of one segment, in their order and in reverse order.
  void forward(const convoy_submission& submission);
  void backward(const convoy_submission& submission);

  std::size_t activation_bytes() const;

 private:
  convoy_compilation what_;                      // its graph lives as long as this program
  std::vector<std::unique_ptr<Values>> values_;  // per layer
  std::vector<std::unique_ptr<Layer>> layers_;
};
