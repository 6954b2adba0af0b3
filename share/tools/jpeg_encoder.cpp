#include "share/tools/jpeg_encoder.hpp"

#include <cstdio>
#include <cstdlib>

// libjpeg's header needs <cstdio> before it.
#include <jpeglib.h>

namespace convoy {
namespace {

J_COLOR_SPACE color_space_of(int components) {
  if (components == 1) return JCS_GRAYSCALE;
  return components == 3 ? JCS_RGB : JCS_CMYK;
}

}  // namespace

std::string encode_jpeg(const std::uint8_t* pixels, int width, int height, int components,
                        const JpegEncoding& encoding) {
  jpeg_compress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long count = 0;
  jpeg_mem_dest(&info, &bytes, &count);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = components;
  info.in_color_space = color_space_of(components);
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, encoding.quality, TRUE);
  info.optimize_coding = TRUE;
  if (components == 3 && !encoding.chroma_subsampling) {
    info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = 1;
  }
  if (encoding.progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < height; ++y, pixels += std::size_t(width) * components) {
    JSAMPROW row = const_cast<JSAMPROW>(pixels);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string result(reinterpret_cast<const char*>(bytes), count);
  std::free(bytes);
  return result;
}

}  // namespace convoy
