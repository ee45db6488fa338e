// How much of the light from everywhere reaches a point, from what the camera sees around it
// (screen-space ambient occlusion, Mittring 2007, over the hemisphere of the normal).
in vec2 where;
out vec4 result;
uniform sampler2D depth_map, normal_map;
uniform mat4 projection;
uniform float radius;  // [m]
const int samples = 20;

vec3 place_at(vec2 at) {
    float z = 2.0 * texture(depth_map, at).r - 1.0;
    float depth = projection[3][2] / (z + projection[2][2]);
    return vec3((2.0 * at.x - 1.0) * depth / projection[0][0], (2.0 * at.y - 1.0) * depth / projection[1][1], -depth);
}

void main() {
    if (texture(depth_map, where).r >= 1.0) {
        result = vec4(1.0);
        return;
    }
    vec3 here = place_at(where), n = normalize(2.0 * texture(normal_map, where).xyz - 1.0);
    float turn = 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    vec3 side = normalize(abs(n.y) < 0.9 ? cross(n, vec3(0.0, 1.0, 0.0)) : cross(n, vec3(1.0, 0.0, 0.0)));
    vec3 other = cross(n, side);
    float hidden = 0.0;
    for (int i = 0; i < samples; ++i) {
        float share = (float(i) + 0.5) / float(samples), angle = 2.3999632 * float(i) + turn;
        float flat_part = sqrt(share);  // cosine-weighted
        vec3 way = flat_part * (cos(angle) * side + sin(angle) * other) + sqrt(1.0 - share) * n;
        float length_share = mix(0.08, 1.0, fract(share * 7.31 + turn));
        vec3 there = here + n * 0.02 * radius + way * radius * length_share;
        vec4 clip = projection * vec4(there, 1.0);
        vec2 at = clip.xy / clip.w * 0.5 + 0.5;
        float seen = place_at(clamp(at, 0.0, 1.0)).z;
        float in_front = seen - there.z;
        hidden += in_front > 0.01 * radius ? smoothstep(1.0, 0.0, (in_front - radius) / radius) : 0.0;
    }
    float open = 1.0 - hidden / float(samples);
    result = vec4(vec3(pow(open, 1.6)), 1.0);
}
