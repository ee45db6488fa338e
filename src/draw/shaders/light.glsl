// What all that is lit has in common.
uniform vec3 eye;
uniform vec3 to_light;          // unit
uniform mat4 light_matrix;      // from the world to the shadow map
uniform float light_reach;      // depth of the shadow map [m]
uniform float light_width;      // width of the shadow map [m]
uniform sampler2D shadow_map;   // depth of what the light meets first
uniform sampler2D occlusion_map;
uniform float nearness;         // [m]

const vec3 key_colour = vec3(2.75, 2.55, 2.3);
const vec3 fill_colour = vec3(0.20, 0.24, 0.32);
const vec3 sky_colour = vec3(0.62, 0.68, 0.78);
const vec3 floor_bounce = vec3(0.42, 0.38, 0.34);
const float light_size = 0.10;  // of the lamp, as a share of its distance
const int taps = 24;

vec3 backdrop(vec3 direction) {
    float height = clamp(direction.y, -0.25, 1.0);
    vec3 horizon = vec3(0.80, 0.79, 0.775), above = vec3(0.50, 0.56, 0.65);
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

// Percentage-closer soft shadows (Fernando 2005): the farther the blocker, the wider the edge.
float light_at(vec3 place, vec3 normal) {
    float texel = light_width / float(textureSize(shadow_map, 0).x);
    vec3 lifted = place + normal * texel * 2.5;
    vec4 clip = light_matrix * vec4(lifted, 1.0);
    vec3 at = clip.xyz * 0.5 + 0.5;
    if (any(lessThan(at.xy, vec2(0.0))) || any(greaterThan(at.xy, vec2(1.0)))) return 1.0;
    float turn = turn_here(), bias = 2.0 * texel / light_reach;
    float search = light_size * 0.5, blockers = 0.0, depths = 0.0;
    for (int i = 0; i < taps; ++i) {
        float depth = texture(shadow_map, at.xy + search * 0.35 * disk_point(i, taps, turn)).r;
        if (depth < at.z - bias) {
            blockers += 1.0;
            depths += depth;
        }
    }
    if (blockers < 0.5) return 1.0;
    float way = (at.z - depths / blockers) * light_reach;  // from the blocker [m]
    float radius = max(1.5 * texel, way * light_size * 2.0) / light_width, lit = 0.0;
    for (int i = 0; i < taps; ++i) {
        float depth = texture(shadow_map, at.xy + radius * disk_point(i, taps, turn)).r;
        lit += depth < at.z - bias * (1.0 + radius * 200.0) ? 0.0 : 1.0;
    }
    return lit / float(taps);
}

// How much material the light has come through to get here [m].
float way_through(vec3 place, vec3 normal) {
    vec3 inside = place - normal * 0.02 * nearness;
    vec3 at = (light_matrix * vec4(inside, 1.0)).xyz * 0.5 + 0.5;
    float sum = 0.0, turn = turn_here();
    for (int i = 0; i < 8; ++i) {
        float depth = texture(shadow_map, at.xy + 0.25 * nearness / light_width * disk_point(i, 8, turn)).r;
        sum += max(0.0, at.z - depth) * light_reach;
    }
    return sum / 8.0;
}
