#include "core/data/jpeg/jpeg_encoder.hpp"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>

// libjpeg's header needs <cstdio> to be included before it.
#include <jpeglib.h>

#include "core/base/error.hpp"

namespace convoy::data {
namespace {

// The state of libjpeg. Its errors jump to `jump`, as in the decoder (jpeg_decoder.cpp).
struct EncoderSession {
  jpeg_compress_struct info = {};
  jpeg_error_mgr errors = {};
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX] = {};
  unsigned char* bytes = nullptr;
  unsigned long count = 0;

  EncoderSession() = default;
  EncoderSession(const EncoderSession&) = delete;
  EncoderSession& operator=(const EncoderSession&) = delete;
  ~EncoderSession() {
    jpeg_destroy_compress(&info);
    std::free(bytes);
  }
};

[[noreturn]] void jump_out_of_encoder(j_common_ptr info) {
  auto* session = static_cast<EncoderSession*>(info->client_data);
  info->err->format_message(info, session->message);
  std::longjmp(session->jump, 1);
}

J_COLOR_SPACE color_space_of(int components) {
  if (components == 1) return JCS_GRAYSCALE;
  return components == 3 ? JCS_RGB : JCS_CMYK;
}

// Returns false if libjpeg refuses.
bool encode(EncoderSession* session, const std::uint8_t* pixels, int width, int height,
            int components, const JpegEncoding* encoding) {
  if (setjmp(session->jump) != 0) return false;
  jpeg_compress_struct* info = &session->info;
  jpeg_create_compress(info);
  jpeg_mem_dest(info, &session->bytes, &session->count);
  info->image_width = static_cast<JDIMENSION>(width);
  info->image_height = static_cast<JDIMENSION>(height);
  info->input_components = components;
  info->in_color_space = color_space_of(components);
  jpeg_set_defaults(info);
  jpeg_set_quality(info, encoding->quality, TRUE);
  info->optimize_coding = TRUE;
  if (components == 3 && !encoding->chroma_subsampling)
    info->comp_info[0].h_samp_factor = info->comp_info[0].v_samp_factor = 1;
  if (encoding->progressive) jpeg_simple_progression(info);
  jpeg_start_compress(info, TRUE);
  for (int y = 0; y < height; ++y) {
    JSAMPROW row = const_cast<JSAMPROW>(pixels) + std::size_t(y) * width * components;
    jpeg_write_scanlines(info, &row, 1);
  }
  jpeg_finish_compress(info);
  return true;
}

}  // namespace

std::string encode_jpeg(const std::uint8_t* pixels, int width, int height, int components,
                        const JpegEncoding& encoding) {
  EncoderSession session;
  session.info.err = jpeg_std_error(&session.errors);
  session.info.client_data = &session;
  session.errors.error_exit = jump_out_of_encoder;
  if (!encode(&session, pixels, width, height, components, &encoding))
    fail(ExitCode::kFailed, "encoding a JPEG picture of {} x {} pixels: {}", width, height,
         session.message);
  return std::string(reinterpret_cast<const char*>(session.bytes), session.count);
}

}  // namespace convoy::data
