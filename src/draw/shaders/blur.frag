// Evens out the grain of the occlusion, not across edges.
in vec2 where;
out vec4 result;
uniform sampler2D occlusion_map, depth_map;
uniform mat4 projection;
uniform float radius;
const int reach = 3;  // [pixels]

float depth_at(vec2 at) {
    return projection[3][2] / (2.0 * texture(depth_map, at).r - 1.0 + projection[2][2]);
}

void main() {
    vec2 texel = 1.0 / vec2(textureSize(occlusion_map, 0));
    float here = depth_at(where), sum = 0.0, weights = 0.0;
    for (int y = -reach; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x) {
            vec2 at = where + texel * vec2(x, y);
            float weight = exp(-abs(depth_at(at) - here) / (0.15 * radius)) + 1e-4;
            sum += weight * texture(occlusion_map, at).r;
            weights += weight;
        }
    result = vec4(vec3(sum / weights), 1.0);
}
