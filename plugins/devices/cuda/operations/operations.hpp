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

// Queues the operations on regions. Called by one thread. matmul, dot and top_k have memory to
// compute in, one piece each: the host submits them to one lane, CONVOY_LANE_UPDATE, on whose
// stream they come one after the other.
class Operations {
 public:
  Operations() = default;
  ~Operations();
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  // result: pinned memory for what the operation tells the host, copied there by the caller.
  // values: device memory with what changes from step to step; null = the submission's own.
  void run(const convoy_submission& operation, Stream stream, PinnedSlots::Slot* result,
           const StepValues* values);
  // Appends which memory of this object the operation's work uses. False: it has to be made first,
  // by running it.
  bool describe(const convoy_submission& operation, Signature& signature) const;

 private:
  // What an update needs on the device, kept from step to step.
  struct Table {
    std::vector<UpdateBlock> blocks;
    std::uint64_t number = 0;  // no two tables of a device have the same
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
  void* workspace_ = nullptr;   // of matrix products
  double* partials_ = nullptr;  // of inner products
  Compression compression_;
};

}  // namespace convoy::cuda
