in vec2 where;
out vec4 result;
uniform vec3 ahead, rightwards, upwards;  // the last two reach to the edges of the picture

void main() {
    vec2 place = 2.0 * where - 1.0;
    result = vec4(backdrop(normalize(ahead + place.x * rightwards + place.y * upwards)), 1.0);
}
