#include "core/data/jpeg/baseline_decoder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace convoy::data {
namespace {

constexpr int kSide = 8;  // pixels along a side of a block

// Returns the position of each coefficient of a file in a block that is stored column by column.
// The file has them in zigzag order, from low frequencies to high ones.
constexpr std::array<std::uint8_t, 64> make_places() {
  std::array<std::uint8_t, 64> places = {};
  std::size_t next = 0;
  for (int diagonal = 0; diagonal < 2 * kSide - 1; ++diagonal) {
    const int low = std::max(0, diagonal - kSide + 1), high = std::min(diagonal, kSide - 1);
    for (int i = low; i <= high; ++i) {
      const int column = diagonal % 2 == 0 ? i : diagonal - i;
      places[next++] = static_cast<std::uint8_t>(column * kSide + (diagonal - column));
    }
  }
  return places;
}
constexpr std::array<std::uint8_t, 64> kPlaces = make_places();

// The last multiplications of the transform, by frequency: cos(k pi / 16) * sqrt(2), 1 for k = 0.
constexpr std::array<float, kSide> kScale = {1.0f, 1.387039845f, 1.306562965f, 1.175875602f,
                                             1.0f, 0.785694958f, 0.541196100f, 0.275899379f};

// Reads bits, the highest one first. It reads up to 64 bytes beyond the data.
class BitReader {
 public:
  explicit BitReader(const std::uint8_t* data) : begin_(data), next_(data) {}

  // Makes enough bits available for a symbol with its value, 16 + 11. It does not always load as
  // many as there is room for, because the next symbol would have to wait for the address of the
  // bits.
  void refill() {
    if (count_ >= 32) return;
    std::uint64_t word;
    std::memcpy(&word, next_, sizeof word);
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    bits_ |= word >> count_;
    next_ += (63 - count_) >> 3;
    count_ |= 56;
  }
  std::uint64_t bits() const { return bits_; }
  void skip(unsigned count) {
    bits_ <<= count;
    count_ -= count;
  }
  std::size_t bits_read() const { return 8 * static_cast<std::size_t>(next_ - begin_) - count_; }

 private:
  const std::uint8_t* begin_;
  const std::uint8_t* next_;
  std::uint64_t bits_ = 0;
  unsigned count_ = 0;
};

// Returns the value after a code. `bits` begins with the code. A first bit of 0 means a negative
// value.
inline int value_of(std::uint64_t bits, const HuffmanSymbol& symbol) {
  const unsigned size = symbol.size;
  const std::uint64_t value = bits << (symbol.bits - size);
  const int magnitude = static_cast<int>((value >> 1) >> (63 - size));
  const int negative = static_cast<int>(~static_cast<std::int64_t>(value) >> 63);
  return magnitude + (negative & (1 - (1 << size)));
}

// Reads one block; with kKeep into `coefficients`, which must be zero before. Returns false if the
// data are damaged.
template <bool kKeep>
inline bool read_block(BitReader& reader, const HuffmanTable& differences,
                       const HuffmanTable& values, std::uint32_t& mean,
                       std::int16_t* coefficients) {
  reader.refill();
  HuffmanSymbol symbol = differences.find(reader.bits());
  if (symbol.bits == 0) return false;
  mean += static_cast<std::uint32_t>(value_of(reader.bits(), symbol));
  if (kKeep) coefficients[0] = static_cast<std::int16_t>(mean);
  reader.skip(symbol.bits);
  for (unsigned k = 1; k < 64; ++k) {
    reader.refill();
    symbol = values.find(reader.bits());
    if (symbol.bits == 0) return false;
    k += symbol.run;
    if (k >= 64) {
      reader.skip(symbol.bits);
      return symbol.run == kEndOfBlock;
    }
    if (kKeep)
      coefficients[kPlaces[k]] = static_cast<std::int16_t>(value_of(reader.bits(), symbol));
    reader.skip(symbol.bits);
  }
  return true;
}

}  // namespace

struct BaselineDecoder::Blocks {
  int first = 0;
  int end = 0;
};

// Returns the groups that contain pixels first ... first + count - 1 of an axis and the chroma
// pixels around them. `step` pixels of the picture share one chroma pixel.
BaselineDecoder::Blocks BaselineDecoder::groups_around(int first, int count, int step,
                                                       int size) const {
  const int group = kSide * step;
  const int margin = step - 1;
  const int last = std::min(first + count - 1 + margin, size - 1);
  return {std::max(first - margin, 0) / group, last / group + 1};
}

void BaselineDecoder::prepare_planes(const Blocks& columns, const Blocks& rows) {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    PlaneView& view = views_[i];
    view.columns = i == 0 ? 1 : scan_.chroma_columns;
    view.rows = i == 0 ? 1 : scan_.chroma_rows;
    const int across = kSide * scan_.chroma_columns / view.columns;
    const int down = kSide * scan_.chroma_rows / view.rows;
    view.x = columns.first * across;
    view.y = rows.first * down;
    const int plane_width = (scan_.size.width + view.columns - 1) / view.columns;
    const int plane_height = (scan_.size.height + view.rows - 1) / view.rows;
    view.width = std::min(columns.end * across, plane_width) - view.x;
    view.height = std::min(rows.end * down, plane_height) - view.y;
    const int stored_width = (columns.end - columns.first) * across;
    const int stored_height = (rows.end - rows.first) * down;
    view.row_bytes = static_cast<std::size_t>(stored_width);
    // The vector only grows, because one that shrinks and grows again is filled with zeros each
    // time.
    const std::size_t bytes = view.row_bytes * static_cast<std::size_t>(stored_height);
    pixels_[i].resize(std::max(pixels_[i].size(), bytes));
    view.pixels = pixels_[i].data();
    for (std::size_t k = 0; k < 64; ++k) {
      const std::size_t place = kPlaces[k];
      factors_[i][place] = scan_.components[i].steps[k] * kScale[place / kSide] *
                           kScale[place % kSide] / float{kSide};
    }
  }
}

// A group consists of the blocks of all components for the same square of the picture.
bool BaselineDecoder::decode_groups(const Blocks& columns, const Blocks& rows) {
  const int group_width = kSide * scan_.chroma_columns;
  const int groups = (scan_.size.width + group_width - 1) / group_width;
  const std::size_t available = 8 * scan_.data_bytes;
  BitReader reader(scan_.data.data());
  std::array<std::uint32_t, 3> means = {};
  for (int y = 0; y < rows.end; ++y) {
    const int last = y + 1 == rows.end ? columns.end : groups;
    for (int x = 0; x < last; ++x) {
      const bool wanted = y >= rows.first && x >= columns.first && x < columns.end;
      for (std::size_t i = 0; i < views_.size(); ++i) {
        const JpegScan::Component& component = scan_.components[i];
        const HuffmanTable& differences = scan_.differences[component.differences];
        const HuffmanTable& values = scan_.values[component.values];
        const int across = scan_.chroma_columns / views_[i].columns;
        const int down = scan_.chroma_rows / views_[i].rows;
        for (int block = 0; block < across * down; ++block) {
          if (!wanted) {
            if (!read_block<false>(reader, differences, values, means[i], nullptr)) return false;
            continue;
          }
          alignas(32) std::int16_t coefficients[64] = {};
          if (!read_block<true>(reader, differences, values, means[i], coefficients)) return false;
          const int row = ((y - rows.first) * down + block / across) * kSide;
          const int column = ((x - columns.first) * across + block % across) * kSide;
          kernels_.transform_block(
              coefficients, factors_[i].data(),
              pixels_[i].data() + static_cast<std::size_t>(row) * views_[i].row_bytes + column,
              views_[i].row_bytes);
        }
      }
      // The padding is longer than the bytes that reading a group can pass the end by.
      if (reader.bits_read() > available) return false;
    }
  }
  return true;
}

const PlaneViews* BaselineDecoder::decode(std::string_view file, ImageSize size,
                                          const PixelWindow& window) {
  if (!read_usual_jpeg(file, scan_)) return nullptr;
  if (scan_.size.width != size.width || scan_.size.height != size.height) return nullptr;
  const Blocks columns = groups_around(window.x, window.width, scan_.chroma_columns, size.width);
  const Blocks rows = groups_around(window.y, window.height, scan_.chroma_rows, size.height);
  prepare_planes(columns, rows);
  return decode_groups(columns, rows) ? &views_ : nullptr;
}

}  // namespace convoy::data
