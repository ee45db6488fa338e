in vec3 place, normal, tint;
out vec4 result;
uniform float wrap;          // how far light reaches round: 0 as stone, 1 as milk
uniform float translucency;  // of thin parts against the light
uniform float gloss;         // exponent of the highlight
uniform float shine;         // its strength
uniform float opacity;       // of what is seen through: face on
uniform float rim;           // how dark it is where one looks along its wall, as thick glass is
uniform bool see_through;

vec3 highlight(vec3 n, vec3 to_eye, vec3 from, float exponent) {
    float d = max(0.0, dot(n, normalize(from + to_eye)));
    return vec3(shine * (exponent + 8.0) / 25.0 * pow(d, exponent));
}

void main() {
    vec3 deep = translucency > 0.0 ? tint * mix(vec3(1.0), tint, 0.45) : tint;  // light comes from within
    vec3 to_eye = normalize(eye - place), n = normalize(normal);
    if (!gl_FrontFacing) n = -n;
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
    result = vec4(seen, 1.0);
}
