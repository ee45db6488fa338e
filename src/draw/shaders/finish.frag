// From light to what a screen shows.
in vec2 where;
out vec4 result;
uniform sampler2D light;

vec3 film(vec3 x) {  // darker darks, soft highlights
    x *= 0.72;
    return clamp((x * (2.2 * x + 0.22)) / (x * (2.0 * x + 0.75) + 0.16), 0.0, 1.0);
}

vec3 encoded(vec3 x) {  // sRGB
    return mix(12.92 * x, 1.055 * pow(x, vec3(1.0 / 2.4)) - 0.055, step(vec3(0.0031308), x));
}

void main() {
    vec3 colour = encoded(film(texture(light, where).rgb));
    float vignette = 1.0 - 0.12 * dot(where - 0.5, where - 0.5) * 2.0;
    result = vec4(colour * vignette, 1.0);
}
