#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/folder_lock.hpp"
#include "core/checkpoint/safetensors_file.hpp"
#include "core/checkpoint/tensor.hpp"

namespace convoy::checkpoint {

// The checkpoints of one training run: model-<step>.safetensors in a folder, and a marker file that
// lists the complete ones. A checkpoint is written and synced under a temporary name, then the
// marker names it, then it gets its name, and only then old ones go. So whenever the process or the
// machine stops, the newest existing checkpoint of the marker is whole, and any other file is left
// over.
class CheckpointDirectory {
 public:
  using Notice = std::function<void(const std::string&)>;

  // Keeps the newest `keep` checkpoints; 0 keeps all. Touches nothing.
  CheckpointDirectory(std::filesystem::path folder, std::int64_t keep);
  // Removes the folders that it made, where nothing was saved in them.
  ~CheckpointDirectory();
  CheckpointDirectory(CheckpointDirectory&&) = default;
  CheckpointDirectory& operator=(CheckpointDirectory&&) = default;

  const std::filesystem::path& folder() const { return folder_; }

  // Creates the folder where it is missing, keeps other runs from saving there as long as this
  // object lives, with a notice where the file system cannot, and removes what an interrupted save
  // left. Error kFailed when the folder cannot be made or written to, kUnavailable when another run
  // saves there.
  void prepare(const Notice& notice);

  // The newest checkpoint that is whole: format, size and checksum are right. A damaged one gives a
  // notice and the one before is tried. nullptr when there is none; Error kFailed when there are
  // some but all are damaged, with what is wrong with each.
  std::unique_ptr<SafetensorsFile> open_newest(const Notice& notice);

  // Adds checksums of the header and of the tensors to the metadata. Returns the file's path. Error
  // kFailed leaves all checkpoints that were there in place.
  std::filesystem::path save(std::int64_t step, std::map<std::string, std::string> metadata,
                             const std::vector<Tensor>& tensors);

 private:
  std::vector<std::string> list() const;
  std::optional<std::string> newest_untried() const;
  // Writes the marker with this one as the newest; gives those that have to go.
  std::vector<std::string> remember(const std::string& name) const;
  void remove_left_over() const;
  void make_folder();

  std::filesystem::path folder_;
  std::int64_t keep_;
  std::vector<std::filesystem::path> made_;  // the folder first, then those that it is in
  std::unique_ptr<FolderLock> lock_;
  std::vector<std::string> damaged_;  // never listed again
};

// Error kFailed when the header or the tensors are not those that were saved. Files without
// checksums pass: they come from other programs.
void verify_checksum(const SafetensorsFile& file);

}  // namespace convoy::checkpoint
