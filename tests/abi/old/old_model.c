/* A model in plain C against the released 1.0 headers: one convolution and a loss. */
#include <convoy/abi.h>

CONVOY_EXPORT CONVOY_MANIFEST_SECTION const char convoy_plugin_manifest[] =
    "abi=1.0\0"
    "kind=model\0"
    "name=old_model\0";

static int32_t create(convoy_context* context, const convoy_host* host, void** self) {
  (void)context;
  (void)host;
  *self = 0;
  return 0;
}

static void destroy(void* self) {
  (void)self;
}

static int32_t info(void* self, convoy_context* context, convoy_model_info* out) {
  (void)self;
  (void)context;
  out->image_size = 28;
  out->batch_size = 16;
  out->dataset = "cifar10";
  out->rate.kind = CONVOY_RATE_CONSTANT;
  out->rate.base = 0.125;
  return 0;
}

static int32_t build(void* self, convoy_context* context, const convoy_graph_builder* builder) {
  convoy_layer layer = {0};
  uint32_t input = 0;
  uint32_t id = 0;
  (void)self;
  (void)context;
  layer.struct_size = sizeof layer;
  layer.kind = CONVOY_LAYER_CONVOLUTION;
  layer.inputs = &input;
  layer.input_count = 1;
  layer.channels = 8;
  layer.kernel_height = layer.kernel_width = 3;
  layer.stride_height = layer.stride_width = 1;
  if (builder->add(builder->self, &layer, &id) != 0) return 1;
  input = id;
  layer.kind = CONVOY_LAYER_MEAN_LOSS;
  return builder->add(builder->self, &layer, &id);
}

static const convoy_model table = {sizeof(convoy_model), 1, 0, create, destroy, info, build};

CONVOY_EXPORT const convoy_model* convoy_model_v1(void);
const convoy_model* convoy_model_v1(void) {
  return &table;
}
