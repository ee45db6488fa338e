// The formulas of turgor/math.hpp: what OpenCL has of them may fuse or rescale, and give other bits.

double dot_of(double3 a, double3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
double3 cross_of(double3 a, double3 b) {
    return (double3)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
double norm(double3 a) {
    return sqrt(dot_of(a, a));
}
bool is_zero(double3 a) {
    return a.x == 0 && a.y == 0 && a.z == 0;
}
/// The unit vector along `a`, or zero where `a` is zero.
double3 normalized(double3 a) {
    const double size = norm(a);
    return size > 0 ? a / size : (double3)(0);
}
double along(double3 a, int axis) {
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

double3 vector_at(const double* v) {
    return (double3)(v[0], v[1], v[2]);
}
float4 to_float4(double3 v) {
    return (float4)(convert_float3(v), 0);
}
double3 to_double3(float4 v) {
    return convert_double3(v.xyz);
}
bool is_finite3(double3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}
