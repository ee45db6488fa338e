in vec3 tint;
out vec4 result;

void main() {
    float from_middle = 2.0 * length(gl_PointCoord - 0.5);
    if (from_middle > 1.0) discard;
    result = vec4(tint * mix(1.0, 0.55, smoothstep(0.6, 1.0, from_middle)), 1.0);
}
