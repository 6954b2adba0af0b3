#include "core/runtime/state/foreign_weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "core/base/error.hpp"
#include "core/checkpoint/safetensors_writer.hpp"
#include "core/runtime/state/checkpoint_tensors.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

// A file in which tensor i of the model is called "their.i" and holds i everywhere, the last
// variable without its first row.
class ForeignWeights : public ::testing::Test {
 protected:
  ForeignWeights() {
    const std::vector<runtime::ModelTensor> all = runtime::model_tensors(graph_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      runtime::WeightsSource source{"their." + std::to_string(i), 0, 0};
      std::vector<std::uint64_t> shape = all[i].shape;
      if (all[i].name == graph_.variables().back().name) {
        source.rows = 1;
        source.row_value = -5;
        --shape.front();
      }
      std::uint64_t elements = 1;
      for (const std::uint64_t dimension : shape) elements *= dimension;
      tensors_.push_back(checkpoint::make_tensor(
          source.from, shape, std::vector<float>(elements, static_cast<float>(i))));
      map_.tensors[all[i].name] = source;
    }
  }

  runtime::ModelValues read() const {
    const fs::path path = fs::path(scratch_folder("foreign_weights")) / "x.safetensors";
    checkpoint::write_safetensors(path, {}, tensors_);
    return runtime::read_foreign_weights(checkpoint::SafetensorsFile(path), graph_, map_);
  }

  graph::Graph graph_ = normalised_network();
  std::vector<checkpoint::Tensor> tensors_;
  runtime::WeightsMap map_;
};

TEST_F(ForeignWeights, GoWhereTheMapSays) {
  const runtime::ModelValues values = read();
  const std::size_t variables = graph_.variables().size();
  for (std::size_t i = 0; i + 1 < variables; ++i)
    EXPECT_THAT(values.variables[i], Each(static_cast<float>(i))) << graph_.variables()[i].name;
  const std::vector<float>& last = values.variables.back();
  EXPECT_EQ(last.front(), -5);
  EXPECT_EQ(last.back(), static_cast<float>(variables - 1));
  const std::vector<runtime::ModelTensor> all = runtime::model_tensors(graph_);
  for (std::size_t i = variables; i < all.size(); ++i)
    EXPECT_EQ(values.state.at(all[i].state_first), static_cast<float>(i)) << all[i].name;
}

TEST_F(ForeignWeights, ThatDoNotFitAreListed) {
  tensors_[0].info.shape.push_back(1);
  tensors_[1].info.name = "renamed";
  map_.tensors.erase(graph_.variables()[2].name);
  EXPECT_THAT(thrown_text([this] { read(); }),
              AllOf(HasSubstr("(5 differences)"), HasSubstr(graph_.variables()[0].name + " is ["),
                    HasSubstr("needs their.1, which the file does not have"),
                    HasSubstr(graph_.variables()[2].name + " is not in the map"),
                    HasSubstr("renamed is left over"), HasSubstr("their.2 is left over")));
}

TEST_F(ForeignWeights, MayHaveTensorsThatAreIgnored) {
  tensors_.push_back(checkpoint::make_tensor("bn1.num_batches_tracked", {}, std::vector<float>{1}));
  EXPECT_THAT(thrown_text([this] { read(); }), HasSubstr("num_batches_tracked is left over"));
  map_.ignored_suffixes = {".num_batches_tracked"};
  EXPECT_EQ(thrown_text([this] { read(); }), "");
}

TEST(WeightsMaps, ThatMakeNoSenseAreRefused) {
  const fs::path path = fs::path(scratch_folder("weights_map")) / "map.json";
  for (const char* text : {"", "{}", "[]", R"({"tensors": {"a": 7}})", R"({"tensors": {"a": {}}})",
                           R"({"tensors": {"a": {"from": "b", "rows": "x"}}})",
                           R"({"tensors": {"a": {"from": "b", "rows": -1}}})",
                           R"({"tensors": {"a": {"from": "b", "rows": 1.5}}})",
                           R"({"tensors": {"a": {"from": "b", "row_value": 1e300}}})"}) {
    std::ofstream(path) << text;
    EXPECT_THAT(thrown_text([&] { runtime::read_weights_map(path); }),
                HasSubstr("is no map of weights"))
        << text;
  }
  EXPECT_THAT(thrown_text([] { runtime::read_weights_map("/no/such.json"); }),
              HasSubstr("cannot read"));
}

TEST(WeightsMaps, OfConvoyCanBeRead) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(CONVOY_SOURCE_DIR) / "share/weights")) {
    if (entry.path().extension() != ".json") continue;
    ++count;
    const runtime::WeightsMap map = runtime::read_weights_map(entry.path());
    std::set<std::string> sources;
    for (const auto& [name, source] : map.tensors) sources.insert(source.from);
    EXPECT_EQ(sources.size(), map.tensors.size()) << entry.path() << ": a tensor is used twice";
  }
  EXPECT_GE(count, 5u);
}

}  // namespace
}  // namespace convoy::testing
