// From light to what a screen shows.
in vec2 where;
out vec4 result;
uniform sampler2D light;

// Narkowicz's fit of the ACES curve (2015): darker darks, soft highlights.
vec3 film(vec3 x) {
    x *= 0.8;
    return clamp((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
}

vec3 encoded(vec3 x) {  // sRGB
    return mix(12.92 * x, 1.055 * pow(x, vec3(1.0 / 2.4)) - 0.055, step(vec3(0.0031308), x));
}

void main() {
    vec3 colour = encoded(film(texture(light, where).rgb));
    float vignette = 1.0 - 0.12 * dot(where - 0.5, where - 0.5) * 2.0;
    // Less than a step of a screen's 256, so that even gradients show no bands.
    float grain = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    result = vec4(colour * vignette + grain / 255.0, 1.0);
}
