layout(location = 0) in vec3 position;
layout(location = 2) in vec3 colour;
layout(location = 4) in vec3 first;
out vec3 ball_tint, ball_grain;

void main() {
    ball_tint = colour;
    ball_grain = first;
    gl_Position = vec4(position, 1.0);
}
