#pragma once

#include <convoy/abi.h>

#include <map>
#include <memory>
#include <vector>

#include "plugins/devices/cuda/kernels/update.hpp"
#include "plugins/devices/cuda/matrix_product.hpp"
#include "plugins/devices/cuda/pinned_slots.hpp"

namespace convoy::cuda {

// Queues the operations on regions. Called by one thread.
class Operations {
 public:
  Operations() = default;
  ~Operations();
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  // result: pinned memory for what the operation tells the host, copied there by the caller.
  void run(const convoy_submission& operation, Stream stream, PinnedSlots::Slot* result);

 private:
  // What an update needs on the device, kept from step to step.
  struct Table {
    std::vector<UpdateBlock> blocks;
    UpdateBlock* on_device = nullptr;
    double* partial = nullptr;
  };

  const Table& table_of(const convoy_submission& operation, std::uint64_t count, Stream stream);
  void sum(const convoy_submission& operation, Stream stream);
  void apply(const convoy_submission& operation, Stream stream, double* result);
  void norm(const convoy_submission& operation, Stream stream, double* result);
  void multiply(const convoy_submission& operation, Stream stream);

  std::map<const convoy_update*, Table> tables_;
  MatrixHandle matrices_;
  void* workspace_ = nullptr;  // of matrix products
};

}  // namespace convoy::cuda
