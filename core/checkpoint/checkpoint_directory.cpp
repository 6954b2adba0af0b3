#include "core/checkpoint/checkpoint_directory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/files/folder_entries.hpp"
#include "core/base/text/counted.hpp"
#include "core/checkpoint/checkpoint_marker.hpp"
#include "core/checkpoint/durable_file.hpp"
#include "core/checkpoint/safetensors_writer.hpp"

namespace convoy::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDataChecksum = "data_crc32c";
constexpr const char* kHeaderChecksum = "header_crc32c";

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Returns the checkpoints in the folder by name, the highest step first.
std::vector<std::string> scan(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::path& entry : folder_entries(folder, error)) {
    const std::string name = entry.filename().string();
    if (checkpoint_step(name)) names.push_back(name);
  }
  std::ranges::sort(names, std::ranges::greater{},
                    [](const std::string& name) { return *checkpoint_step(name); });
  return names;
}

}  // namespace

void verify_checksum(const SafetensorsFile& file) {
  const auto compare = [&](const char* key, const char* what, const auto& sum) {
    const auto stored = file.metadata().find(key);
    if (stored == file.metadata().end()) return;
    const std::string found = fmt::format("{:08x}", sum());
    if (found != stored->second)
      fail(ExitCode::kFailed, "{}: its {} checksum {}, but {} was saved: it is damaged",
           file.path().string(), what, found, printable(stored->second));
  };
  compare(kHeaderChecksum, "header has",
          [&] { return header_checksum(file.header(), kHeaderChecksum); });
  compare(kDataChecksum, "tensors have", [&] { return file.checksum(); });
}

CheckpointDirectory::CheckpointDirectory(fs::path folder, std::int64_t keep)
    : folder_(std::move(folder)), keep_(keep) {}

CheckpointDirectory::~CheckpointDirectory() {
  std::error_code error;
  for (const fs::path& folder : made_)
    if (!fs::remove(folder, error)) return;
}

// Error kFailed if it cannot be created.
void CheckpointDirectory::make_folder() {
  std::error_code error;
  std::vector<fs::path> missing;
  for (fs::path it = folder_; !it.empty() && !fs::exists(it, error); it = it.parent_path())
    if (it.has_filename()) missing.push_back(it);  // "runs/1/" is the same folder as "runs/1"
  fs::create_directories(folder_, error);
  if (error || !fs::is_directory(folder_, error))
    fail(ExitCode::kFailed,
         "cannot create the folder {} for checkpoints: {}; --train_dir names one that is there or "
         "can be made",
         folder_.string(), error ? error.message() : "something else of that name exists");
  made_.insert(made_.begin(), missing.begin(), missing.end());
}

void CheckpointDirectory::prepare(const Notice& notice) {
  std::error_code error;
  if (fs::is_regular_file(folder_, error))
    fail(ExitCode::kFailed,
         "{} is a file, and checkpoints of a training need a folder: --init_weights starts from "
         "one file",
         folder_.string());
  make_folder();
  if (::access(folder_.c_str(), W_OK | X_OK) != 0) {
    if (errno != EACCES)
      fail(ExitCode::kFailed, "cannot write checkpoints to {}: {}", folder_.string(),
           std::strerror(errno));
    fail(ExitCode::kFailed,
         "no permission to write checkpoints to {}: its mode is {:03o}, and new folders get what "
         "`umask` leaves; change that, or choose another --train_dir",
         folder_.string(), static_cast<unsigned>(fs::status(folder_, error).permissions()));
  }
  if (!lock_) lock_ = std::make_unique<FolderLock>(folder_);
  if (!lock_->refusal().empty())
    notice(
        fmt::format("the folder {} cannot be locked ({}): nothing keeps another run from saving "
                    "its checkpoints there",
                    folder_.string(), lock_->refusal()));
  remove_left_over();
}

// Removes the files of a run that was killed while it saved or removed old checkpoints.
void CheckpointDirectory::remove_left_over() const {
  std::error_code error;
  std::vector<fs::path> left_over;
  for (const fs::path& entry : folder_entries(folder_, error))
    if (DurableFile::is_temporary(entry)) left_over.push_back(entry);
  // The old checkpoints are still needed if the new one was not renamed.
  const CheckpointMarker marker = read_checkpoint_marker(folder_).value_or(CheckpointMarker{});
  const bool arrived =
      !marker.newest_first.empty() && fs::exists(folder_ / marker.newest_first.front(), error);
  if (arrived)
    for (const std::string& name : marker.leaving) left_over.push_back(folder_ / name);
  for (const fs::path& path : left_over) fs::remove(path, error);
}

// Returns the existing checkpoints that the marker names. Those marked for deletion come last: the
// save that marked them may have died before its own checkpoint was renamed. Without a readable
// marker, returns all checkpoints in the folder.
std::vector<std::string> CheckpointDirectory::list() const {
  const std::optional<CheckpointMarker> marker = read_checkpoint_marker(folder_);
  std::vector<std::string> names = marker ? marker->newest_first : scan(folder_);
  if (marker) names.insert(names.end(), marker->leaving.begin(), marker->leaving.end());
  std::erase_if(names, [this](const std::string& name) {
    std::error_code error;
    return contains(damaged_, name) || !fs::exists(folder_ / name, error);
  });
  return names;
}

// If all checkpoints that the marker names are damaged, other files are the last resort.
std::optional<std::string> CheckpointDirectory::newest_untried() const {
  std::vector<std::string> names = list();
  if (names.empty()) {
    names = scan(folder_);
    std::erase_if(names, [this](const std::string& name) { return contains(damaged_, name); });
  }
  return names.empty() ? std::nullopt : std::optional(names.front());
}

// The folder is listed again after each attempt, because a run that saves there may have removed
// files meanwhile.
std::unique_ptr<SafetensorsFile> CheckpointDirectory::open_newest(const Notice& notice) {
  std::vector<std::string> problems;
  while (const std::optional<std::string> name = newest_untried()) {
    try {
      auto file = std::make_unique<SafetensorsFile>(folder_ / *name);
      verify_checksum(*file);
      return file;
    } catch (const Error& error) {
      notice(fmt::format("{}; trying the checkpoint before it", error.what()));
      problems.emplace_back(error.what());
      damaged_.push_back(*name);
    }
  }
  if (problems.empty()) {
    if (const auto marker = read_checkpoint_marker(folder_);
        marker && !marker->newest_first.empty())
      notice(fmt::format("{} names {}, but no checkpoint is in the folder: were they moved away?",
                         (folder_ / kCheckpointMarker).string(), marker->newest_first.front()));
    return nullptr;
  }
  fail(
      ExitCode::kFailed,
      "none of the {} checkpoints in {} can be used; move them away to train from the start:\n  {}",
      problems.size(), folder_.string(), joined_some(problems, 10, "\n  "));
}

fs::path CheckpointDirectory::save(std::int64_t step, std::map<std::string, std::string> metadata,
                                   const std::vector<Tensor>& tensors) {
  const std::string name = checkpoint_name(step);
  metadata[kDataChecksum] = fmt::format("{:08x}", tensors_checksum(tensors));
  metadata[kHeaderChecksum] =
      fmt::format("{:08x}", header_checksum(header_of(metadata, tensors), kHeaderChecksum));
  std::vector<std::string> old;
  write_safetensors(folder_ / name, metadata, tensors, [&] {
    std::erase(damaged_, name);
    old = remember(name);
  });
  std::error_code error;
  for (const std::string& gone : old) fs::remove(folder_ / gone, error);
  return folder_ / name;
}

// If the process dies after this, the marker names every checkpoint that is left. The new one may
// not be renamed yet and is then missing, and the old ones are marked for deletion.
std::vector<std::string> CheckpointDirectory::remember(const std::string& name) const {
  std::vector<std::string> names = list();
  std::erase(names, name);
  names.insert(names.begin(), name);
  std::vector<std::string> old;
  if (keep_ > 0 && names.size() > static_cast<std::size_t>(keep_)) {
    old.assign(names.begin() + keep_, names.end());
    names.resize(static_cast<std::size_t>(keep_));
  }
  write_checkpoint_marker(folder_, {names, old});
  return old;
}

}  // namespace convoy::checkpoint
