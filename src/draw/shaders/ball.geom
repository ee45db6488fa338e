// A point as a hexagon that faces the eye, with the normals of a cap: small, it looks like a ball.
layout(points) in;
layout(triangle_strip, max_vertices = 6) out;
in vec3 ball_tint[], ball_grain[];
out vec3 place, normal, tint, grain_place;
uniform mat4 view_projection;
uniform vec3 eye;
uniform float radius;  // [m]

void main() {
    vec3 centre = gl_in[0].gl_Position.xyz, ahead = normalize(eye - centre);
    vec3 right = normalize(cross(abs(ahead.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0), ahead));
    vec3 up = cross(ahead, right);
    const int corners[6] = int[](0, 1, 5, 2, 4, 3);
    for (int i = 0; i < 6; ++i) {
        float angle = 1.0471976 * float(corners[i]);
        vec3 side = cos(angle) * right + sin(angle) * up;
        place = centre + radius * side;
        normal = 0.8 * side + 0.6 * ahead;
        tint = ball_tint[0];
        grain_place = ball_grain[0];
        gl_Position = view_projection * vec4(place, 1.0);
        EmitVertex();
    }
    EndPrimitive();
}
