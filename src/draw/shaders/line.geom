// A line as wide as asked for, which OpenGL itself does not promise.
layout(lines) in;
layout(triangle_strip, max_vertices = 4) out;
in vec3 tint[];
out vec3 line_tint;
uniform vec2 half_width;  // in parts of the picture's half extent

void main() {
    vec4 a = gl_in[0].gl_Position, b = gl_in[1].gl_Position;
    if (a.w <= 0.0 || b.w <= 0.0) return;
    vec2 way = (b.xy / b.w - a.xy / a.w) / half_width;
    float way_length = length(way);
    vec2 side = (way_length > 0.0 ? vec2(-way.y, way.x) / way_length : vec2(0.0, 1.0)) * half_width;
    for (int i = 0; i < 4; ++i) {
        vec4 end = i < 2 ? a : b;
        line_tint = i < 2 ? tint[0] : tint[1];
        gl_Position = end + vec4((i % 2 == 0 ? side : -side) * end.w, 0.0, 0.0);
        EmitVertex();
    }
    EndPrimitive();
}
