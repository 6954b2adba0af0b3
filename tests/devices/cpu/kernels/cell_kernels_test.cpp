// Kernels over cells have the same bits with every instruction set, and leave padding alone.
#include <gtest/gtest.h>

#include <vector>

#include "core/base/numbers/hash_fill.hpp"
#include "plugins/devices/cpu/kernels/cell_grid.hpp"

#if defined(__x86_64__) && !defined(CONVOY_X86_KERNELS)
#define CONVOY_X86_KERNELS  // as the kernels' library is compiled
#endif
#include "plugins/devices/cpu/kernels/instruction_set.hpp"

namespace convoy::cpu {
namespace baseline {
extern const CellKernels<float> kFloatCells;
}
#ifdef CONVOY_X86_KERNELS
namespace x86_64_v3 {
extern const CellKernels<float> kFloatCells;
}
namespace x86_64_v4 {
extern const CellKernels<float> kFloatCells;
}
#endif
}  // namespace convoy::cpu

namespace convoy::test::cell_kernels_test {
namespace {

using Kernels = cpu::CellKernels<float>;

std::vector<const Kernels*> other_kernels() {
  std::vector<const Kernels*> all;
#ifdef CONVOY_X86_KERNELS
  if (cpu::has_x86_64_v3()) all.push_back(&cpu::x86_64_v3::kFloatCells);
  if (cpu::has_x86_64_v4()) all.push_back(&cpu::x86_64_v4::kFloatCells);
#endif
  return all;
}

// 21 channels of 19 cells: in blocks of 16 or 8 with padding, and side by side.
constexpr std::size_t kCells = 19, kChannels = 21;
constexpr cpu::CellGrid kGrids[] = {{kCells, kChannels, 2, 16, 16, kCells * 16, true},
                                    {kCells, kChannels, 3, 8, 8, kCells * 8, true},
                                    {kCells, kChannels, 2, 16, kChannels, 16, false}};

std::size_t elements_of(const cpu::CellGrid& grid) {
  return kCells * (grid.pads ? grid.vectors * grid.width : kChannels);
}

std::vector<float> cell_noise(std::size_t count, std::uint32_t key) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = hash_fill(key, 1, static_cast<std::uint32_t>(i), 2, 0);
  return values;
}

// Noise with zeros in the padding.
std::vector<float> values_of(const cpu::CellGrid& grid, std::uint32_t seed) {
  std::vector<float> values = cell_noise(elements_of(grid), seed);
  const std::size_t last = grid.vectors - 1;
  for (std::size_t lane = kChannels - last * grid.width; grid.pads && lane < grid.width; ++lane)
    for (std::size_t cell = 0; cell < kCells; ++cell)
      values[last * grid.vector_step + cell * grid.cell_step + lane] = 0;
  return values;
}

// Everything that the kernels compute of the same values.
std::vector<float> results(const Kernels& kernels, const cpu::CellGrid& grid) {
  const std::vector<float> x = values_of(grid, 1), g = values_of(grid, 2);
  const std::vector<float> gamma = cell_noise(kChannels, 3);
  const std::vector<float> beta = cell_noise(kChannels, 4);
  std::vector<float> scaled(x.size()), normal(x.size()), back = values_of(grid, 5), sums(kChannels);
  std::vector<float> of_norm(x.size()), mean(kCells), inverse(kCells);
  std::vector<double> gammas(kChannels), betas(kChannels);
  for (std::size_t vector = 0; vector < grid.vectors; ++vector) {
    kernels.scale(grid, vector, x.data(), gamma.data(), scaled.data());
    kernels.scale_backward(grid, vector, x.data(), g.data(), gamma.data(), back.data(), true,
                           sums.data());
  }
  kernels.norm(grid, {gamma.data(), beta.data(), 1e-6f}, 0, kCells, x.data(), normal.data(),
               mean.data(), inverse.data());
  kernels.norm_backward(grid, gamma.data(), 0, kCells, x.data(), g.data(), mean.data(),
                        inverse.data(), of_norm.data(), false, gammas.data(), betas.data());
  std::vector<float> all;
  for (const auto* part : {&scaled, &back, &sums, &normal, &mean, &inverse, &of_norm})
    all.insert(all.end(), part->begin(), part->end());
  for (const auto* part : {&gammas, &betas})
    for (const double value : *part) all.push_back(static_cast<float>(value));
  return all;
}

TEST(CellKernels, HaveTheSameBitsWithEveryInstructionSet) {
  for (const cpu::CellGrid& grid : kGrids) {
    const std::vector<float> wanted = results(cpu::baseline::kFloatCells, grid);
    for (const Kernels* kernels : other_kernels())
      EXPECT_EQ(results(*kernels, grid), wanted) << "lanes " << grid.width;
  }
}

TEST(CellKernels, KeepPaddingZero) {
  for (const cpu::CellGrid& grid : {kGrids[0], kGrids[1]}) {
    const std::vector<float> all = results(cpu::baseline::kFloatCells, grid);
    const std::size_t size = elements_of(grid), last = grid.vectors - 1;
    // Scaled, its gradient, normalised, its gradient.
    const std::size_t firsts[] = {0, size, 2 * size + kChannels, 3 * size + kChannels + 2 * kCells};
    for (const std::size_t first : firsts)
      for (std::size_t lane = kChannels - last * grid.width; lane < grid.width; ++lane)
        for (std::size_t cell = 0; cell < kCells; ++cell)
          EXPECT_EQ(all[first + last * grid.vector_step + cell * grid.cell_step + lane], 0.0f);
  }
}

}  // namespace
}  // namespace convoy::test::cell_kernels_test
