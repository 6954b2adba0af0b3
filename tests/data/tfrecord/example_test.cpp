#include "core/data/tfrecord/example.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/data/pipeline/bad_record.hpp"
#include "tests/data/data_test_support.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::data {
namespace {

using ::testing::HasSubstr;

// The wire format by hand: a length-delimited field.
std::string field(int number, const std::string& bytes) {
  std::string result(1, static_cast<char>(number << 3 | 2));
  std::size_t length = bytes.size();
  for (; length >= 128; length >>= 7) result.push_back(static_cast<char>(length | 128));
  result.push_back(static_cast<char>(length));
  return result + bytes;
}

constexpr int kBytesList = 1;
constexpr int kFloatList = 2;
constexpr int kInt64List = 3;

std::string entry(const std::string& key, int kind, const std::string& list) {
  return field(1, field(1, key) + field(2, field(kind, list)));
}

std::string record(const std::string& entries) {
  return field(1, entries);
}

std::string image_entry() {
  return entry("image/encoded", kBytesList, field(1, "JPEG"));
}
std::string label_entry(const std::string& varint) {
  return entry("image/class/label", kInt64List, field(1, varint));
}

const std::string kMinusOne("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);

TEST(Example, ReadsWireBytes) {
  const LabelledImage image = parse_example(record(image_entry() + label_entry("\x2a")), 1001);
  EXPECT_EQ(image.encoded, "JPEG");
  EXPECT_EQ(image.label, 42);
  EXPECT_TRUE(image.boxes.empty());
}

TEST(Example, ReadsUnpackedNumbersToo) {
  const std::string unpacked = entry("image/class/label", kInt64List, "\x08\x2a");
  EXPECT_EQ(parse_example(record(image_entry() + unpacked), 1001).label, 42);
}

TEST(Example, TheLastOfADuplicateKeyCounts) {
  const std::string bytes = record(label_entry("\x05") + image_entry() + label_entry("\x06"));
  EXPECT_EQ(parse_example(bytes, 1001).label, 6);
}

TEST(Example, RoundTripKeepsBoxes) {
  LabelledImage image = {"bytes", 7, {{0.1f, 0.2f, 0.3f, 0.4f}, {0, 0, 1, 1}}};
  const LabelledImage read = parse_example(serialise_example(image), 8);
  EXPECT_EQ(read.encoded, "bytes");
  EXPECT_EQ(read.label, 7);
  ASSERT_EQ(read.boxes.size(), 2u);
  EXPECT_EQ(read.boxes[0].x_min, 0.1f);
  EXPECT_EQ(read.boxes[0].y_min, 0.2f);
  EXPECT_EQ(read.boxes[0].x_max, 0.3f);
  EXPECT_EQ(read.boxes[0].y_max, 0.4f);
  EXPECT_EQ(read.boxes[1].x_max, 1.0f);
}

TEST(Example, MissingKeysAreNamed) {
  EXPECT_THAT(thrown_text([] { parse_example(record(image_entry()), 1001); }),
              HasSubstr("'image/class/label'"));
  EXPECT_THAT(thrown_text([] { parse_example(record(label_entry("\x01")), 1001); }),
              HasSubstr("'image/encoded'"));
  EXPECT_THAT(thrown_text([] { parse_example("", 1001); }), HasSubstr("has no"));
}

TEST(Example, WrongTypesAreRejected) {
  const std::string text_label = entry("image/class/label", kBytesList, field(1, "cat"));
  EXPECT_THAT(thrown_text([&] { parse_example(record(image_entry() + text_label), 1001); }),
              HasSubstr("not a single integer"));
  const std::string number_image = entry("image/encoded", kInt64List, field(1, "\x01"));
  EXPECT_THAT(thrown_text([&] { parse_example(record(number_image + label_entry("\x01")), 1001); }),
              HasSubstr("not a single string"));
  const std::string text_box = entry("image/object/bbox/xmin", kBytesList, field(1, "0"));
  EXPECT_THAT(thrown_text([&] {
                parse_example(record(image_entry() + label_entry("\x01") + text_box), 9);
              }),
              HasSubstr("'image/object/bbox/xmin' is not a list of numbers"));
}

TEST(Example, NumbersOfValuesAreChecked) {
  EXPECT_THROW(parse_example(record(image_entry() + label_entry("\x01\x02")), 9), BadRecord);
  EXPECT_THROW(parse_example(record(image_entry() + label_entry("")), 9), BadRecord);
  const std::string one_edge =
      entry("image/object/bbox/xmin", kFloatList, field(1, std::string(4, 0)));
  EXPECT_THAT(thrown_text([&] {
                parse_example(record(image_entry() + label_entry("\x01") + one_edge), 9);
              }),
              HasSubstr("different lengths (1, 0, 0, 0)"));
}

TEST(Example, LabelsOutOfRangeAreRejected) {
  const auto label = [](const std::string& varint) {
    return parse_example(record(image_entry() + label_entry(varint)), 1001).label;
  };
  EXPECT_EQ(label(std::string(1, '\0')), 0);  // background, as in tf_cnn_benchmarks' test records
  EXPECT_EQ(label("\x01"), 1);
  EXPECT_EQ(label("\xe8\x07"), 1000);
  EXPECT_THAT(thrown_text([&] { label("\xe9\x07"); }),
              HasSubstr("is 1001; labels of a run with 1001 classes are 0 to 1000"));
  EXPECT_THAT(thrown_text([&] { label(kMinusOne); }), HasSubstr("is -1;"));
  // 2^32 + 1 must not pass as 1.
  EXPECT_THAT(thrown_text([&] { label("\x81\x80\x80\x80\x10"); }), HasSubstr("is 4294967297;"));
}

TEST(Example, TruncationAtEveryByteIsAnError) {
  const std::string bytes = record(image_entry() + label_entry("\x2a"));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(parse_example(std::string_view(bytes).substr(0, size), 1001), BadRecord)
        << "truncated to " << size;
  }
}

TEST(Example, HostileBytesAreErrors) {
  EXPECT_THROW(parse_example("\x0a\xff\xff\xff\xff\x0f", 9), BadRecord);        // 4 GiB field
  EXPECT_THROW(parse_example("\x0a" + std::string(20, '\xff'), 9), BadRecord);  // endless varint
  EXPECT_THROW(parse_example(std::string(10000, '\x13'), 9), BadRecord);        // nested groups
}

}  // namespace
}  // namespace convoy::data
