// What all that is lit has in common.
uniform vec3 eye;
uniform vec3 to_light;          // unit
uniform mat4 light_matrix;      // from the world to the shadow map
uniform mat4 light_view;        // the same without its extent: rotation and shift
uniform float light_reach;      // depth of the shadow map [m]
uniform float light_width;      // width of the shadow map [m]
uniform sampler2D shadow_map;   // depth of what the light meets first
uniform sampler2D occlusion_map;
uniform float nearness;         // [m]

const vec3 key_colour = vec3(1.95, 1.80, 1.62);
const vec3 fill_colour = vec3(0.10, 0.13, 0.18);
const vec3 sky_colour = vec3(0.36, 0.40, 0.47);
const vec3 floor_bounce = vec3(0.24, 0.21, 0.18);
const float light_size = 0.10;  // of the lamp, as a share of its distance
uniform int taps;               // samples of a shadow

vec3 backdrop(vec3 direction) {
    float height = clamp(direction.y, -0.25, 1.0);
    vec3 horizon = vec3(0.52, 0.51, 0.49), above = vec3(0.26, 0.30, 0.36);
    return mix(horizon, above, smoothstep(0.0, 0.75, height));
}

// Another angle for each pixel, so that few samples look like many.
float turn_here() {
    return 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
}

// Points evenly spread over a disk of radius 1 (a sunflower's seeds).
vec2 disk_point(int i, int count, float turn) {
    float radius = sqrt((float(i) + 0.5) / float(count)), angle = 2.3999632 * float(i) + turn;
    return radius * vec2(cos(angle), sin(angle));
}

// How the depth of a surface grows across the shadow map: what lies in its plane is no shadow on it.
vec2 depth_slope(vec3 normal) {
    vec3 n = mat3(light_view) * normal;
    return n.xy / max(n.z, 0.03) * light_width / light_reach;
}

// Depth of what the light meets first. Where it meets nothing, there is no shadow however far below the map's end.
float blocker_at(vec2 at) {
    float depth = texture(shadow_map, at).r;
    return depth < 1.0 ? depth : 1e9;
}

// Percentage-closer soft shadows (Fernando 2005): the farther the blocker, the wider the edge.
float light_at(vec3 place, vec3 normal) {
    float texel = light_width / float(textureSize(shadow_map, 0).x);
    float slant = clamp(dot(normal, to_light), 0.0, 1.0);
    if (slant <= 0.0) return 0.0;
    // Triangles are flat where the surface is taken as round: near the edge of light they would shade each other.
    vec3 lifted = place + normal * (2.0 * texel + 0.12 * nearness * (1.0 - slant));
    vec3 at = (light_matrix * vec4(lifted, 1.0)).xyz * 0.5 + 0.5;
    if (any(lessThan(at.xy, vec2(0.0))) || any(greaterThan(at.xy, vec2(1.0)))) return 1.0;
    vec2 slope = depth_slope(normal);
    float turn = turn_here(), bias = (1.5 + 0.5 / (slant + 0.05)) * texel / light_reach;
    float blockers = 0.0, depths = 0.0;
    for (int i = 0; i < taps; ++i) {
        vec2 offset = 0.55 * light_size * disk_point(i, taps, turn);
        float depth = blocker_at(at.xy + offset), plane = at.z + dot(offset, slope) - bias;
        if (depth < plane - length(offset) * 0.05) {
            blockers += 1.0;
            depths += depth;
        }
    }
    if (blockers < 0.5) return 1.0;
    float way = (at.z - depths / blockers) * light_reach;  // from the blocker [m]
    float radius = max(1.5 * texel, way * light_size) / light_width, lit = 0.0;
    for (int i = 0; i < taps; ++i) {
        vec2 offset = radius * disk_point(i, taps, turn);
        float plane = at.z + dot(offset, slope) - bias - length(offset) * 0.05;
        lit += blocker_at(at.xy + offset) < plane ? 0.0 : 1.0;
    }
    return lit / float(taps);
}

// The same for what goes over into its own shadow gently.
float gentle_light_at(vec3 place, vec3 normal) {
    return light_at(place, normal) * smoothstep(0.0, 0.3, dot(normal, to_light));
}

// How much material the light has come through to get here [m].
float way_through(vec3 place, vec3 normal) {
    vec3 inside = place - normal * 0.15 * nearness;
    vec3 at = (light_matrix * vec4(inside, 1.0)).xyz * 0.5 + 0.5;
    float sum = 0.0, turn = turn_here();
    for (int i = 0; i < 8; ++i) {
        float depth = texture(shadow_map, at.xy + 0.25 * nearness / light_width * disk_point(i, 8, turn)).r;
        sum += max(0.0, at.z - depth) * light_reach;
    }
    return sum / 8.0;
}
