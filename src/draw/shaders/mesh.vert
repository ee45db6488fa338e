layout(location = 0) in vec3 position;
layout(location = 1) in vec3 direction;
layout(location = 2) in vec3 colour;
layout(location = 4) in vec3 first;
uniform mat4 view_projection;
out vec3 place, normal, tint, grain_place;

void main() {
    place = position;
    normal = direction;
    tint = colour;
    grain_place = first;
    gl_Position = view_projection * vec4(position, 1.0);
}
