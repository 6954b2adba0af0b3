#include "core/checkpoint/safetensors_writer.hpp"

#include "core/base/error.hpp"
#include "core/checkpoint/durable_file.hpp"
#include "core/checkpoint/safetensors_header.hpp"
#include "core/data/crc32c.hpp"

namespace convoy {

std::uint64_t write_safetensors(const std::filesystem::path& path,
                                const std::map<std::string, std::string>& metadata,
                                const std::vector<Tensor>& tensors) {
  SafetensorsHeader header{metadata, {}};
  std::uint64_t end = 0;
  for (const Tensor& tensor : tensors) {
    CONVOY_CHECK_EQ(tensor.info.bytes().value_or(1), tensor.data.size());
    header.tensors.push_back({tensor.info, end, end + tensor.data.size()});
    end += tensor.data.size();
  }
  const std::string json = format_safetensors_header(header);
  const std::uint64_t length = json.size();
  DurableFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(json);
  for (const Tensor& tensor : tensors) file.write(tensor.data);
  file.commit();
  return kSafetensorsPrefixBytes + length + end;
}

std::uint32_t tensors_checksum(const std::vector<Tensor>& tensors) {
  std::uint32_t sum = 0;
  for (const Tensor& tensor : tensors)
    sum = crc32c({reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size()}, sum);
  return sum;
}

}  // namespace convoy
