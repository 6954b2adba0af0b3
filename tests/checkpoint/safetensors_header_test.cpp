#include "core/checkpoint/safetensors_header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace convoy::checkpoint {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Two tensors of 8 and 4 bytes, the second one first in the JSON.
constexpr const char* kGood =
    R"({"__metadata__":{"step":"7"},"b":{"dtype":"I32","shape":[1],"data_offsets":[8,12]},)"
    R"("a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}} )";

TEST(SafetensorsHeader, ReadsTensorsInTheOrderOfTheirBytes) {
  const SafetensorsHeader header = parse_safetensors_header(kGood, 12, "f");
  ASSERT_EQ(header.tensors.size(), 2u);
  EXPECT_EQ(header.tensors[0].info.name, "a");
  EXPECT_EQ(header.tensors[0].info.shape, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(header.tensors[1].info.dtype, TensorDtype::kI32);
  EXPECT_EQ(header.metadata.at("step"), "7");
}

TEST(SafetensorsHeader, ReadsWhatItWrites) {
  SafetensorsHeader header{{{"quote", "\"\\ \n"}}, {}};
  header.tensors.push_back({{"x/y", TensorDtype::kF64, {}}, 0, 8});
  header.tensors.push_back({{"empty", TensorDtype::kU8, {0, 3}}, 8, 8});
  const std::string text = format_safetensors_header(header);
  EXPECT_EQ(text.size() % 8, 0u) << text;
  const SafetensorsHeader again = parse_safetensors_header(text, 8, "f");
  EXPECT_EQ(again.metadata, header.metadata);
  ASSERT_EQ(again.tensors.size(), 2u);
  EXPECT_EQ(again.tensors[0].info.name, "x/y");
  EXPECT_TRUE(again.tensors[0].info.shape.empty());
  EXPECT_EQ(again.tensors[1].info.name, "empty");
}

TEST(SafetensorsHeader, WritesMetadataThatIsNotUtf8) {
  const SafetensorsHeader header{{{"flags", "\xff\xfe"}}, {}};
  EXPECT_EQ(parse_safetensors_header(format_safetensors_header(header), 0, "f").metadata.size(),
            1u);
}

struct Hostile {
  const char* name;
  std::string json;
  std::uint64_t data_bytes;
  const char* text;  // part of the message
};

void PrintTo(const Hostile& hostile, std::ostream* stream) {
  *stream << hostile.name;
}

std::string tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"conv1":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" +
         offsets + "}}";
}

std::string two(const std::string& first, const std::string& second) {
  return R"({"first":{"dtype":"U8","shape":[4],"data_offsets":)" + first +
         R"(},"second":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}";
}

class HostileHeader : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileHeader, IsRefusedWithAReason) {
  try {
    parse_safetensors_header(GetParam().json, GetParam().data_bytes, "weights.safetensors");
    ADD_FAILURE() << "accepted: " << GetParam().json;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kFailed);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("weights.safetensors"), HasSubstr(GetParam().text)));
  }
}

const Hostile kHostile[] = {
    {"NotJson", "{nonsense", 0, "not JSON at byte"},
    {"Empty", "", 0, "not a JSON object"},
    {"List", "[]", 0, "not a JSON object"},
    {"TextBehind", "{} x", 0, "not JSON"},
    {"CutOff", R"({"conv1":{"dtype":"F32","sha)", 4, "not JSON"},
    {"DuplicateTensor",
     R"({"conv1":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
     R"("conv1":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
     1, "tensor 'conv1': the name occurs twice"},
    {"DuplicateField", R"({"conv1":{"dtype":"U8","dtype":"F32","shape":[1],"data_offsets":[0,1]}})",
     1, "tensor 'conv1': its field 'dtype' occurs twice"},
    {"DuplicateMetadata", R"({"__metadata__":{"a":"1","a":"2"}})", 0, "'a' occurs twice"},
    {"MetadataNumber", R"({"__metadata__":{"step":7}})", 0, "metadata 'step': a number"},
    {"MetadataText", R"({"__metadata__":"x"})", 0, "a text does not belong here"},
    {"UnknownField", R"({"conv1":{"dtype":"U8","extra":1}})", 1, "'conv1': its field 'extra'"},
    {"MissingField", R"({"conv1":{"dtype":"U8","shape":[1]}})", 1, "'conv1': it needs the fields"},
    {"TensorNumber", R"({"conv1":5})", 0, "'conv1': a number does not belong here"},
    {"UnknownDtype", tensor(R"("F33")", "[1]", "[0,4]"), 4, "'conv1': dtype 'F33' is unknown"},
    {"DtypeNumber", tensor("5", "[1]", "[0,4]"), 4, "'conv1': a number"},
    {"ShapeText", tensor(R"("F32")", R"(["1"])", "[0,4]"), 4, "'conv1': a text"},
    {"NegativeShape", tensor(R"("F32")", "[-1]", "[0,4]"), 4, "'conv1': a negative number"},
    {"HugeShape", tensor(R"("F32")", "[4294967296,4294967296]", "[0,4]"), 4, "'conv1': shape"},
    {"ShapeBeyond64Bits", tensor(R"("F32")", "[18446744073709551616]", "[0,4]"), 4, "'conv1'"},
    {"ShapeWrapsToItsBytes", tensor(R"("F32")", "[4611686018427387905]", "[0,4]"), 4, "'conv1'"},
    {"ThreeOffsets", tensor(R"("F32")", "[1]", "[0,4,8]"), 8, "'conv1': data_offsets"},
    {"OffsetsBackwards", tensor(R"("F32")", "[1]", "[4,0]"), 4, "'conv1': data_offsets"},
    {"OutOfRange", tensor(R"("F32")", "[2]", "[0,8]"), 4, "'conv1': it ends at byte 8"},
    {"OffsetsOfAllBits", tensor(R"("F32")", "[1]", "[18446744073709551611,18446744073709551615]"),
     4, "'conv1': it ends at byte 18446744073709551615"},
    {"WrongSize", tensor(R"("F32")", "[2]", "[0,4]"), 4, "takes 8 bytes, but data_offsets give it"},
    {"Overlap", two("[0,4]", "[2,6]"), 6, "'second': it overlaps"},
    {"SameBytes", two("[0,4]", "[0,4]"), 4, "it overlaps"},
    {"Hole", two("[0,4]", "[6,10]"), 10, "'second': bytes 4 to 6"},
    {"HoleAtTheStart", two("[2,6]", "[6,10]"), 10, "'first': bytes 0 to 2"},
    {"BytesBehind", two("[0,4]", "[4,8]"), 9, "the last 1 bytes belong to no tensor"},
    {"DeepLists", tensor(R"("F32")", std::string(100000, '['), "[0,4]"), 4, "'conv1': a list"},
    {"DeepObjects",
     [] {
       std::string json;
       for (int i = 0; i < 100000; ++i) json += R"({"a":)";
       return json;
     }(),
     4, "'a'"},
    {"ControlCharacters", R"({"\u001b[2J":5})", 0, "tensor '\\x1b[2J'"},
};

INSTANTIATE_TEST_SUITE_P(Cases, HostileHeader, ::testing::ValuesIn(kHostile),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace convoy::checkpoint
