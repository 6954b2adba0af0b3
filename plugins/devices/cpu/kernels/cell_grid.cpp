// Compiled once per instruction set, as kernels.cpp is.
#include "plugins/devices/cpu/kernels/cell_grid.hpp"

#include "plugins/devices/cpu/kernels/channel_lanes.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {
namespace {

constexpr std::size_t kTile = 16;  // cells whose channels stay in the cache between two passes

// How many lanes of a vector are channels, and how many are stored, padding included.
inline std::size_t valid_lanes(const CellGrid& grid, std::size_t vector) {
  const std::size_t rest = grid.channels - vector * grid.width;
  return rest < grid.width ? rest : grid.width;
}
inline std::size_t stored_lanes(const CellGrid& grid, std::size_t vector) {
  return grid.pads ? grid.width : valid_lanes(grid, vector);
}

inline float over_lanes(Vector value) {
  float sums[kLanes];
  Lanes(kLanes).store(sums, value);
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)
    for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  return sums[0];
}

template <typename Element>
void scale(const CellGrid& grid, std::size_t vector, const Element* read, const float* factors,
           Element* write) {
  const Vector factor = Lanes(valid_lanes(grid, vector)).load(factors + vector * grid.width);
  const Lanes lanes(stored_lanes(grid, vector));
  const std::size_t first = vector * grid.vector_step;
  for (std::size_t cell = 0; cell < grid.cells; ++cell) {
    const std::size_t at = first + cell * grid.cell_step;
    lanes.store(write + at, lanes.load(read + at) * factor);
  }
}

// Runs of cells are summed separately, which keeps rounding errors small.
template <typename Element>
void scale_backward(const CellGrid& grid, std::size_t vector, const Element* read,
                    const Element* gradient, const float* factors, Element* write, bool adds,
                    float* sums) {
  constexpr std::size_t kRun = 256;
  const Lanes valid(valid_lanes(grid, vector));
  const Lanes lanes(stored_lanes(grid, vector));
  const Vector factor = valid.load(factors + vector * grid.width);
  Vector total = {};
  for (std::size_t run = 0; run < grid.cells; run += kRun) {
    const std::size_t end = run + kRun < grid.cells ? run + kRun : grid.cells;
    Vector sum = {};
    for (std::size_t cell = run; cell < end; ++cell) {
      const std::size_t at = vector * grid.vector_step + cell * grid.cell_step;
      const Vector g = lanes.load(gradient + at);
      sum += g * lanes.load(read + at);
      if (write == nullptr) continue;
      const Vector own = g * factor;
      lanes.store(write + at, adds ? lanes.load(write + at) + own : own);
    }
    total += sum;
  }
  valid.store(sums + vector * grid.width, total);
}

// Returns ones in the lanes that are channels.
inline Vector present(std::size_t count) {
  alignas(64) static constexpr float kOnes[kLanes] = {1, 1, 1, 1, 1, 1, 1, 1,
                                                      1, 1, 1, 1, 1, 1, 1, 1};
  return Lanes(count).load(kOnes);
}

inline Vector factor_of(const float* gamma, const CellGrid& grid, std::size_t vector) {
  const std::size_t valid = valid_lanes(grid, vector);
  return gamma == nullptr ? present(valid) : Lanes(valid).load(gamma + vector * grid.width);
}

// Computes mean and 1 / deviation of a cell. Its channels stay in the cache between the passes over
// them.
template <typename Element>
void moments(const CellGrid& grid, float epsilon, const Element* cell, float* mean,
             float* inverse) {
  const float channels = static_cast<float>(grid.channels);
  Vector sum = {};
  for (std::size_t v = 0; v < grid.vectors; ++v)
    sum += Lanes(valid_lanes(grid, v)).load(cell + v * grid.vector_step);
  *mean = over_lanes(sum) / channels;
  const Vector centre = filled(*mean);
  Vector squares = {};
  for (std::size_t v = 0; v < grid.vectors; ++v) {
    const std::size_t valid = valid_lanes(grid, v);
    const Vector x = Lanes(valid).load(cell + v * grid.vector_step) - centre;
    squares += x * x * present(valid);
  }
  *inverse = 1.0f / __builtin_sqrtf(over_lanes(squares) / channels + epsilon);
}

template <typename Element>
void norm(const CellGrid& grid, const CellNorm& norm, std::size_t first, std::size_t end,
          const Element* read, Element* write, float* mean, float* inverse) {
  for (std::size_t cell = first; cell < end; ++cell) {
    moments(grid, norm.epsilon, read + cell * grid.cell_step, mean + cell, inverse + cell);
    const Vector centre = filled(mean[cell]);
    const Vector factor = filled(inverse[cell]);
    for (std::size_t v = 0; v < grid.vectors; ++v) {
      const Lanes lanes(stored_lanes(grid, v));
      const std::size_t at = cell * grid.cell_step + v * grid.vector_step;
      const Vector beta = Lanes(valid_lanes(grid, v)).load(norm.beta + v * grid.width);
      const Vector normal = (lanes.load(read + at) - centre) * factor;
      lanes.store(write + at, normal * factor_of(norm.gamma, grid, v) + beta);
    }
  }
}

// Subtracted from the gradient of a cell, because its mean and its scale cannot change.
struct CellMeans {
  float gradient, product;
};

template <typename Element>
CellMeans gradient_means(const CellGrid& grid, const float* gamma, const Element* read,
                         const Element* gradient, float mean, float inverse) {
  Vector sum = {}, product = {};
  for (std::size_t v = 0; v < grid.vectors; ++v) {
    const Lanes valid(valid_lanes(grid, v));
    const std::size_t at = v * grid.vector_step;
    const Vector g = valid.load(gradient + at) * factor_of(gamma, grid, v);
    sum += g;
    product += g * (valid.load(read + at) - filled(mean)) * filled(inverse);
  }
  const float channels = static_cast<float>(grid.channels);
  return {over_lanes(sum) / channels, over_lanes(product) / channels};
}

inline void add_to_doubles(std::size_t count, const Vector& values, double* sums) {
  float lanes[kLanes];
  __builtin_memcpy(lanes, &values, sizeof lanes);
  for (std::size_t lane = 0; lane < count; ++lane) sums[lane] += static_cast<double>(lanes[lane]);
}

template <typename Element>
void norm_backward(const CellGrid& grid, const float* gamma, std::size_t first, std::size_t end,
                   const Element* read, const Element* gradient, const float* mean,
                   const float* inverse, Element* write, bool adds, double* gamma_sums,
                   double* beta_sums) {
  for (std::size_t tile = first; tile < end; tile += kTile) {
    const std::size_t count = end - tile < kTile ? end - tile : kTile;
    CellMeans means[kTile];
    for (std::size_t i = 0; write != nullptr && i < count; ++i) {
      const std::size_t at = (tile + i) * grid.cell_step;
      means[i] =
          gradient_means(grid, gamma, read + at, gradient + at, mean[tile + i], inverse[tile + i]);
    }
    for (std::size_t v = 0; v < grid.vectors; ++v) {
      const Lanes lanes(stored_lanes(grid, v));
      const std::size_t valid = valid_lanes(grid, v);
      const Vector factor = factor_of(gamma, grid, v), ones = present(valid);
      Vector gamma_sum = {}, beta_sum = {};
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t cell = tile + i;
        const std::size_t at = cell * grid.cell_step + v * grid.vector_step;
        const Vector g = lanes.load(gradient + at);
        const Vector normal = (lanes.load(read + at) - filled(mean[cell])) * filled(inverse[cell]);
        gamma_sum += g * normal;
        beta_sum += g;
        if (write == nullptr) continue;
        const Vector centred =
            g * factor - ones * (filled(means[i].gradient) + normal * filled(means[i].product));
        const Vector own = centred * filled(inverse[cell]);
        lanes.store(write + at, adds ? lanes.load(write + at) + own : own);
      }
      add_to_doubles(valid, gamma_sum, gamma_sums + v * grid.width);
      add_to_doubles(valid, beta_sum, beta_sums + v * grid.width);
    }
  }
}

}  // namespace

extern const CellKernels<float> kFloatCells;
extern const CellKernels<Bf16> kBf16Cells;
const CellKernels<float> kFloatCells = {scale<float>, scale_backward<float>, norm<float>,
                                        norm_backward<float>};
const CellKernels<Bf16> kBf16Cells = {scale<Bf16>, scale_backward<Bf16>, norm<Bf16>,
                                      norm_backward<Bf16>};

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
