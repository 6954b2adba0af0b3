#include "core/checkpoint/safetensors_writer.hpp"

#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.hpp"
#include "core/checkpoint/durable_file.hpp"
#include "core/data/tfrecord/crc32c.hpp"

namespace convoy::checkpoint {

SafetensorsHeader header_of(std::map<std::string, std::string> metadata,
                            const std::vector<Tensor>& tensors) {
  SafetensorsHeader header{std::move(metadata), {}};
  std::uint64_t end = 0;
  std::set<std::string_view> names;
  for (const Tensor& tensor : tensors) {
    CONVOY_CHECK(names.insert(tensor.info.name).second);
    CONVOY_CHECK_EQ(tensor.info.bytes().value_or(1), tensor.data.size());
    header.tensors.push_back({tensor.info, end, end + tensor.data.size()});
    end += tensor.data.size();
  }
  return header;
}

std::uint64_t write_safetensors(const std::filesystem::path& path,
                                const std::map<std::string, std::string>& metadata,
                                const std::vector<Tensor>& tensors,
                                const std::function<void()>& before_it_appears) {
  const SafetensorsHeader header = header_of(metadata, tensors);
  const std::string json = format_safetensors_header(header);
  const std::uint64_t length = json.size();
  DurableFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(json);
  for (const Tensor& tensor : tensors) file.write(tensor.data);
  if (before_it_appears) {
    file.sync();
    before_it_appears();
  }
  file.commit();
  const std::uint64_t data = header.tensors.empty() ? 0 : header.tensors.back().end;
  return kSafetensorsPrefixBytes + length + data;
}

std::uint32_t tensors_checksum(const std::vector<Tensor>& tensors) {
  std::uint32_t sum = 0;
  for (const Tensor& tensor : tensors)
    sum =
        data::crc32c({reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size()}, sum);
  return sum;
}

}  // namespace convoy::checkpoint
