in vec3 place, normal, tint, grain_place;
out vec4 result;
uniform float wrap;          // how far light reaches round: 0 as stone, 1 as milk
uniform float translucency;  // of thin parts against the light
uniform float gloss;         // exponent of the highlight
uniform float shine;         // its strength
uniform float opacity;       // of what is seen through: face on
uniform float rim;           // how dark it is where one looks along its wall, as thick glass is
uniform bool see_through;
uniform float metal;         // 1: it mirrors what is around, in its own colour
uniform float grain;         // how high bumps are, in parts of their width
uniform float grain_width;   // [m]
uniform float speckle;       // how much darker the colour is in dips; negative: paler on bumps

float random(vec3 cell) {
    cell = 17.0 * fract(0.3183099 * cell + vec3(0.71, 0.113, 0.419));
    return fract(cell.x * cell.y * cell.z * (cell.x + cell.y + cell.z));
}

// Random numbers at whole places, smooth in between, 0 … 1.
float noise(vec3 at) {
    vec3 cell = floor(at), f = fract(at);
    f = f * f * (3.0 - 2.0 * f);
    vec4 low = vec4(random(cell), random(cell + vec3(1, 0, 0)), random(cell + vec3(0, 1, 0)),
                    random(cell + vec3(1, 1, 0)));
    vec4 high = vec4(random(cell + vec3(0, 0, 1)), random(cell + vec3(1, 0, 1)), random(cell + vec3(0, 1, 1)),
                     random(cell + vec3(1, 1, 1)));
    vec4 mixed = mix(low, high, f.z);
    vec2 rows = mix(mixed.xz, mixed.yw, f.x);
    return mix(rows.x, rows.y, f.y);
}

float height_here() {
    vec3 at = grain_place / grain_width;
    return 0.6 * noise(at) + 0.27 * noise(2.7 * at + 5.0) + 0.13 * noise(7.1 * at + 9.0);
}

// The normal of a surface with bumps (Mikkelsen 2010, Bump Mapping Unparametrized Surfaces on the GPU).
vec3 bumpy(vec3 n, float height) {
    vec3 across = dFdx(place), down = dFdy(place);
    vec3 r1 = cross(down, n), r2 = cross(n, across);
    float area = dot(across, r1);
    vec3 slope = sign(area) * (dFdx(height) * r1 + dFdy(height) * r2);
    return normalize(abs(area) * n - slope);
}

// What a mirror sees in a studio: a floor, walls that are bright at the height of the eye, and the lamp's screen.
vec3 studio(vec3 direction) {
    vec3 walls = 1.5 * backdrop(direction) * (0.55 + 0.9 * exp(-12.0 * direction.y * direction.y));
    vec3 below = vec3(0.26, 0.25, 0.24);
    float lamp = smoothstep(0.80, 0.97, dot(direction, to_light));
    return mix(below, walls, smoothstep(-0.12, 0.06, direction.y)) + 2.2 * lamp;
}

vec3 highlight(vec3 n, vec3 to_eye, vec3 from, float exponent) {
    float d = max(0.0, dot(n, normalize(from + to_eye)));
    return vec3(shine * (exponent + 8.0) / 25.0 * pow(d, exponent));
}

void main() {
    vec3 deep = translucency > 0.0 ? tint * mix(vec3(1.0), tint, 0.45) : tint;  // light comes from within
    vec3 to_eye = normalize(eye - place), n = normalize(normal);
    if (!gl_FrontFacing) n = -n;
    float height = grain > 0.0 ? height_here() : 0.5;
    if (grain > 0.0) {
        n = bumpy(n, grain * grain_width * height);
        deep *= 1.0 - speckle * (speckle > 0.0 ? smoothstep(0.42, 0.30, height) : smoothstep(0.45, 0.75, height));
    }
    float facing = clamp(dot(n, to_eye), 0.0, 1.0), grazing = pow(1.0 - facing, 4.0);
    vec3 sky = backdrop(reflect(-to_eye, n)) * 1.1;
    if (see_through) {
        vec3 thick = 0.2 * tint * tint;
        vec3 seen = mix(mix(tint, sky, 0.7), thick, rim * (1.0 - facing) * (1.0 - facing));
        result = vec4(seen + highlight(n, to_eye, to_light, 220.0),
                      clamp(opacity + (0.9 - opacity) * grazing, 0.0, 0.95));
        return;
    }
    float closeness = texture(occlusion_map, gl_FragCoord.xy / vec2(textureSize(occlusion_map, 0))).r;
    // Light that goes round in the material: what is red there goes farthest.
    vec3 reach = wrap * mix(vec3(1.0), tint / (max(max(tint.r, tint.g), tint.b) + 0.001), 0.6);
    vec3 around = clamp((vec3(dot(n, to_light)) + reach) / ((1.0 + reach) * (1.0 + reach)), 0.0, 1.0);
    float lit = gentle_light_at(place, n);
    vec3 key = key_colour * around * mix(vec3(lit), vec3(1.0), 0.5 * reach * (1.0 - lit));
    float behind = smoothstep(0.0, 0.6, -dot(n, to_light));  // at its edge a body is thin for no good reason
    vec3 through = translucency * behind * exp(-way_through(place, n) * (1.6 - 1.1 * tint) / nearness) * key_colour;
    vec3 fill = fill_colour * max(0.0, 0.5 - 0.5 * dot(n, to_light));
    vec3 ambient = mix(floor_bounce, sky_colour, 0.5 + 0.5 * n.y) * closeness;
    vec3 seen = deep * (key * (0.55 + 0.45 * closeness) + fill * closeness + ambient + through * 0.35 * closeness);
    seen += highlight(n, to_eye, to_light, gloss) * lit * key_colour * 0.25;
    seen += sky * closeness * shine * (0.05 + 0.6 * grazing);
    if (metal > 0.0) {
        vec3 mirrored = studio(reflect(-to_eye, n)) * mix(tint, vec3(1.0), 0.6 * grazing) * (0.35 + 0.65 * closeness);
        seen = mix(seen, mirrored * (0.55 + 0.45 * lit) + 0.15 * seen, metal);
    }
    result = vec4(seen, 1.0);
}
