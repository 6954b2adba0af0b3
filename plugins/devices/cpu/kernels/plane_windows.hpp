#pragma once

#include <cstddef>

namespace convoy::cpu {

// Windows over one plane: the cells of one block of channels of one image. Windows extend beyond
// the image by the padding; only the cells on the image count.
struct PlaneWindows {
  std::size_t in_height, in_width, out_height, out_width;
  std::size_t kernel_height, kernel_width, stride_height, stride_width;
  std::size_t pad_top, pad_left;
};

}  // namespace convoy::cpu
