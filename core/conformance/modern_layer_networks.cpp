// Layers of networks since 2017: smooth activations, squeeze and excitation, layer norm, layer
// scale. Some sizes have channels that fill whole blocks, others are odd.
#include "core/conformance/layer_builder.hpp"
#include "core/conformance/layer_networks.hpp"

namespace convoy::conformance {
namespace {

constexpr std::uint32_t kModernClasses = 5;

using ModernBody = std::function<std::uint32_t(graph::GraphAssembler&, std::uint32_t)>;

// Has images of 5x5, a conv 3x3 with some channels, the layers of body, a classifier and the loss.
LayerNetwork modern(const std::string& name, std::uint32_t channels, const ModernBody& body) {
  return {name, [=] {
            graph::GraphAssembler assembler("small", 5, kModernClasses);
            const std::uint32_t first = convolution(0, channels, 3).add_to(assembler);
            const std::uint32_t last = body(assembler, first);
            loss(fully_connected(last, kModernClasses).add_to(assembler)).add_to(assembler);
            return assembler.finish();
          }};
}

LayerNetwork curve(const std::string& name, std::uint32_t kind, std::uint32_t channels) {
  return modern(name, channels, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    return add_plain(assembler, kind, {x});
  });
}

// A smooth activation and a relu read the same values, so their gradients are added there.
LayerNetwork shared_curve(const std::string& name, std::uint32_t kind) {
  return modern(name, 9, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    const std::uint32_t other = convolution(x, 9, 1).add_to(assembler);
    const std::uint32_t sum =
        add_plain(assembler, CONVOY_LAYER_ADD, {other, add_plain(assembler, kind, {x})});
    return relu(sum).add_to(assembler);
  });
}

// Has pool, squeeze and excite. The product follows a batch norm and a silu.
LayerNetwork squeeze_and_excite(const std::string& name, std::uint32_t channels,
                                std::uint32_t squeezed) {
  return modern(name, channels, [=](graph::GraphAssembler& assembler, std::uint32_t from) {
    const std::uint32_t x =
        add_plain(assembler, CONVOY_LAYER_SILU, {batch_norm(from).add_to(assembler)});
    std::uint32_t s =
        window_layer(CONVOY_LAYER_AVERAGE_POOL, x, 5, 1, CONVOY_PADDING_VALID).add_to(assembler);
    s = add_plain(assembler, CONVOY_LAYER_SILU, {convolution(s, squeezed, 1).add_to(assembler)});
    s = add_plain(assembler, CONVOY_LAYER_SIGMOID, {convolution(s, channels, 1).add_to(assembler)});
    return add_plain(assembler, CONVOY_LAYER_MULTIPLY, {x, s});
  });
}

// Has products of two activations, of one with itself, and with a factor that is read again.
LayerNetwork products(const std::string& name, std::uint32_t channels) {
  return modern(name, channels, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    const std::uint32_t gate =
        add_plain(assembler, CONVOY_LAYER_TANH, {convolution(x, channels, 3).add_to(assembler)});
    const std::uint32_t product = add_plain(assembler, CONVOY_LAYER_MULTIPLY, {x, gate});
    const std::uint32_t square = add_plain(assembler, CONVOY_LAYER_MULTIPLY, {gate, gate});
    return add_plain(assembler, CONVOY_LAYER_ADD, {product, square});
  });
}

LayerNetwork norm(const std::string& name, std::uint32_t channels, bool scaled) {
  return modern(name, channels, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    return layer_norm(x, scaled).add_to(assembler);
  });
}

// Has a depthwise 7x7, layer norm, expansion, gelu, projection, layer scale, and the sum around
// them.
LayerNetwork convnext_block(const std::string& name, std::uint32_t channels) {
  return modern(name, channels, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    LayerCase depthwise = convolution(x, channels, 7);
    depthwise.layer.groups = channels;
    std::uint32_t y = layer_norm(depthwise.add_to(assembler)).add_to(assembler);
    y = convolution(y, 2 * channels, 1).add_to(assembler);
    y = add_plain(assembler, CONVOY_LAYER_GELU, {y});
    y = convolution(y, channels, 1).add_to(assembler);
    y = add_plain(assembler, CONVOY_LAYER_SCALE, {y});
    LayerCase drop(CONVOY_LAYER_STOCHASTIC_DEPTH, {y});
    drop.layer.keep = 0.8;  // these programs are compiled without dropping
    return add_plain(assembler, CONVOY_LAYER_ADD, {x, drop.add_to(assembler)});
  });
}

// Has a dilated convolution with different distances between taps vertically and horizontally.
LayerNetwork dilated(const std::string& name, std::uint32_t channels, std::uint32_t groups) {
  return modern(name, channels, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    LayerCase layer = convolution(x, channels, 3);
    layer.layer.groups = groups;
    layer.layer.dilation_height = 2;
    layer.layer.dilation_width = 3;
    return layer.add_to(assembler);
  });
}

LayerNetwork upsampling(const std::string& name, std::uint32_t channels, std::uint32_t flags) {
  return modern(name, channels, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    LayerCase layer(CONVOY_LAYER_UPSAMPLE, {x});
    layer.layer.flags = flags;
    layer.layer.stride_height = 2;
    // The weights of interpolated cells are multiples of an eighth, so that no order of summation
    // rounds.
    layer.layer.stride_width = 4;
    return convolution(layer.add_to(assembler), 4, 3, 2).add_to(assembler);
  });
}

LayerNetwork attention(const std::string& name, std::uint32_t channels, std::uint32_t heads) {
  return modern(name, channels, [=](graph::GraphAssembler& assembler, std::uint32_t x) {
    LayerCase layer(CONVOY_LAYER_ATTENTION, {convolution(x, 3 * channels, 1).add_to(assembler)});
    layer.layer.groups = heads;
    return add_plain(assembler, CONVOY_LAYER_ADD, {x, layer.add_to(assembler)});
  });
}

// Has a block of a vision transformer on tokens with learned positions. The class token is read.
LayerNetwork transformer(const std::string& name, std::uint32_t channels, std::uint32_t heads) {
  return modern(name, channels, [=](graph::GraphAssembler& assembler, std::uint32_t from) {
    std::uint32_t x = add_plain(assembler, CONVOY_LAYER_CLASS_TOKEN, {from});
    x = add_plain(assembler, CONVOY_LAYER_POSITION, {x});
    std::uint32_t y = layer_norm(x).add_to(assembler);
    y = convolution(y, 3 * channels, 1).add_to(assembler);
    LayerCase attend(CONVOY_LAYER_ATTENTION, {y});
    attend.layer.groups = heads;
    y = convolution(attend.add_to(assembler), channels, 1).add_to(assembler);
    x = add_plain(assembler, CONVOY_LAYER_ADD, {x, y});
    LayerCase first = window_layer(CONVOY_LAYER_AVERAGE_POOL, x, 1, 26, CONVOY_PADDING_VALID);
    first.layer.stride_width = 1;
    return layer_norm(first.add_to(assembler)).add_to(assembler);
  });
}

// Has layers that change the images themselves, for which no gradient is needed.
LayerNetwork on_images() {
  return {"smooth_layers_on_images", [] {
            graph::GraphAssembler assembler("small", 5, kModernClasses);
            std::uint32_t x = add_plain(assembler, CONVOY_LAYER_TANH, {0});
            x = layer_norm(x).add_to(assembler);
            x = add_plain(assembler, CONVOY_LAYER_SCALE, {x});
            x = add_plain(assembler, CONVOY_LAYER_MULTIPLY, {x, 0});
            loss(fully_connected(x, kModernClasses).add_to(assembler)).add_to(assembler);
            return assembler.finish();
          }};
}

}  // namespace

std::vector<LayerNetwork> modern_layer_networks() {
  return {
      curve("sigmoid_odd_channels", CONVOY_LAYER_SIGMOID, 11),
      curve("tanh_odd_channels", CONVOY_LAYER_TANH, 11),
      curve("silu_whole_blocks", CONVOY_LAYER_SILU, 16),
      curve("gelu_whole_blocks", CONVOY_LAYER_GELU, 16),
      shared_curve("gelu_beside_convolution", CONVOY_LAYER_GELU),
      shared_curve("sigmoid_beside_convolution", CONVOY_LAYER_SIGMOID),
      squeeze_and_excite("squeeze_and_excite_whole_blocks", 16, 8),
      squeeze_and_excite("squeeze_and_excite_odd_channels", 21, 5),
      products("products_whole_blocks", 16),
      products("products_odd_channels", 7),
      norm("layer_norm_whole_blocks", 32, true),
      norm("layer_norm_odd_channels", 21, true),
      norm("layer_norm_without_scale", 9, false),
      convnext_block("convnext_block_whole_blocks", 16),
      convnext_block("convnext_block_odd_channels", 11),
      dilated("dilated_whole_blocks", 16, 1),
      dilated("dilated_odd_channels", 9, 3),
      dilated("dilated_depthwise", 16, 16),
      upsampling("upsample_whole_blocks", 16, 0),
      upsampling("upsample_odd_channels", 5, 0),
      upsampling("upsample_interpolated_whole_blocks", 16, CONVOY_LAYER_INTERPOLATED),
      upsampling("upsample_interpolated_odd_channels", 5, CONVOY_LAYER_INTERPOLATED),
      attention("attention_whole_blocks", 16, 2),
      attention("attention_odd_channels", 9, 3),
      transformer("transformer_whole_blocks", 32, 2),
      transformer("transformer_odd_channels", 6, 3),
      on_images(),
  };
}

}  // namespace convoy::conformance
