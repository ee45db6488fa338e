in vec3 place, normal, tint;
out vec4 result;

void main() {
    result = vec4(0.15 * tint, 0.45);
}
