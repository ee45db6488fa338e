in vec3 place, normal, tint;
out vec4 result;
uniform mat4 view;

void main() {
    vec3 n = normalize(mat3(view) * normal);
    result = vec4(0.5 + 0.5 * (gl_FrontFacing ? n : -n), 1.0);
}
