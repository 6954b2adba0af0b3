#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace convoy::graph {

// Storage of variables (convoy_layout). Dimensions are OIHW, OI or N; plain means row-major without
// padding. Elements outside the dimensions are padding: they are zero and must stay zero.

convoy_layout plain_layout(std::span<const uint64_t> dimensions);
bool is_plain(const convoy_layout& layout, std::span<const uint64_t> dimensions);

// Compares the fields that rank and inner_blocks declare; the others are meaningless.
bool same_layout(const convoy_layout& a, const convoy_layout& b);
uint64_t hash_layout(const convoy_layout& layout);  // the same on every host

// Why a layout (a device's proposal) cannot store a variable of these dimensions, or empty. A good
// one maps the padded index space onto 0..elements one to one.
std::string layout_problem(const convoy_layout& layout, std::span<const uint64_t> dimensions);

// A stored variable as a matrix by rows: {rows, columns} of the cut between two of its stored
// dimensions with the fewest rows + columns; {0, 0} for one with a single dimension above 1.
std::pair<uint64_t, uint64_t> stored_matrix(const convoy_layout& layout);

// Plain to storage; zeroes the padding. storage holds layout.elements.
void pack(const convoy_layout& layout, std::span<const uint64_t> dimensions, const float* plain,
          float* storage);
// Storage to plain.
void unpack(const convoy_layout& layout, std::span<const uint64_t> dimensions, const float* storage,
            float* plain);

}  // namespace convoy::graph
