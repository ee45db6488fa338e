// One triangle that covers the picture.
out vec2 where;

void main() {
    where = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);
    gl_Position = vec4(2.0 * where - 1.0, 0.0, 1.0);
}
