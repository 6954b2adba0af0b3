#pragma once

#include <convoy/abi.h>

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "plugins/devices/cuda/graphs/run_work.hpp"
#include "plugins/devices/cuda/kernels/step_values.hpp"
#include "plugins/devices/cuda/kernels/update.hpp"
#include "plugins/devices/cuda/lanes/pinned_slots.hpp"
#include "plugins/devices/cuda/libraries/matrix_product.hpp"
#include "plugins/devices/cuda/operations/compression.hpp"

namespace convoy::cuda {

// Queues the operations on regions. One thread calls it. matmul, dot and top_k have one piece of
// work memory each. The host submits them to one lane, CONVOY_LANE_UPDATE, so they run one after
// the other on its stream.
class Operations {
 public:
  Operations() = default;
  ~Operations();
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  // result: pinned memory for results for the host; the caller copies them there. values: device
  // memory with the values that change from step to step; null = the submission's own.
  void run(const convoy_submission& operation, Stream stream, PinnedSlots::Slot* result,
           const StepValues* values);
  // Appends the memory of this object that the operation's work uses. Returns false if running the
  // operation has to make that memory first.
  bool describe(const convoy_submission& operation, Signature& signature) const;

 private:
  // An update's data on the device, kept from step to step.
  struct Table {
    std::vector<UpdateBlock> blocks;
    std::uint64_t number = 0;  // unique among the tables of a device
    UpdateBlock* on_device = nullptr;
    double* partial = nullptr;
  };

  const Table& table_of(const convoy_submission& operation, std::uint64_t count, Stream stream);
  void sum(const convoy_submission& operation, Stream stream);
  void apply(const convoy_submission& operation, Stream stream, double* result,
             const StepValues* values);
  void norm(const convoy_submission& operation, Stream stream, double* result);
  void matmul(const convoy_submission& operation, Stream stream);
  void inner_product(const convoy_submission& operation, Stream stream);
  bool run_algebra(const convoy_submission& operation, Stream stream);

  std::map<const convoy_update*, Table> tables_;
  std::uint64_t tables_made_ = 0;
  MatrixHandle matrices_;
  // By sizes and transpositions: cuBLASLt is asked once for each.
  std::map<std::array<std::uint64_t, 6>, MatrixProduct> products_;
  void* workspace_ = nullptr;   // for matrix products
  double* partials_ = nullptr;  // for inner products
  Compression compression_;
};

}  // namespace convoy::cuda
