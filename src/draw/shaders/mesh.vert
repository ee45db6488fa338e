layout(location = 0) in vec3 position;
layout(location = 1) in vec3 direction;
layout(location = 2) in vec3 colour;
uniform mat4 view_projection;
out vec3 place, normal, tint;

void main() {
    place = position;
    normal = direction;
    tint = colour;
    gl_Position = view_projection * vec4(position, 1.0);
}
