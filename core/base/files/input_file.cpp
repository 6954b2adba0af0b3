#include "core/base/files/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace convoy {
namespace {

std::string reason() {
  return errno == EISDIR ? "it is a folder" : std::strerror(errno);
}

// Waits until there is data or the end of the file. Returns why it failed; empty if it did not.
std::string wait_for_piece(int descriptor, std::chrono::milliseconds patience) {
  pollfd awaited{descriptor, POLLIN, 0};
  const int ready = ::poll(&awaited, 1, static_cast<int>(patience.count()));
  if (ready > 0) return {};
  if (ready < 0) return reason();
  return fmt::format("nothing has come from it for {} s",
                     std::chrono::duration<double>(patience).count());
}

// Appends the next piece, up to `most` bytes in all. Returns false at the end (errno is 0) or if it
// cannot be read (errno says why).
bool read_piece(int descriptor, std::size_t most, std::string& bytes) {
  char piece[1 << 14];
  const ssize_t count = ::read(descriptor, piece, std::min(sizeof(piece), most - bytes.size()));
  if (count > 0) bytes.append(piece, static_cast<std::size_t>(count));
  if (count == 0) errno = 0;
  return count > 0;
}

// Returns whether there is more. It reads into a buffer of its own, because one byte beyond a large
// limit would double the memory of the text.
bool has_more(int descriptor) {
  char next = 0;
  return ::read(descriptor, &next, 1) > 0;
}

// Appends everything until the end. Returns why that failed; empty if it did not.
std::string read_to_end(int descriptor, std::size_t most, std::chrono::milliseconds patience,
                        std::string& bytes) {
  for (;;) {
    if (std::string problem = wait_for_piece(descriptor, patience); !problem.empty())
      return problem;
    if (bytes.size() == most)
      return has_more(descriptor) ? fmt::format("it has more than {} bytes", most) : "";
    if (!read_piece(descriptor, most, bytes)) return errno == 0 ? "" : reason();
  }
}

}  // namespace

InputFile read_input_file(const std::filesystem::path& path, std::size_t most,
                          std::chrono::milliseconds patience) {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return {{}, reason()};
  InputFile file;
  file.problem = read_to_end(descriptor, most, patience, file.bytes);
  ::close(descriptor);
  if (!file.problem.empty()) file.bytes.clear();
  return file;
}

}  // namespace convoy
