#pragma once

#include <cstddef>

#include "plugins/devices/cpu/kernels/channels_last.hpp"
#include "plugins/devices/cpu/norms/fused_batch_norm.hpp"

namespace convoy::cpu {

// Batch norm of bf16 activations with channels last, with the sum and the relu behind it. Every
// pass reads memory from front to back, twice: once for the sums, once for the result.
//
// Sums are taken over stretches of cells that follow from the shape alone and are added in their
// order: the team's size changes no bit.
class ChannelsLastNorm {
 public:
  explicit ChannelsLastNorm(const ChannelsLast& shape);

  // Bytes of memory that both passes need for their own use.
  std::size_t scratch_bytes() const;

  // On the calling thread's team.
  void forward(const NormForward<Bf16>& what, void* scratch) const;
  void backward(const NormBackward<Bf16>& what, void* scratch) const;

 private:
  // Views of the scratch memory, for the channels of the cells that are taken as one. Sums: two per
  // channel for every stretch of cells.
  struct Scratch {
    double* sums;
    float* mean;  // or what distances are taken to before it is known
    float* scale;
    float* shift;
    float* offset;
    float* slope;
  };

  Scratch scratch_of(void* memory) const;
  double* sums_of(const Scratch& scratch, std::size_t stretch) const {
    return scratch.sums + stretch * 2 * taken_.channels;
  }
  // Calls body(stretch, first element, cells) for every stretch, on the team.
  template <typename Body>
  void each_stretch(const Body& body) const;
  void add_stretches(const Scratch& scratch) const;
  void take_statistics(const NormForward<Bf16>& what, const Scratch& scratch) const;
  void choose_pivot(const Bf16* read, float* pivot) const;
  // One cell's values for all cells that are taken as one.
  void repeat(float* values) const;
  template <typename Pass>
  NormConstants constants_of(const Pass& what, const Scratch& scratch) const;
  void take_gradients(const NormBackward<Bf16>& what, const Scratch& scratch) const;

  ChannelsLast shape_, taken_;  // neighbouring cells of few channels are taken as one
  std::size_t stretches_, stretch_cells_;
};

}  // namespace convoy::cpu
