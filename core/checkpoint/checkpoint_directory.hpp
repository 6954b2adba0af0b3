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

// The checkpoints of one training run: files model-<step>.safetensors in a folder, and a marker
// file that lists the complete ones. A save writes and syncs a checkpoint under a temporary name,
// then lists it in the marker, then renames it, and only then deletes old ones. So whenever the
// process or the machine stops, the newest existing checkpoint of the marker is complete, and any
// other file is a leftover.
class CheckpointDirectory {
 public:
  using Notice = std::function<void(const std::string&)>;

  // Keeps the newest `keep` checkpoints; 0 keeps all. The constructor touches no files.
  CheckpointDirectory(std::filesystem::path folder, std::int64_t keep);
  // Removes the folders that this object created if nothing was saved in them.
  ~CheckpointDirectory();
  CheckpointDirectory(CheckpointDirectory&&) = default;
  CheckpointDirectory& operator=(CheckpointDirectory&&) = default;

  const std::filesystem::path& folder() const { return folder_; }

  // Creates the folder if it is missing. Prevents other runs from saving there as long as this
  // object lives; if the file system cannot do that, gives a notice. Removes what an interrupted
  // save left. Error kFailed if the folder cannot be created or written, kUnavailable if another
  // run saves there.
  void prepare(const Notice& notice);

  // Opens the newest checkpoint that is intact: format, size and checksums are right. For a damaged
  // checkpoint, it gives a notice and tries the one before. Returns nullptr if there is none. Error
  // kFailed if there are some but all are damaged, with what is wrong with each.
  std::unique_ptr<SafetensorsFile> open_newest(const Notice& notice);

  // Adds checksums of the header and of the tensors to the metadata. Returns the file's path. Error
  // kFailed leaves all existing checkpoints in place.
  std::filesystem::path save(std::int64_t step, std::map<std::string, std::string> metadata,
                             const std::vector<Tensor>& tensors);

 private:
  std::vector<std::string> list() const;
  std::optional<std::string> newest_untried() const;
  // Writes the marker with this checkpoint as the newest. Returns the names of checkpoints to
  // delete.
  std::vector<std::string> remember(const std::string& name) const;
  void remove_left_over() const;
  void make_folder();

  std::filesystem::path folder_;
  std::int64_t keep_;
  // The folders that this object created, innermost first.
  std::vector<std::filesystem::path> made_;
  std::unique_ptr<FolderLock> lock_;
  std::vector<std::string> damaged_;  // names that are never listed again
};

// Error kFailed if the header or the tensors differ from those that were saved. Files without
// checksums pass, because they come from other programs.
void verify_checksum(const SafetensorsFile& file);

}  // namespace convoy::checkpoint
