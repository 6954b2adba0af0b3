#include "core/data/cifar10/cifar10_images.hpp"

#include <fstream>
#include <string_view>
#include <system_error>

#include "core/base/error.hpp"
#include "core/data/cifar10/cifar10_pickle.hpp"
#include "core/data/cifar10/pickle.hpp"
#include "core/data/pipeline/bad_record.hpp"

namespace convoy::data {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> file_names(Subset subset) {
  if (subset == Subset::kValidation) return {"test_batch"};
  std::vector<std::string> names;
  for (int i = 1; i <= 5; ++i) names.push_back(fmt::format("data_batch_{}", i));
  return names;
}

// Returns the folder and the suffix of the files' names.
std::pair<fs::path, std::string> find_files(const fs::path& folder, const std::string& first) {
  std::error_code error;
  if (fs::is_regular_file(folder, error))
    fail(ExitCode::kUnavailable, "data_dir {} is a file: name the folder that contains it",
         folder.string());
  for (const char* const inner : {"", "cifar-10-batches-bin", "cifar-10-batches-py"}) {
    for (const char* const ending : {".bin", ""}) {
      std::error_code ignored;
      const fs::path candidate = *inner == 0 ? folder : folder / inner;
      if (fs::is_regular_file(candidate / (first + ending), ignored)) return {candidate, ending};
    }
  }
  fail(ExitCode::kUnavailable,
       "no file {0}.bin (binary form) or {0} (Python form) of CIFAR-10 in the data folder {1}, nor "
       "in cifar-10-batches-bin or cifar-10-batches-py inside it",
       first, folder.string());
}

std::string read_whole(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type != fs::file_type::not_found && type != fs::file_type::regular &&
      type != fs::file_type::directory)
    fail(ExitCode::kUnavailable, "cannot read {}: it is a pipe, a device or a socket",
         path.string());
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size == 0)
    fail(ExitCode::kUnavailable, "{} has no bytes: it was not downloaded or copied to its end",
         path.string());
  if (error) {
    fail(ExitCode::kUnavailable, "cannot read {}: {}; all files of the set must be there",
         path.string(), error.message());
  }
  if (size > kLargestPickle) {
    fail(ExitCode::kFailed, "{} has {} bytes; no file of CIFAR-10 is larger than {}", path.string(),
         size, kLargestPickle);
  }
  std::string bytes(size, '\0');
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(size))) {
    fail(ExitCode::kUnavailable, "cannot read the {} bytes of {}", size, path.string());
  }
  return bytes;
}

class Collector {
 public:
  explicit Collector(BadRecordPolicy policy) : policy_(policy) {}

  // Reserves room for this many further images.
  void expect(std::size_t images) {
    images_.labels.reserve(images_.labels.size() + images);
    images_.pixels.reserve(images_.pixels.size() + images * kCifar10ImageBytes);
  }

  // `place` returns the position of the image as a text.
  template <typename Place>
  void add(std::int64_t label, std::string_view pixels, const Place& place) {
    if (label < 0 || label > kCifar10LargestLabel) {
      return reject(
          fmt::format("label {} is not in 0 .. {} ({})", label, kCifar10LargestLabel, place()));
    }
    images_.labels.push_back(static_cast<std::uint8_t>(label));
    images_.pixels.insert(images_.pixels.end(), pixels.begin(), pixels.end());
  }

  // To be called after all images of a file.
  void end_file(const std::string& name) {
    const std::int64_t images = images_.count() + images_.skipped - before_;
    before_ += images;
    if (images != kCifar10FileImages)
      images_.odd_files +=
          fmt::format("{}{} has {}", images_.odd_files.empty() ? "" : ", ", name, images);
  }

  void reject(const std::string& text) {
    if (policy_ == BadRecordPolicy::kFail)
      reject_record("{}; --on_bad_record=skip leaves such images out", text);
    if (images_.skipped++ == 0) images_.skip_example = text;
  }

  Cifar10Images take() { return std::move(images_); }

 private:
  BadRecordPolicy policy_;
  Cifar10Images images_;
  std::int64_t before_ = 0;  // number of images of earlier files
};

// Each record is a label byte and the image.
void read_binary(const fs::path& path, const std::string& bytes, Collector& collector) {
  constexpr std::size_t kRecord = 1 + std::size_t{kCifar10ImageBytes};
  const std::string_view view = bytes;
  collector.expect(view.size() / kRecord);
  for (std::size_t at = 0; at < view.size(); at += kRecord) {
    const auto place = [&] { return fmt::format("in {}, byte {}", path.string(), at); };
    const std::string_view record = view.substr(at, kRecord);
    if (record.size() < kRecord) {
      return collector.reject(fmt::format("truncated: {} of {} bytes of an image ({})",
                                          record.size(), kRecord, place()));
    }
    collector.add(static_cast<unsigned char>(record[0]), record.substr(1), place);
  }
}

void read_python(const fs::path& path, const std::string& bytes, Collector& collector) {
  const Cifar10Batch batch = unpickle_cifar10(bytes, path);
  const std::string_view pixels = batch.pixels;
  collector.expect(batch.labels.size());
  for (std::size_t i = 0; i < batch.labels.size(); ++i) {
    collector.add(batch.labels[i],
                  pixels.substr(i * kCifar10ImageBytes, std::size_t{kCifar10ImageBytes}),
                  [&] { return fmt::format("in {}, image {}", path.string(), i); });
  }
}

}  // namespace

void require_cifar10(const fs::path& folder, Subset subset) {
  find_files(folder, file_names(subset).front());
}

Cifar10Images read_cifar10(const fs::path& folder, Subset subset, BadRecordPolicy on_bad_record) {
  const std::vector<std::string> names = file_names(subset);
  const auto [files, ending] = find_files(folder, names.front());
  Collector collector(on_bad_record);
  for (const std::string& name : names) {
    const fs::path path = files / (name + ending);
    const std::string bytes = read_whole(path);
    if (ending.empty()) {
      read_python(path, bytes, collector);
    } else {
      read_binary(path, bytes, collector);
    }
    collector.end_file(name + ending);
  }
  Cifar10Images images = collector.take();
  if (images.count() == 0) {
    fail(ExitCode::kUnavailable, "the files of CIFAR-10 in {} contain no usable image{}{}",
         files.string(), images.skipped == 0 ? "" : "; ", images.skip_example);
  }
  return images;
}

}  // namespace convoy::data
