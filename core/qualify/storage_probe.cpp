#include "core/qualify/storage_probe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/process/clocks.hpp"

namespace convoy::qualify {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

class File {
 public:
  File(const std::string& path, int flags)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  void forget_pages() const { ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED); }

 private:
  int descriptor_;
};

[[noreturn]] void fail_at(const std::filesystem::path& folder, const char* what) {
  fail(ExitCode::kUnavailable,
       "storage cannot be measured: {} in {} failed: {}; is it full, or read-only? TMPDIR "
       "names another folder",
       what, folder.string(), std::strerror(errno));
}

void write_all(const File& file, std::uint64_t bytes, const std::filesystem::path& folder) {
  std::vector<char> piece(kPiece);
  std::uint32_t noise = 1;  // file systems may compress repeated data
  for (char& byte : piece) byte = static_cast<char>((noise = noise * 1664525u + 1013904223u) >> 24);
  for (std::uint64_t done = 0; done < bytes;) {
    const std::size_t size = std::min<std::uint64_t>(kPiece, bytes - done);
    std::memcpy(piece.data(), &done, sizeof(done));
    const ssize_t written = ::write(file.get(), piece.data(), size);
    if (written <= 0) fail_at(folder, "writing");
    done += static_cast<std::uint64_t>(written);
  }
  if (::fdatasync(file.get()) != 0) fail_at(folder, "writing to the medium");
}

std::uint64_t read_all(const File& file, std::uint64_t most) {
  std::vector<char> piece(kPiece);
  std::uint64_t done = 0;
  while (done < most) {
    const ssize_t read = ::read(file.get(), piece.data(), piece.size());
    if (read <= 0) break;
    done += static_cast<std::uint64_t>(read);
  }
  return done;
}

}  // namespace

StorageRates probe_storage(const std::filesystem::path& folder, std::uint64_t bytes) {
  std::string path = (folder / "convoy_qualify_XXXXXX").string();
  const int made = ::mkstemp(path.data());
  if (made < 0) fail_at(folder, "making a file");
  ::close(made);
  const File file(path, O_RDWR);
  // The file loses its name at once, so that nothing is left behind whatever happens.
  ::unlink(path.c_str());
  if (!file.is_open()) fail_at(folder, "opening a file");
  StorageRates rates;
  double begin = steady_seconds();
  write_all(file, bytes, folder);
  rates.write = static_cast<double>(bytes) / std::max(steady_seconds() - begin, 1e-9);
  file.forget_pages();
  ::lseek(file.get(), 0, SEEK_SET);
  begin = steady_seconds();
  const std::uint64_t read = read_all(file, bytes);
  rates.read = static_cast<double>(read) / std::max(steady_seconds() - begin, 1e-9);
  return rates;
}

std::optional<double> probe_reading(const std::filesystem::path& folder, std::uint64_t bytes) {
  std::uint64_t done = 0;
  double seconds = 0;
  std::error_code error;
  std::filesystem::recursive_directory_iterator files(folder, error);
  for (; !error && files != std::filesystem::end(files) && done < bytes; files.increment(error)) {
    if (!files->is_regular_file(error)) continue;
    const File file(files->path().string(), O_RDONLY);
    if (!file.is_open()) continue;
    file.forget_pages();
    const double begin = steady_seconds();
    done += read_all(file, bytes - done);
    seconds += steady_seconds() - begin;
  }
  if (done < bytes / 10 || !(seconds > 0)) return std::nullopt;
  return static_cast<double>(done) / seconds;
}

}  // namespace convoy::qualify
