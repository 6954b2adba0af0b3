#include "core/cli/show/info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/base/text/json.hpp"
#include "core/checkpoint/checkpoint_directory.hpp"

namespace convoy::cli {
namespace {

void print_text(const checkpoint::SafetensorsFile& file, std::ostream& out) {
  out << fmt::format("{}: {} tensors, {} bytes\n", file.path().string(), file.tensors().size(),
                     file.file_bytes());
  if (!file.metadata().empty()) out << "\nmetadata:\n";
  for (const auto& [name, value] : file.metadata())
    out << fmt::format("  {}: {}\n", checkpoint::printable(name), checkpoint::printable(value));
  std::size_t width = 0;
  for (const checkpoint::StoredTensor& tensor : file.tensors())
    width = std::max(width, checkpoint::printable(tensor.info.name).size());
  out << "\ntensors:\n";
  for (const checkpoint::StoredTensor& tensor : file.tensors())
    out << fmt::format("  {:{}}  {:4}  {:20}  {:>12}\n", checkpoint::printable(tensor.info.name),
                       width, checkpoint::tensor_dtype_name(tensor.info.dtype),
                       checkpoint::shape_text(tensor.info.shape), tensor.end - tensor.begin);
}

void print_json(const checkpoint::SafetensorsFile& file, std::ostream& out) {
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  for (const checkpoint::StoredTensor& tensor : file.tensors())
    tensors.push_back({{"name", tensor.info.name},
                       {"dtype", checkpoint::tensor_dtype_name(tensor.info.dtype)},
                       {"shape", tensor.info.shape},
                       {"bytes", tensor.end - tensor.begin}});
  const nlohmann::ordered_json document = {{"path", file.path().string()},
                                           {"bytes", file.file_bytes()},
                                           {"metadata", file.metadata()},
                                           {"tensors", tensors}};
  out << json_text(document, 2) << '\n';
}

}  // namespace

bool names_tensor_file(const std::string& name) {
  return name.ends_with(".safetensors");
}

void print_tensor_file(const std::string& path, bool json, std::ostream& out) {
  const checkpoint::SafetensorsFile file(path);
  checkpoint::verify_checksum(file);
  json ? print_json(file, out) : print_text(file, out);
}

}  // namespace convoy::cli
