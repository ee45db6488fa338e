// Goes before all kernels; the host defines GROUP and BODY_GROUP (base/work_group.cl).
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// The same bits as on the processor: no fused multiply-add behind our back.
#pragma OPENCL FP_CONTRACT OFF

#define GROUP_SIZE __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#define BODY_GROUP_SIZE __attribute__((reqd_work_group_size(BODY_GROUP, 1, 1)))
