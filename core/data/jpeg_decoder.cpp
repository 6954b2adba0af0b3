#include "core/data/jpeg_decoder.hpp"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>

// libjpeg's headers need <cstdio> before them.
#include <jpeglib.h>
// Message numbers; needs jpeglib.h before it.
#include <jerror.h>

#include "core/data/bad_record.hpp"

namespace convoy {
namespace {

constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";

// libjpeg reports errors by calling a function that must not return. setjmp and longjmp are
// confined to this file: a function that calls setjmp() has only trivial locals and turns a jump
// into `false`, so that exceptions are thrown where no frame of libjpeg lies between.
struct Session {
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  jpeg_progress_mgr progress = {};
  std::jmp_buf jump = {};
  std::array<char, JMSG_LENGTH_MAX> message = {};
  std::vector<std::uint8_t> row;  // one decoded row of up to four components
};

[[noreturn]] void jump_out(j_common_ptr info) {
  auto* session = static_cast<Session*>(info->client_data);
  info->err->format_message(info, session->message.data());
  std::longjmp(session->jump, 1);
}

// Rare but valid files give warnings (stray bytes between markers), so only the end of the data
// before the end of the picture is an error.
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

// Runs `body`, which calls libjpeg and has only trivial locals; false if libjpeg gave up.
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

// Adobe's files, nearly all of those with four components, store the inverse of the ink.
void convert_cmyk(const std::uint8_t* row, int count, bool inverted, std::uint8_t* rgb) {
  for (int x = 0; x < count; ++x, row += 4, rgb += kRgb) {
    for (int i = 0; i < kRgb; ++i) {
      const int colour = inverted ? row[i] : 255 - row[i];
      const int black = inverted ? row[3] : 255 - row[3];
      rgb[i] = static_cast<std::uint8_t>(colour * black / 255);
    }
  }
}

// Columns beside the window that are decoded with it, so that the interpolation of the chroma
// channels sees the same neighbours as in a full decode.
constexpr int kMargin = 2;

void decode_rows(Session& session, const PixelWindow& window, std::uint8_t* pixels) {
  jpeg_decompress_struct& info = session.info;
  info.out_color_space = is_cmyk(info) ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&info);
  const int left = std::max(window.x - kMargin, 0);
  const int right =
      std::min(window.x + window.width + kMargin, static_cast<int>(info.output_width));
  JDIMENSION first_column = static_cast<JDIMENSION>(left);
  JDIMENSION columns = static_cast<JDIMENSION>(right - left);
  jpeg_crop_scanline(&info, &first_column, &columns);
  if (window.y > 0) jpeg_skip_scanlines(&info, static_cast<JDIMENSION>(window.y));
  const int skipped = window.x - static_cast<int>(first_column);
  const std::size_t row_bytes = static_cast<std::size_t>(window.width) * kRgb;
  for (int y = 0; y < window.height; ++y, pixels += row_bytes) {
    JSAMPROW row = session.row.data();
    jpeg_read_scanlines(&info, &row, 1);
    const std::uint8_t* first = row + skipped * info.output_components;
    if (is_cmyk(info)) {
      convert_cmyk(first, window.width, info.saw_Adobe_marker != 0, pixels);
    } else {
      std::memcpy(pixels, first, row_bytes);
    }
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

void JpegDecoder::decode(const PixelWindow& window, ByteImage& image) {
  State& state = *state_;
  CONVOY_CHECK(state.opened);
  state.opened = false;
  CONVOY_CHECK(window.x >= 0 && window.y >= 0 && window.width > 0 && window.height > 0);
  CONVOY_CHECK_LE(window.x + window.width, static_cast<int>(state.info.image_width));
  CONVOY_CHECK_LE(window.y + window.height, static_cast<int>(state.info.image_height));
  image.resize(window.width, window.height);
  state.row.resize(std::size_t{state.info.image_width} * 4);
  std::uint8_t* pixels = image.values.data();
  const bool decoded = completes(state, [&] { decode_rows(state, window, pixels); });
  jpeg_abort_decompress(&state.info);
  if (!decoded) reject_record("damaged JPEG file: {}", state.message.data());
}

}  // namespace convoy
