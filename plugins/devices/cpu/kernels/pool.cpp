// Compiled once per instruction set, as kernels.cpp is.
#include "plugins/devices/cpu/kernels/pool.hpp"

#include "plugins/devices/cpu/kernels/ask_ahead.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {
namespace {

// Types of a block of channels. The compiler supports the conversions only for concrete types.
template <std::size_t block>
struct Types;

template <>
struct Types<8> {
  typedef float Vector __attribute__((vector_size(32)));
  typedef std::int32_t Integers __attribute__((vector_size(32)));
  typedef std::uint8_t Bytes __attribute__((vector_size(8)));
  static Integers widened(Bytes value) { return __builtin_convertvector(value, Integers); }
  static Bytes narrowed(Integers value) { return __builtin_convertvector(value, Bytes); }
};

template <>
struct Types<16> {
  typedef float Vector __attribute__((vector_size(64)));
  typedef std::int32_t Integers __attribute__((vector_size(64)));
  typedef std::uint8_t Bytes __attribute__((vector_size(16)));
  static Integers widened(Bytes value) { return __builtin_convertvector(value, Integers); }
  static Bytes narrowed(Integers value) { return __builtin_convertvector(value, Bytes); }
};

template <std::size_t block>
struct Lanes : Types<block> {
  using typename Types<block>::Vector;
  using typename Types<block>::Integers;
  using typename Types<block>::Bytes;

  static Vector load(const float* from) {
    Vector value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
  }
  static void store(float* to, Vector value) { __builtin_memcpy(to, &value, sizeof value); }
  static Integers load_bytes(const std::uint8_t* from) {
    Bytes value;
    __builtin_memcpy(&value, from, sizeof value);
    return Types<block>::widened(value);
  }
  static void store_bytes(std::uint8_t* to, Integers value) {
    const Bytes bytes = Types<block>::narrowed(value);
    __builtin_memcpy(to, &bytes, sizeof bytes);
  }
};

// Cells [first, end) of a line that a window covers; offset: the position of the first cell in the
// window.
struct Span {
  std::size_t first, end, offset;
};

inline Span span(std::size_t window, std::size_t stride, std::size_t pad, std::size_t kernel,
                 std::size_t cells) {
  const std::size_t start = window * stride;
  const std::size_t first = start > pad ? start - pad : 0;
  const std::size_t end = start + kernel > pad ? start + kernel - pad : 0;
  return {first, end < cells ? end : cells, first + pad - start};
}

// Calls use(window row, window column, rows, columns) for every window.
template <typename Use>
inline void each_window(const PlaneWindows& s, const Use& use) {
  for (std::size_t y = 0; y < s.out_height; ++y) {
    const Span rows = span(y, s.stride_height, s.pad_top, s.kernel_height, s.in_height);
    for (std::size_t x = 0; x < s.out_width; ++x) {
      use(y, x, rows, span(x, s.stride_width, s.pad_left, s.kernel_width, s.in_width));
    }
  }
}

// Calls use(cell of the plane, cell of the window) for every cell of a window. Windows of the
// common widths have loops that the compiler can unroll.
template <typename Use>
inline void each_cell(const PlaneWindows& s, const Span& rows, const Span& columns,
                      const Use& use) {
  const std::size_t width = columns.end > columns.first ? columns.end - columns.first : 0;
  const auto lines = [&](auto count) {
    for (std::size_t y = rows.first; y < rows.end; ++y) {
      const std::size_t cell = y * s.in_width + columns.first;
      const std::size_t place = (rows.offset + y - rows.first) * s.kernel_width + columns.offset;
      for (std::size_t x = 0; x < count(); ++x) use(cell + x, place + x);
    }
  };
  switch (width) {
    case 2:
      return lines([] { return std::size_t{2}; });
    case 3:
      return lines([] { return std::size_t{3}; });
    default:
      return lines([width] { return width; });
  }
}

template <std::size_t block>
void max_forward(const PlaneWindows& s, const float* read, float* write, std::uint8_t* record) {
  using L = Lanes<block>;
  each_window(s, [&](std::size_t y, std::size_t x, const Span& rows, const Span& columns) {
    auto best = L::load(read + (rows.first * s.in_width + columns.first) * block);
    typename L::Integers where =
        typename L::Integers{} +
        static_cast<std::int32_t>(rows.offset * s.kernel_width + columns.offset);
    each_cell(s, rows, columns, [&](std::size_t cell, std::size_t place) {
      ask_ahead_of(read + cell * block);
      const auto value = L::load(read + cell * block);
      const auto larger = (value > best) | (value != value);
      best = larger ? value : best;
      where = larger ? typename L::Integers{} + static_cast<std::int32_t>(place) : where;
    });
    const std::size_t window = (y * s.out_width + x) * block;
    L::store(write + window, best);
    if (record != nullptr) L::store_bytes(record + window, where);
  });
}

// Zeroes rows immediately before the first window that reaches them, while they are in the cache.
struct ClearedRows {
  float* plane;
  std::size_t row_floats;
  std::size_t rows;  // how many rows are ready, from the plane's first on

  void clear_to(std::size_t end) {
    if (end <= rows) return;
    __builtin_memset(plane + rows * row_floats, 0, (end - rows) * row_floats * sizeof(float));
    rows = end;
  }
};

template <std::size_t block>
void max_backward(const PlaneWindows& s, const float* gradient, const std::uint8_t* record,
                  float* write, bool add) {
  using L = Lanes<block>;
  ClearedRows rows_of_plane{write, s.in_width * block, add ? s.in_height : 0};
  each_window(s, [&](std::size_t y, std::size_t x, const Span& rows, const Span& columns) {
    rows_of_plane.clear_to(rows.end);
    const std::size_t window = (y * s.out_width + x) * block;
    ask_ahead_of(gradient + window);
    ask_ahead_of(record + window);
    const auto value = L::load(gradient + window);
    const auto where = L::load_bytes(record + window);
    each_cell(s, rows, columns, [&](std::size_t cell, std::size_t place) {
      const auto chosen = where == static_cast<std::int32_t>(place);
      const typename L::Vector zero = {};
      float* const to = write + cell * block;
      L::store(to, L::load(to) + (chosen ? value : zero));
    });
  });
  rows_of_plane.clear_to(s.in_height);
}

template <std::size_t block>
void average_forward(const PlaneWindows& s, const float* read, const float* shares, float* write) {
  using L = Lanes<block>;
  each_window(s, [&](std::size_t y, std::size_t x, const Span& rows, const Span& columns) {
    typename L::Vector sum = {};
    each_cell(s, rows, columns,
              [&](std::size_t cell, std::size_t) { sum += L::load(read + cell * block); });
    const std::size_t window = y * s.out_width + x;
    L::store(write + window * block, sum * shares[window]);
  });
}

template <std::size_t block>
void average_backward(const PlaneWindows& s, const float* gradient, const float* shares,
                      float* write, bool add) {
  using L = Lanes<block>;
  ClearedRows rows_of_plane{write, s.in_width * block, add ? s.in_height : 0};
  each_window(s, [&](std::size_t y, std::size_t x, const Span& rows, const Span& columns) {
    rows_of_plane.clear_to(rows.end);
    const std::size_t window = y * s.out_width + x;
    const auto value = L::load(gradient + window * block) * shares[window];
    each_cell(s, rows, columns, [&](std::size_t cell, std::size_t) {
      float* const to = write + cell * block;
      L::store(to, L::load(to) + value);
    });
  });
  rows_of_plane.clear_to(s.in_height);
}

}  // namespace

extern const PoolKernels kPoolTables[2];
const PoolKernels kPoolTables[2] = {
    {max_forward<8>, max_backward<8>, average_forward<8>, average_backward<8>},
    {max_forward<16>, max_backward<16>, average_forward<16>, average_backward<16>}};

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
