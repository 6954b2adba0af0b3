#pragma once

#include <string>
#include <vector>

namespace convoy {

// JPEG files (4:2:0, as most photographs) of pictures with the statistics of photographs: detail at
// every scale, less contrast the finer it is. The quality is chosen so that a file has about
// `bytes` bytes. The same arguments always give the same files.
std::vector<std::string> make_photographs(int count, int width, int height, std::size_t bytes);

}  // namespace convoy
