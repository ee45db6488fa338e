layout(location = 0) in vec3 position;
layout(location = 2) in vec3 colour;
layout(location = 3) in float size;
uniform mat4 view_projection;
uniform float pixels;  // of one unit of size
out vec3 tint;

void main() {
    tint = colour;
    gl_Position = view_projection * vec4(position, 1.0);
    gl_Position.z -= 0.0015 * gl_Position.w;  // in front of the surface it marks
    gl_PointSize = size * pixels;
}
