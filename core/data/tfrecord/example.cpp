#include "core/data/tfrecord/example.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <utility>

#include "core/data/pipeline/bad_record.hpp"
#include "tfrecord/example.pb.h"

namespace convoy::data {
namespace {

constexpr char kImageKey[] = "image/encoded";
constexpr char kLabelKey[] = "image/class/label";
constexpr char kXMinKey[] = "image/object/bbox/xmin";
constexpr char kYMinKey[] = "image/object/bbox/ymin";
constexpr char kXMaxKey[] = "image/object/bbox/xmax";
constexpr char kYMaxKey[] = "image/object/bbox/ymax";

using FeatureMap = google::protobuf::Map<std::string, wire::Feature>;

wire::Feature& find_required(FeatureMap& features, const char* key) {
  const auto found = features.find(key);
  if (found == features.end()) {
    reject_record("the record has no '{}' among its {} keys; it is not an ImageNet example", key,
                  features.size());
  }
  return found->second;
}

std::string take_image(FeatureMap& features) {
  wire::Feature& feature = find_required(features, kImageKey);
  if (!feature.has_bytes_list() || feature.bytes_list().value_size() != 1) {
    reject_record("'{}' is not a single string of bytes", kImageKey);
  }
  return std::move(*feature.mutable_bytes_list()->mutable_value(0));
}

std::int32_t read_label(FeatureMap& features, int classes) {
  const wire::Feature& feature = find_required(features, kLabelKey);
  if (!feature.has_int64_list() || feature.int64_list().value_size() != 1) {
    reject_record("'{}' is not a single integer", kLabelKey);
  }
  const std::int64_t label = feature.int64_list().value(0);
  if (label < 0 || label >= classes) {
    reject_record("'{}' is {}; labels of a run with {} classes are 0 to {} (0 is background)",
                  kLabelKey, label, classes, classes - 1);
  }
  return static_cast<std::int32_t>(label);
}

wire::FloatList read_floats(FeatureMap& features, const char* key) {
  const auto found = features.find(key);
  if (found == features.end()) return {};
  const wire::Feature& feature = found->second;
  if (feature.kind_case() == wire::Feature::KIND_NOT_SET) return {};
  if (!feature.has_float_list()) reject_record("'{}' is not a list of numbers", key);
  return feature.float_list();
}

std::vector<BoundingBox> read_boxes(FeatureMap& features) {
  const wire::FloatList x_min = read_floats(features, kXMinKey);
  const wire::FloatList y_min = read_floats(features, kYMinKey);
  const wire::FloatList x_max = read_floats(features, kXMaxKey);
  const wire::FloatList y_max = read_floats(features, kYMaxKey);
  const int count = x_min.value_size();
  if (y_min.value_size() != count || x_max.value_size() != count || y_max.value_size() != count) {
    reject_record("the bounding box lists have different lengths ({}, {}, {}, {})", count,
                  y_min.value_size(), x_max.value_size(), y_max.value_size());
  }
  std::vector<BoundingBox> boxes;
  boxes.reserve(count);
  for (int i = 0; i < count; ++i) {
    boxes.push_back({x_min.value(i), y_min.value(i), x_max.value(i), y_max.value(i)});
  }
  return boxes;
}

void add_float(FeatureMap& features, const char* key, float value) {
  features[key].mutable_float_list()->add_value(value);
}

}  // namespace

LabelledImage parse_example(std::string_view record, int classes) {
  wire::Example example;
  if (!example.ParseFromArray(record.data(), static_cast<int>(record.size()))) {
    reject_record("the record's {} bytes are not a tf.Example message", record.size());
  }
  FeatureMap& features = *example.mutable_features()->mutable_feature();
  LabelledImage image;
  image.label = read_label(features, classes);
  image.boxes = read_boxes(features);
  image.encoded = take_image(features);
  return image;
}

std::string serialise_example(const LabelledImage& image) {
  wire::Example example;
  FeatureMap& features = *example.mutable_features()->mutable_feature();
  features[kImageKey].mutable_bytes_list()->add_value(image.encoded);
  features[kLabelKey].mutable_int64_list()->add_value(image.label);
  for (const BoundingBox& box : image.boxes) {
    add_float(features, kXMinKey, box.x_min);
    add_float(features, kYMinKey, box.y_min);
    add_float(features, kXMaxKey, box.x_max);
    add_float(features, kYMaxKey, box.y_max);
  }
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);  // maps have no fixed order otherwise
    example.SerializeToCodedStream(&coded);
  }
  return bytes;
}

}  // namespace convoy::data
