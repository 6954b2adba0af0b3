#pragma once

#include <cstddef>

#include "plugins/devices/cpu/kernels/channels_last.hpp"
#include "plugins/devices/cpu/norms/fused_batch_norm.hpp"

namespace convoy::cpu {

// Batch norm of bf16 activations with channels last, with the sum and the relu behind it. Every
// pass reads memory from front to back twice: once for the sums, once for the result.
//
// Sums are computed over stretches of cells that depend only on the shape, and are added in order.
// So the team's size does not change the bits.
class ChannelsLastNorm {
 public:
  explicit ChannelsLastNorm(const ChannelsLast& shape);

  // Bytes of scratch memory that both passes need.
  std::size_t scratch_bytes() const;

  // Both run on the calling thread's team.
  void forward(const NormForward<Bf16>& what, void* scratch) const;
  void backward(const NormBackward<Bf16>& what, void* scratch) const;

 private:
  // Views of the scratch memory, for the channels of joined cells. Sums: two per channel for every
  // stretch of cells.
  struct Scratch {
    double* sums;
    float* mean;  // or the value to which distances are taken before the mean is known
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
  // Repeats one cell's values for all joined cells.
  void repeat(float* values) const;
  template <typename Pass>
  NormConstants constants_of(const Pass& what, const Scratch& scratch) const;
  void take_gradients(const NormBackward<Bf16>& what, const Scratch& scratch) const;

  ChannelsLast shape_, taken_;  // taken_: neighbouring cells of few channels, joined to one
  std::size_t stretches_, stretch_cells_;
};

}  // namespace convoy::cpu
