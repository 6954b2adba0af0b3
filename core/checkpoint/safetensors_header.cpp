#include "core/checkpoint/safetensors_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "core/base/error.hpp"
#include "core/base/text/json.hpp"
#include "core/data/tfrecord/crc32c.hpp"

namespace convoy::checkpoint {
namespace {

using Json = nlohmann::json;

constexpr const char* kMetadataKey = "__metadata__";

// Receives the parser's events. A document tree would hide duplicate keys and could grow without
// bounds for a hostile file. Here, anything that does not belong ends the parsing with `problem()`.
class HeaderReader : public nlohmann::json_sax<Json> {
 public:
  SafetensorsHeader take() { return std::move(header_); }
  const std::string& problem() const { return problem_; }

  bool null() override { return refuse("null"); }
  bool boolean(bool) override { return refuse("a boolean"); }
  bool number_integer(number_integer_t) override { return refuse("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    return refuse("a number that is no 64-bit count");
  }
  bool binary(binary_t&) override { return refuse("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::kShape && place_ != Place::kOffsets) return refuse("a number");
    numbers_.push_back(value);
    return true;
  }

  bool string(string_t& value) override {
    if (place_ == Place::kMetadata) {
      header_.metadata[key_] = value;
      return true;
    }
    if (place_ != Place::kTensor || key_ != "dtype") return refuse("a text");
    const auto dtype = parse_tensor_dtype(value);
    if (!dtype) return complain(fmt::format("dtype '{}' is unknown", printable(value)));
    header_.tensors.back().info.dtype = *dtype;
    return true;
  }

  bool start_object(std::size_t) override {
    if (place_ == Place::kNothing) {
      place_ = Place::kTop;
      return true;
    }
    if (place_ != Place::kTop) return refuse("an object");
    fields_.clear();
    if (key_ == kMetadataKey) {
      place_ = Place::kMetadata;
      return true;
    }
    header_.tensors.emplace_back().info.name = key_;
    place_ = Place::kTensor;
    return true;
  }

  bool key(string_t& name) override {
    if (place_ == Place::kTop) {
      key_ = name;
      return names_.insert(name).second || complain("the name occurs twice");
    }
    if (!fields_.insert(name).second)
      return complain(fmt::format("its field '{}' occurs twice", printable(name)));
    key_ = name;
    if (place_ == Place::kMetadata) return true;
    if (name == "dtype" || name == "shape" || name == "data_offsets") return true;
    return complain(fmt::format("its field '{}' is unknown", printable(name)));
  }

  bool end_object() override {
    if (place_ == Place::kTensor && fields_.size() != 3)
      return complain("it needs the fields dtype, shape and data_offsets");
    place_ = place_ == Place::kTop ? Place::kNothing : Place::kTop;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::kTensor || key_ == "dtype") return refuse("a list");
    place_ = key_ == "shape" ? Place::kShape : Place::kOffsets;
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    StoredTensor& tensor = header_.tensors.back();
    if (place_ == Place::kShape) {
      tensor.info.shape = numbers_;
    } else {
      if (numbers_.size() != 2 || numbers_[0] > numbers_[1])
        return complain("data_offsets must be two numbers, begin and end");
      tensor.begin = numbers_[0];
      tensor.end = numbers_[1];
    }
    place_ = Place::kTensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    problem_ = fmt::format("the header is not JSON at byte {}", position);
    return false;
  }

 private:
  enum class Place { kNothing, kTop, kMetadata, kTensor, kShape, kOffsets };

  bool refuse(const char* what) { return complain(fmt::format("{} does not belong here", what)); }

  bool complain(const std::string& text) {
    if (place_ == Place::kMetadata)
      problem_ = fmt::format("metadata '{}': {}", printable(key_), text);
    else if (in_tensor())
      problem_ = fmt::format("tensor '{}': {}", printable(header_.tensors.back().info.name), text);
    else if (place_ == Place::kTop && !key_.empty())
      problem_ = fmt::format("tensor '{}': {}", printable(key_), text);
    else
      problem_ = text;
    return false;
  }

  bool in_tensor() const {
    return place_ == Place::kTensor || place_ == Place::kShape || place_ == Place::kOffsets;
  }

  SafetensorsHeader header_;
  std::string problem_;
  Place place_ = Place::kNothing;
  std::string key_;
  std::set<std::string> names_;   // names of tensors
  std::set<std::string> fields_;  // names in the object being read
  std::vector<std::uint64_t> numbers_;
};

[[noreturn]] void fail_tensor(const std::string& file, const StoredTensor& tensor,
                              const std::string& text) {
  fail(ExitCode::kFailed, "{}: tensor '{}': {}", file, printable(tensor.info.name), text);
}

void check_size(const StoredTensor& tensor, std::uint64_t data_bytes, const std::string& file) {
  const auto bytes = tensor.info.bytes();
  const std::string shape = shape_text(tensor.info.shape);
  if (!bytes)
    fail_tensor(file, tensor, fmt::format("shape {} has more bytes than 64 bits count", shape));
  if (tensor.end > data_bytes)
    fail_tensor(file, tensor,
                fmt::format("it ends at byte {}, but the file has {} bytes of data: it was cut off",
                            tensor.end, data_bytes));
  if (*bytes != tensor.end - tensor.begin)
    fail_tensor(file, tensor,
                fmt::format("{} of shape {} takes {} bytes, but data_offsets give it {}",
                            tensor_dtype_name(tensor.info.dtype), shape, *bytes,
                            tensor.end - tensor.begin));
}

// The tensors are sorted by begin and must follow each other without gaps.
void check_tiling(const std::vector<StoredTensor>& tensors, std::uint64_t data_bytes,
                  const std::string& file) {
  std::uint64_t covered = 0;
  for (const StoredTensor& tensor : tensors) {
    if (tensor.begin < covered)
      fail_tensor(file, tensor,
                  fmt::format("it overlaps the tensor before it ({} < {})", tensor.begin, covered));
    if (tensor.begin > covered)
      fail_tensor(
          file, tensor,
          fmt::format("bytes {} to {} before it belong to no tensor", covered, tensor.begin));
    covered = tensor.end;
  }
  if (covered != data_bytes)
    fail(ExitCode::kFailed, "{}: the last {} bytes belong to no tensor", file,
         data_bytes - covered);
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_bytes,
                                           const std::string& file) {
  HeaderReader reader;
  if (!json.starts_with('{'))
    fail(ExitCode::kFailed, "{} is no safetensors file: its header is not a JSON object", file);
  if (!Json::sax_parse(json.begin(), json.end(), &reader))
    fail(ExitCode::kFailed, "{}: {}", file, reader.problem());
  SafetensorsHeader header = reader.take();
  for (const StoredTensor& tensor : header.tensors) check_size(tensor, data_bytes, file);
  std::ranges::sort(header.tensors, [](const StoredTensor& a, const StoredTensor& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  check_tiling(header.tensors, data_bytes, file);
  return header;
}

std::uint32_t header_checksum(const SafetensorsHeader& header, std::string_view except) {
  // Each text is preceded by its length, so that no two headers give the same bytes.
  std::string said;
  const auto say = [&said](std::string_view text) {
    said += fmt::format("{}:{}", text.size(), text);
  };
  for (const auto& [key, value] : header.metadata) {
    if (key == except) continue;
    say(key);
    say(value);
  }
  // Sorted by name, because tensors without bytes have no order.
  std::map<std::string_view, const StoredTensor*> by_name;
  for (const StoredTensor& tensor : header.tensors) by_name.emplace(tensor.info.name, &tensor);
  for (const auto& [name, tensor] : by_name) {
    say(name);
    say(fmt::format("{} {} {} {}", tensor_dtype_name(tensor->info.dtype),
                    shape_text(tensor->info.shape), tensor->begin, tensor->end));
  }
  return data::crc32c(said);
}

std::string format_safetensors_header(const SafetensorsHeader& header) {
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  if (!header.metadata.empty()) document[kMetadataKey] = header.metadata;
  for (const StoredTensor& tensor : header.tensors)
    document[tensor.info.name] = {{"dtype", tensor_dtype_name(tensor.info.dtype)},
                                  {"shape", tensor.info.shape},
                                  {"data_offsets", {tensor.begin, tensor.end}}};
  std::string text = json_text(document);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace convoy::checkpoint
