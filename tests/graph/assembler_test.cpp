#include "core/graph/assembler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/base/error.hpp"
#include "core/conformance/layer_builder.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::graph {
namespace test = conformance;
namespace {

struct Refusal {
  const char* name;
  std::function<test::LayerCase()> layer;
  const char* text;
};

template <typename Change>
test::LayerCase changed(test::LayerCase layer, Change change) {
  change(layer.layer);
  return layer;
}

std::vector<Refusal> refusals() {
  using test::LayerCase;
  return {
      {"InputFromTheFuture", [] { return test::relu(7); }, "input 7"},
      {"PoolLargerThanInput",
       [] { return test::window_layer(CONVOY_LAYER_MAX_POOL, 0, 9, 1, CONVOY_PADDING_VALID); },
       "kernel 9x9 is larger than its input of 8x8"},
      {"ZeroChannels", [] { return test::convolution(0, 0, 3); }, "zero channels"},
      {"ZeroStride", [] { return test::convolution(0, 4, 3, 0); }, "stride 0x0"},
      {"ZeroKernel", [] { return test::convolution(0, 4, 0); }, "kernel 0x0"},
      {"UnknownPadding", [] { return test::convolution(0, 4, 3, 1, 9); }, "padding rule 9"},
      {"UnknownKind", [] { return LayerCase(99, {0}); }, "kind 99"},
      {"SecondInputLayer", [] { return LayerCase(CONVOY_LAYER_INPUT, {}); }, "layer 0"},
      {"UnknownFlag", [] { return changed(test::relu(0), [](convoy_layer& l) { l.flags = 4; }); },
       "flags 0x4"},
      {"FlagOfAnotherKind",
       [] {
         return changed(test::relu(0), [](convoy_layer& l) { l.flags = CONVOY_LAYER_HAS_BIAS; });
       },
       "flags 0x1"},
      {"StructSizeOdd",
       [] { return changed(test::relu(0), [](convoy_layer& l) { l.struct_size = 12; }); },
       "struct_size of convoy_layer is 12"},
      {"StructSizeZero",
       [] { return changed(test::relu(0), [](convoy_layer& l) { l.struct_size = 0; }); },
       "struct_size of convoy_layer is 0"},
      {"AddOfDifferentShapes",
       [] {
         return LayerCase(CONVOY_LAYER_ADD, {0, 1});
       },
       "3x8x8 and 4x4x4 cannot be added"},
      {"ConcatOfDifferentSizes",
       [] {
         return LayerCase(CONVOY_LAYER_CONCAT, {0, 1});
       },
       "8x8 and 4x4 cannot be joined"},
      {"AddOfOne", [] { return LayerCase(CONVOY_LAYER_ADD, {0}); }, "takes 2 to 2"},
      {"GroupsThatDoNotDivide",
       [] { return changed(test::convolution(0, 4, 3), [](convoy_layer& l) { l.groups = 2; }); },
       "2 groups"},
      {"PadToFewerChannels",
       [] {
         return changed(LayerCase(CONVOY_LAYER_PAD_CHANNELS, {1}),
                        [](convoy_layer& l) { l.channels = 3; });
       },
       "3 output channels for 4 input channels"},
      {"KeepOfZero", [] { return LayerCase(CONVOY_LAYER_DROPOUT, {0}); }, "keep is 0"},
      {"EpsilonOfZero",
       [] { return changed(test::batch_norm(0), [](convoy_layer& l) { l.epsilon = 0; }); },
       "epsilon is 0"},
      {"UnknownInitialiser",
       [] {
         return changed(test::convolution(0, 4, 3), [](convoy_layer& l) { l.weights.kind = 8; });
       },
       "initialiser of unknown kind 8"},
      {"HugeLayer", [] { return test::fully_connected(0, 4000000000u); }, "limit"},
      {"DuplicateName",
       [] { return changed(test::relu(0), [](convoy_layer& l) { l.name = "conv0"; }); },
       "already belongs to layer 1"},
      {"FactorsOfAnotherShape",
       [] {
         return LayerCase(CONVOY_LAYER_MULTIPLY, {1, 0});
       },
       "4x4x4 and 3x8x8 cannot be multiplied"},
      {"KeepOfZeroOfWholeImages", [] { return LayerCase(CONVOY_LAYER_STOCHASTIC_DEPTH, {0}); },
       "keep is 0"},
      {"EpsilonOfZeroOverChannels",
       [] { return changed(test::layer_norm(0), [](convoy_layer& l) { l.epsilon = 0; }); },
       "epsilon is 0"},
      {"AttentionWithoutThreeParts", [] { return LayerCase(CONVOY_LAYER_ATTENTION, {1}); },
       "4 input channels cannot be queries, keys and values of 1 heads"},
      {"MoreHeadsThanChannels",
       [] {
         return changed(LayerCase(CONVOY_LAYER_ATTENTION, {0}),
                        [](convoy_layer& l) { l.groups = 2; });
       },
       "3 input channels cannot be queries, keys and values of 2 heads"},
      {"UpsampleByZero", [] { return LayerCase(CONVOY_LAYER_UPSAMPLE, {0}); }, "stride 0x0"},
      {"DilatedPool",
       [] {
         return changed(test::window_layer(CONVOY_LAYER_MAX_POOL, 0, 2, 1, CONVOY_PADDING_VALID),
                        [](convoy_layer& l) { l.dilation_width = 2; });
       },
       "dilation is 2"},
      {"DilatedKernelLargerThanInput",
       [] {
         return changed(test::convolution(0, 4, 3, 1, CONVOY_PADDING_VALID),
                        [](convoy_layer& l) { l.dilation_height = 4; });
       },
       "kernel 3x3 is larger than its input"},
      {"HugeDilation",
       [] {
         return changed(test::convolution(0, 4, 3),
                        [](convoy_layer& l) { l.dilation_height = 4000000000u; });
       },
       "kernel with its dilation"},
      {"LossOfAnImage", [] { return test::loss(1); }, "4x4x4"},
      {"FewerLogitsThanClasses", [] { return test::loss(2); }, "6 logits for 10 classes"},
  };
}

class AssemblerRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(AssemblerRefusal, NamesTheLayerAndTheReason) {
  GraphAssembler assembler("toy", 8, 10);
  test::convolution(0, 4, 3, 2).add_to(assembler);
  test::fully_connected(1, 6).add_to(assembler);
  test::LayerCase layer = GetParam().layer();
  try {
    layer.add_to(assembler);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("model toy: layer 3"));
    EXPECT_THAT(error.what(), testing::HasSubstr(GetParam().text));
    EXPECT_EQ(error.code(), ExitCode::kUnavailable);
  }
}

INSTANTIATE_TEST_SUITE_P(Refusals, AssemblerRefusal, testing::ValuesIn(refusals()),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(Assembler, AcceptsALargerStructWhoseNewFieldsAreZero) {
  struct Newer {
    convoy_layer layer;
    uint64_t field;
  } newer{};
  const uint32_t input = 0;
  newer.layer.kind = CONVOY_LAYER_RELU;
  newer.layer.struct_size = sizeof(newer);
  newer.layer.inputs = &input;
  newer.layer.input_count = 1;
  GraphAssembler assembler("toy", 8, 10);
  EXPECT_EQ(assembler.add(newer.layer), 1u);
  newer.field = 1;
  EXPECT_THROW(assembler.add(newer.layer), Error);
}

// Devices of older SDKs know no dilation, and take zero for "as before".
TEST(Assembler, GivesDevicesNoDilationWhereThereIsNone) {
  GraphAssembler assembler("toy", 8, 4);
  test::LayerCase layer = test::convolution(0, 4, 3);
  layer.layer.dilation_height = layer.layer.dilation_width = 1;
  test::loss(test::fully_connected(layer.add_to(assembler), 4).add_to(assembler)).add_to(assembler);
  EXPECT_EQ(assembler.finish().nodes()[1].layer.dilation_height, 0u);
}

TEST(Assembler, TakesFieldsThatAShorterStructLacksForZero) {
  const uint32_t input = 0;
  convoy_layer older{};
  older.kind = CONVOY_LAYER_RELU;
  older.inputs = &input;
  older.input_count = 1;
  older.limit = -1;  // would be refused
  older.struct_size = sizeof(older);
  EXPECT_THROW(GraphAssembler("toy", 8, 10).add(older), Error);
  older.struct_size = offsetof(convoy_layer, limit);
  EXPECT_EQ(GraphAssembler("toy", 8, 10).add(older), 1u);
}

std::string finish_error(GraphAssembler& assembler) {
  return thrown_text([&] { assembler.finish(); }, "accepted");
}

TEST(Assembler, RefusesAGraphWithoutALoss) {
  GraphAssembler assembler("toy", 8, 10);
  test::fully_connected(0, 10).add_to(assembler);
  EXPECT_THAT(finish_error(assembler), testing::HasSubstr("must be a loss"));
}

TEST(Assembler, RefusesLayersAfterTheLoss) {
  GraphAssembler assembler("toy", 8, 10);
  const uint32_t logits = test::fully_connected(0, 10).add_to(assembler);
  test::loss(logits).add_to(assembler);
  EXPECT_THROW(test::relu(logits).add_to(assembler), Error);
  EXPECT_THROW(test::loss(logits).add_to(assembler), Error);
}

TEST(Assembler, RefusesAnOutputThatNothingReads) {
  GraphAssembler assembler("toy", 8, 10);
  test::convolution(0, 4, 3).add_to(assembler);
  const uint32_t logits = test::fully_connected(0, 10).add_to(assembler);
  test::loss(logits).add_to(assembler);
  EXPECT_THAT(finish_error(assembler), testing::HasSubstr("conv0"));
}

TEST(Assembler, KeepsTheFirstRefusalThroughTheCInterface) {
  GraphAssembler assembler("toy", 8, 10);
  const convoy_graph_builder& builder = *assembler.c_builder();
  uint32_t id = 0;
  test::LayerCase wrong = test::convolution(5, 4, 3);
  EXPECT_NE(builder.add(builder.self, &wrong.c_layer(), &id), 0);
  test::LayerCase right = test::convolution(0, 4, 3);
  EXPECT_NE(builder.add(builder.self, &right.c_layer(), &id), 0) << "accepted after a refusal";
  EXPECT_THAT(assembler.error(), testing::HasSubstr("input 5"));
  EXPECT_EQ(finish_error(assembler), assembler.error());
}

TEST(Assembler, TellsShapesThroughTheCInterface) {
  GraphAssembler assembler("toy", 8, 10);
  test::convolution(0, 4, 3, 2).add_to(assembler);
  const convoy_graph_builder& builder = *assembler.c_builder();
  uint32_t shape[3] = {};
  ASSERT_EQ(builder.shape(builder.self, 1, shape), 0);
  EXPECT_THAT(shape, testing::ElementsAre(4, 4, 4));
  EXPECT_NE(builder.shape(builder.self, 2, shape), 0);
}

}  // namespace
}  // namespace convoy::graph
