#include "core/data/jpeg/jpeg_decoder.hpp"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <vector>

// libjpeg's headers need <cstdio> to be included before them.
#include <jpeglib.h>
// Message numbers. The header needs jpeglib.h before it.
#include <jerror.h>

#include "core/data/pipeline/bad_record.hpp"

namespace convoy::data {
namespace {

constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";

// libjpeg reports errors by calling a function that must not return. setjmp and longjmp are
// confined to this file. A function that calls setjmp() has only trivial locals and turns a jump
// into `false`, so that exceptions are thrown when no frame of libjpeg is in between.
struct Session {
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  jpeg_progress_mgr progress = {};
  std::jmp_buf jump = {};
  std::array<char, JMSG_LENGTH_MAX> message = {};
  std::vector<std::uint8_t> pixels;  // pixels of the last decode
  std::vector<std::uint8_t> row;     // one decoded row with four ink components
};

[[noreturn]] void jump_out(j_common_ptr info) {
  auto* session = static_cast<Session*>(info->client_data);
  info->err->format_message(info, session->message.data());
  std::longjmp(session->jump, 1);
}

// Rare but valid files give warnings (stray bytes between markers). So only an end of the data
// before the end of the picture is treated as an error.
void receive_message(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) jump_out(info);
}

void limit_scans(j_common_ptr info) {
  auto* session = static_cast<Session*>(info->client_data);
  if (session->info.input_scan_number <= kLargestScanCount) return;
  std::snprintf(session->message.data(), session->message.size(), "more than %d progressive scans",
                kLargestScanCount);
  std::longjmp(session->jump, 1);
}

void ignore_output(j_common_ptr) {}

// Runs `body`, which calls libjpeg and has only trivial locals. Returns false if libjpeg gave up.
template <typename Body>
bool completes(Session& session, const Body& body) {
  if (setjmp(session.jump) != 0) return false;
  body();
  return true;
}

void read_header(Session& session, std::string_view file) {
  jpeg_mem_src(&session.info, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&session.info, TRUE);
}

bool is_cmyk(const jpeg_decompress_struct& info) {
  return info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
}

// Adobe's files, which are nearly all of those with four components, store the inverse of the ink.
void convert_cmyk(const std::uint8_t* row, JDIMENSION count, bool inverted, std::uint8_t* rgb) {
  for (JDIMENSION x = 0; x < count; ++x, row += 4, rgb += kViewBytes) {
    for (int i = 0; i < kRgb; ++i) {
      const int colour = inverted ? row[i] : 255 - row[i];
      const int black = inverted ? row[3] : 255 - row[3];
      rgb[i] = static_cast<std::uint8_t>(colour * black / 255);
    }
  }
}

// The number of columns beside the window that are decoded with it, so that the interpolation of
// chroma sees the same neighbours as in a full decode.
constexpr int kMargin = 2;

// The columns that libjpeg decodes for a window. They begin where a block begins.
struct Columns {
  JDIMENSION first = 0;
  JDIMENSION count = 0;
};

void start(Session& session, const PixelWindow& window, int reduction, Columns& columns) {
  jpeg_decompress_struct& info = session.info;
  info.out_color_space = is_cmyk(info) ? JCS_CMYK : JCS_EXT_RGBX;
  info.scale_num = 1;
  info.scale_denom = static_cast<unsigned>(reduction);
  jpeg_start_decompress(&info);
  const int left = std::max(window.x - kMargin, 0);
  const int right =
      std::min(window.x + window.width + kMargin, static_cast<int>(info.output_width));
  columns = {static_cast<JDIMENSION>(left), static_cast<JDIMENSION>(right - left)};
  jpeg_crop_scanline(&info, &columns.first, &columns.count);
}

// Decodes the rows of the window, with all of `columns`. It takes several rows at a time, because
// libjpeg makes them in pairs.
void decode_rows(Session& session, const PixelWindow& window, const Columns& columns) {
  jpeg_decompress_struct& info = session.info;
  if (window.y > 0) jpeg_skip_scanlines(&info, static_cast<JDIMENSION>(window.y));
  const std::size_t row_bytes = std::size_t{columns.count} * kViewBytes;
  std::uint8_t* pixels = session.pixels.data();
  std::array<JSAMPROW, 8> rows;
  for (int y = 0; y < window.height;) {
    if (is_cmyk(info)) {
      JSAMPROW row = session.row.data();
      jpeg_read_scanlines(&info, &row, 1);
      convert_cmyk(row, columns.count, info.saw_Adobe_marker != 0, pixels + row_bytes * y++);
      continue;
    }
    const int count = std::min(window.height - y, static_cast<int>(rows.size()));
    for (int i = 0; i < count; ++i)
      rows[static_cast<std::size_t>(i)] = pixels + row_bytes * (y + i);
    y += static_cast<int>(jpeg_read_scanlines(&info, rows.data(), static_cast<JDIMENSION>(count)));
  }
}

}  // namespace

struct JpegDecoder::State : Session {
  bool opened = false;
};

JpegDecoder::JpegDecoder() : state_(std::make_unique<State>()) {
  Session* session = state_.get();
  session->info.err = jpeg_std_error(&session->errors);
  session->info.client_data = session;
  session->errors.error_exit = jump_out;
  session->errors.emit_message = receive_message;
  session->errors.output_message = ignore_output;
  if (!completes(*session, [session] { jpeg_create_decompress(&session->info); })) {
    fail(ExitCode::kFailed, "libjpeg does not start: {}", session->message.data());
  }
  session->progress.progress_monitor = limit_scans;
  session->info.progress = &session->progress;
}

JpegDecoder::~JpegDecoder() {
  jpeg_destroy_decompress(&state_->info);
}

ImageSize JpegDecoder::open(std::string_view file) {
  State& state = *state_;
  jpeg_abort_decompress(&state.info);
  state.opened = false;
  if (file.substr(0, kPngSignature.size()) == kPngSignature) {
    reject_record("the image is a PNG file, not a JPEG file; convert it or skip it");
  }
  if (!completes(state, [&] { read_header(state, file); })) {
    reject_record("not a usable JPEG file ({} bytes): {}", file.size(), state.message.data());
  }
  const std::int64_t pixels = std::int64_t{state.info.image_width} * state.info.image_height;
  if (pixels > kLargestImagePixels) {
    reject_record("the image claims {} x {} pixels; at most {} pixels are accepted",
                  state.info.image_width, state.info.image_height, kLargestImagePixels);
  }
  state.opened = true;
  return {static_cast<int>(state.info.image_width), static_cast<int>(state.info.image_height)};
}

ImageSize reduced_size(ImageSize size, int reduction) {
  return {(size.width + reduction - 1) / reduction, (size.height + reduction - 1) / reduction};
}

void JpegDecoder::decode(const PixelWindow& window, ByteImage& image) {
  const PixelView view = decode(window, 1);
  image.resize(view.width, view.height);
  for (int y = 0; y < view.height; ++y) {
    const std::uint8_t* pixel = view.row(y);
    std::uint8_t* write = image.row(y);
    for (int x = 0; x < view.width; ++x, pixel += kViewBytes, write += kRgb) {
      for (int i = 0; i < kRgb; ++i) write[i] = pixel[i];
    }
  }
}

PixelView JpegDecoder::decode(const PixelWindow& window, int reduction) {
  State& state = *state_;
  CONVOY_CHECK(state.opened);
  state.opened = false;
  CONVOY_CHECK(reduction == 1 || reduction == 2 || reduction == 4 || reduction == 8);
  const ImageSize size = reduced_size(
      {static_cast<int>(state.info.image_width), static_cast<int>(state.info.image_height)},
      reduction);
  CONVOY_CHECK(window.x >= 0 && window.y >= 0 && window.width > 0 && window.height > 0);
  CONVOY_CHECK_LE(window.x + window.width, size.width);
  CONVOY_CHECK_LE(window.y + window.height, size.height);
  Columns columns;
  bool decoded = completes(state, [&] { start(state, window, reduction, columns); });
  if (decoded) {
    const std::size_t row_bytes = std::size_t{columns.count} * kViewBytes;
    // The vector only grows, because one that shrinks and grows again is filled with zeros each
    // time.
    state.pixels.resize(std::max(state.pixels.size(), row_bytes * window.height + kViewBytes));
    state.row.resize(std::max(state.row.size(), row_bytes));
    decoded = completes(state, [&] { decode_rows(state, window, columns); });
  }
  jpeg_abort_decompress(&state.info);
  if (!decoded) reject_record("damaged JPEG file: {}", state.message.data());
  const std::size_t skipped = static_cast<std::size_t>(window.x) - columns.first;
  return {window.width, window.height, state.pixels.data() + skipped * kViewBytes,
          std::size_t{columns.count} * kViewBytes};
}

}  // namespace convoy::data
