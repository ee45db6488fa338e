in vec3 place, normal, tint;
out vec4 result;
uniform vec3 middle;  // of what stands on it
uniform float extent; // where it begins to fade [m]

void main() {
    vec3 n = normalize(normal);
    float closeness = texture(occlusion_map, gl_FragCoord.xy / vec2(textureSize(occlusion_map, 0))).r;
    float lit = light_at(place, n);
    vec3 key = key_colour * max(0.0, dot(n, to_light)) * lit;
    vec3 ambient = sky_colour * (0.5 + 0.5 * n.y) * closeness;
    vec3 seen = tint * (key * (0.6 + 0.4 * closeness) + ambient);
    vec3 far = backdrop(normalize(place - eye));
    float away = length(place - middle) / extent;
    result = vec4(mix(seen, far, smoothstep(0.8, 4.0, away)), 1.0);
}
