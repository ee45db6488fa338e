in vec3 line_tint;
out vec4 result;

void main() {
    result = vec4(line_tint, 1.0);
}
