/* A model in plain C: one fully connected layer. CONVOY_LATER: headers of a later version. */
#include <convoy/abi.h>
#include <string.h>

#ifdef CONVOY_LATER
#define LATER_OPTION "option=say_more:bool:false::Set a field that ABI 1.0 does not have.\0"
#else
#define LATER_OPTION ""
#endif

CONVOY_EXPORT CONVOY_MANIFEST_SECTION const char convoy_plugin_manifest[] =
    "abi=1.0\0"
    "kind=model\0"
    "name=plain_model\0" LATER_OPTION;

static const convoy_host* the_host;

static int32_t create(convoy_context* context, const convoy_host* host, void** self) {
  (void)context;
  the_host = host;
  *self = NULL;
  return 0;
}

static void destroy(void* self) {
  (void)self;
}

static int32_t info(void* self, convoy_context* context, convoy_model_info* out) {
  (void)self;
  (void)context;
  out->image_size = 8;
  out->batch_size = 4;
  out->dataset = "cifar10";
  out->rate.kind = CONVOY_RATE_CONSTANT;
  out->rate.base = 0.125;
  return 0;
}

static int32_t build(void* self, convoy_context* context, const convoy_graph_builder* builder) {
  convoy_layer layer;
  uint32_t input = 0;
  uint32_t id = 0;
  (void)self;
  (void)context;
  memset(&layer, 0, sizeof layer);
  layer.struct_size = sizeof layer;
  layer.kind = CONVOY_LAYER_FULLY_CONNECTED;
  layer.inputs = &input;
  layer.input_count = 1;
  layer.channels = builder->classes;
#ifdef CONVOY_LATER
  if (strcmp(the_host->option(context, "say_more"), "true") == 0) layer.later[0] = 1;
#endif
  if (builder->add(builder->self, &layer, &id) != 0) return 1;
  input = id;
  memset(&layer, 0, sizeof layer);
  layer.struct_size = sizeof layer;
  layer.kind = CONVOY_LAYER_SOFTMAX_CROSS_ENTROPY;
  layer.inputs = &input;
  layer.input_count = 1;
  return builder->add(builder->self, &layer, &id);
}

static const convoy_model table = {
    .struct_size = sizeof(convoy_model),
    .abi_major = 1,
    .create = create,
    .destroy = destroy,
    .info = info,
    .build = build,
#ifdef CONVOY_LATER
    .later = {1, 1}, /* slots that the host may leave alone */
#endif
};

CONVOY_EXPORT const convoy_model* convoy_model_v1(void);
const convoy_model* convoy_model_v1(void) {
  return &table;
}
