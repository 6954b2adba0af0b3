/* The argument of a strategy's kernel on a GPU. Plain C without other headers, so that NVRTC can
 * compile it. The rules are at the top of convoy/abi.h. */
#ifndef CONVOY_ABI_CUDA_CALL_H
#define CONVOY_ABI_CUDA_CALL_H

#ifdef __cplusplus
extern "C" {
#endif

#define CONVOY_CUDA_SPANS 128 /* reads and writes of one call */

/* frozen. A convoy_region whose memory the GPU addresses. */
typedef struct convoy_cuda_span {
  void* data;
  unsigned long long count;
  unsigned int dtype; /* convoy_dtype */
  unsigned int place;
} convoy_cuda_span;

/* frozen. The argument of the kernel, passed by value. Its fields are those of
 * convoy_kernel_call. */
typedef struct convoy_cuda_call {
  unsigned long long step;
  double learning_rate;
  double scalar;
  unsigned long long sizes[4];
  unsigned long long read_count;
  unsigned long long write_count;
  unsigned long long reserved[4];            /* zero */
  convoy_cuda_span spans[CONVOY_CUDA_SPANS]; /* the reads, then the writes */
} convoy_cuda_call;

#ifdef __cplusplus
}
#endif

#endif
