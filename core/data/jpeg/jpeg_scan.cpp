#include "core/data/jpeg/jpeg_scan.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace convoy::data {
namespace {

enum Marker : std::uint8_t {
  kBaseline = 0xc0,
  kHuffmanTables = 0xc4,
  kStart = 0xd8,
  kEnd = 0xd9,
  kScan = 0xda,
  kStepTables = 0xdb,
  kRestartInterval = 0xdd,
  kFirstApplication = 0xe0,
  kAdobe = 0xee,
  kLastApplication = 0xef,
  kComment = 0xfe,
};

using Bytes = std::span<const std::uint8_t>;

int word(Bytes bytes, std::size_t at) {
  return bytes[at] << 8 | bytes[at + 1];
}

// Reads the segments before the coded data.
class HeaderReader {
 public:
  explicit HeaderReader(JpegScan& scan) : scan_(scan) {}

  // Returns false if the file is unusual.
  bool read_segment(std::uint8_t marker, Bytes body) {
    switch (marker) {
      case kBaseline:
        return read_frame(body);
      case kHuffmanTables:
        return read_huffman_tables(body);
      case kStepTables:
        return read_step_tables(body);
      case kScan:
        return read_scan(body);
      case kAdobe:  // the last byte is the colour coding; 1: luminance and chroma
        return body.size() < 12 || std::memcmp(body.data(), "Adobe", 5) != 0 || body[11] == 1;
      case kRestartInterval:
        return body.size() == 2 && word(body, 0) == 0;
      default:
        return marker == kComment || (marker >= kFirstApplication && marker <= kLastApplication);
    }
  }

 private:
  bool read_frame(Bytes body) {
    if (frame_read_ || body.size() != 15 || body[0] != 8 || body[5] != 3) return false;
    frame_read_ = true;
    scan_.size = {word(body, 3), word(body, 1)};
    for (std::size_t i = 0; i < 3; ++i) {
      const Bytes component = body.subspan(6 + 3 * i, 3);
      if (component[0] != i + 1 || component[2] > 3) return false;
      step_tables_[i] = component[2];
      if (i > 0 && component[1] != 0x11) return false;
    }
    scan_.chroma_columns = body[7] >> 4;
    scan_.chroma_rows = body[7] & 15;
    const auto usual = [](int sampling) { return sampling == 1 || sampling == 2; };
    return usual(scan_.chroma_columns) && usual(scan_.chroma_rows) && scan_.size.width > 0 &&
           scan_.size.height > 0;
  }

  bool read_huffman_tables(Bytes body) {
    while (!body.empty()) {
      if (body.size() < 17) return false;
      const std::size_t slot = body[0] & 15;
      const bool differences = body[0] >> 4 == 0;
      if (slot > 3 || body[0] >> 4 > 1) return false;
      const auto counts = body.subspan<1, 16>();
      std::size_t symbols = 0;
      for (const std::uint8_t count : counts) symbols += count;
      if (symbols > 256 || body.size() < 17 + symbols) return false;
      HuffmanTable& table = differences ? scan_.differences[slot] : scan_.values[slot];
      if (!table.set(counts, body.subspan(17, symbols), differences)) return false;
      (differences ? differences_set_ : values_set_)[slot] = true;
      body = body.subspan(17 + symbols);
    }
    return true;
  }

  bool read_step_tables(Bytes body) {
    for (; !body.empty(); body = body.subspan(65)) {
      if (body.size() < 65 || body[0] > 3) return false;
      std::copy_n(body.begin() + 1, 64, steps_[body[0]].begin());
      steps_set_[body[0]] = true;
    }
    return true;
  }

  bool read_scan(Bytes body) {
    if (!frame_read_ || body.size() != 10 || body[0] != 3) return false;
    for (std::size_t i = 0; i < 3; ++i) {
      JpegScan::Component& component = scan_.components[i];
      const std::uint8_t tables = body[2 + 2 * i];
      component.differences = tables >> 4;
      component.values = tables & 15;
      if (body[1 + 2 * i] != i + 1 || component.differences > 3 || component.values > 3 ||
          !differences_set_[component.differences] || !values_set_[component.values] ||
          !steps_set_[step_tables_[i]]) {
        return false;
      }
      component.steps = steps_[step_tables_[i]];
    }
    return body[7] == 0 && body[8] == 63 && body[9] == 0;
  }

  JpegScan& scan_;
  bool frame_read_ = false;
  std::array<std::size_t, 3> step_tables_ = {};  // table numbers of the components
  std::array<std::array<float, 64>, 4> steps_ = {};
  std::array<bool, 4> steps_set_ = {}, differences_set_ = {}, values_set_ = {};
};

// Reads the coded data, in which a zero follows every byte 0xff. Returns true if the data end with
// an end marker, as those of a whole file do.
bool read_data(Bytes bytes, JpegScan& scan) {
  // The vector only grows, because one that shrinks and grows again is filled with zeros each time.
  scan.data.resize(std::max(scan.data.size(), bytes.size() + JpegScan::kPadding));
  std::uint8_t* write = scan.data.data();
  const std::uint8_t* read = bytes.data();
  const std::uint8_t* const end = read + bytes.size();
  while (true) {
    const auto* found =
        static_cast<const std::uint8_t*>(std::memchr(read, 0xff, std::size_t(end - read)));
    if (found == nullptr || found + 1 == end) return false;
    const auto count = static_cast<std::size_t>(found - read);
    std::memcpy(write, read, count);
    write += count;
    read = found + 2;
    if (found[1] == kEnd) break;
    if (found[1] != 0) return false;
    *write++ = 0xff;
  }
  scan.data_bytes = static_cast<std::size_t>(write - scan.data.data());
  std::fill_n(write, JpegScan::kPadding, std::uint8_t{0});
  return true;
}

}  // namespace

bool read_usual_jpeg(std::string_view file, JpegScan& scan) {
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
  if (bytes.size() < 4 || bytes[0] != 0xff || bytes[1] != kStart) return false;
  HeaderReader reader(scan);
  for (std::size_t at = 2; at + 4 <= bytes.size();) {
    if (bytes[at] != 0xff) return false;
    const std::uint8_t marker = bytes[at + 1];
    const auto length = static_cast<std::size_t>(word(bytes, at + 2));
    if (length < 2 || at + 2 + length > bytes.size()) return false;
    if (!reader.read_segment(marker, bytes.subspan(at + 4, length - 2))) return false;
    at += 2 + length;
    if (marker == kScan) return read_data(bytes.subspan(at), scan);
  }
  return false;
}

}  // namespace convoy::data
