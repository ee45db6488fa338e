// Nothing but memory traffic, to compare other kernels with.
kernel void copy(const global float4* from, global float4* to) {
    const size_t i = get_global_id(0);
    to[i] = from[i];
}
