// base/rotation.cpp, for kernels: Newton's method in single precision, and where it cannot prove
// its answer the eigenvectors of Horn's matrix in double precision.

typedef struct {
    float4 row[3];  ///< w: something that belongs to the row
} Rows;

Rows matrix_of(float4 q) {
    const float4 d = 2.0f * q;
    const float xx = d.x * q.x, yy = d.y * q.y, zz = d.z * q.z, xy = d.x * q.y, yz = d.y * q.z,
                zx = d.z * q.x, wx = d.x * q.w, wy = d.y * q.w, wz = d.z * q.w;
    Rows r;
    r.row[0] = (float4)(1 - (yy + zz), xy - wz, zx + wy, 0);
    r.row[1] = (float4)(xy + wz, 1 - (xx + zz), yz - wx, 0);
    r.row[2] = (float4)(zx - wy, yz + wx, 1 - (xx + yy), 0);
    return r;
}

float largest_of(float4 v) {
    const float4 a = fabs(v);
    return fmax(a.x, fmax(a.y, a.z));
}

/// The eigenvector of the largest eigenvalue; of a repeated one, that nearest to the guess.
float4 rotation_by_eigenvectors(const Rows* a, float4 guess) {
    double scale = fmax(largest_of(a->row[0]), fmax(largest_of(a->row[1]), largest_of(a->row[2])));
    if (!(scale > 0) || !isfinite(scale)) return guess;
    double m[3][3];
    for (int i = 0; i < 3; ++i) {
        m[i][0] = a->row[i].x / scale;
        m[i][1] = a->row[i].y / scale;
        m[i][2] = a->row[i].z / scale;
    }
    double k[4][4] = {
        {m[0][0] + m[1][1] + m[2][2], m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]},
        {m[2][1] - m[1][2], m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[0][2] + m[2][0]},
        {m[0][2] - m[2][0], m[0][1] + m[1][0], m[1][1] - m[0][0] - m[2][2], m[1][2] + m[2][1]},
        {m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1], m[2][2] - m[0][0] - m[1][1]}};
    double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int sweep = 0; sweep < 30; ++sweep) {
        double off = 0;
        for (int p = 0; p < 3; ++p)
            for (int q = p + 1; q < 4; ++q) {
                off = fmax(off, fabs(k[p][q]));
                if (k[p][q] == 0) continue;
                const double theta = (k[q][q] - k[p][p]) / (2 * k[p][q]);
                const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                const double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int i = 0; i < 4; ++i) {
                    const double kp = k[i][p], kq = k[i][q];
                    k[i][p] = c * kp - s * kq;
                    k[i][q] = s * kp + c * kq;
                }
                for (int i = 0; i < 4; ++i) {
                    const double kp = k[p][i], kq = k[q][i];
                    k[p][i] = c * kp - s * kq;
                    k[q][i] = s * kp + c * kq;
                    const double vp = v[i][p], vq = v[i][q];
                    v[i][p] = c * vp - s * vq;
                    v[i][q] = s * vp + c * vq;
                }
            }
        if (off < 1e-15) break;
    }
    int best = 0;
    for (int j = 1; j < 4; ++j)
        if (k[j][j] > k[best][best]) best = j;
    const double g[4] = {guess.w, guess.x, guess.y, guess.z};
    double projected[4] = {0, 0, 0, 0}, square = 0;
    for (int j = 0; j < 4; ++j) {
        if (k[j][j] < k[best][best] - 1e-9) continue;
        double along = 0;
        for (int i = 0; i < 4; ++i) along += v[i][j] * g[i];
        for (int i = 0; i < 4; ++i) projected[i] += along * v[i][j];
    }
    for (int i = 0; i < 4; ++i) square += projected[i] * projected[i];
    if (!(square > 1e-12)) {
        square = 0;
        for (int i = 0; i < 4; ++i) {
            projected[i] = v[i][best];
            square += projected[i] * projected[i];
        }
    }
    const double per_length = 1 / sqrt(square);
    return (float4)((float)(per_length * projected[1]), (float)(per_length * projected[2]),
                    (float)(per_length * projected[3]), (float)(per_length * projected[0]));
}

float dot3(float4 a, float4 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
/// With w of the products of w, which is meant to be 0 or not to be read.
float4 cross3(float4 a, float4 b) {
    return a.yzxw * b.zxyw - a.zxyw * b.yzxw;
}

/// The rotation nearest to the matrix of a region's fit, from a guess.
float4 nearest_rotation(const Rows* given, float4 q) {
    const float scale = fmax(largest_of(given->row[0]),
                             fmax(largest_of(given->row[1]), largest_of(given->row[2])));
    if (!(scale > 1e-30f)) return q;
    const float per_scale = 1 / scale;
    const float4 a0 = per_scale * given->row[0], a1 = per_scale * given->row[1],
                 a2 = per_scale * given->row[2];
    const float4 guess = q;
    for (int i = 0; i < 8; ++i) {
        const Rows r = matrix_of(q);
        // s = rᵀ a
        const float4 s0 = r.row[0].x * a0 + r.row[1].x * a1 + r.row[2].x * a2;
        const float4 s1 = r.row[0].y * a0 + r.row[1].y * a1 + r.row[2].y * a2;
        const float4 s2 = r.row[0].z * a0 + r.row[1].z * a1 + r.row[2].z * a2;
        const float gx = s2.y - s1.z, gy = s0.z - s2.x, gz = s1.x - s0.y;
        const float h00 = s1.y + s2.z, h11 = s0.x + s2.z, h22 = s0.x + s1.y;
        const float h10 = -0.5f * (s0.y + s1.x), h20 = -0.5f * (s0.z + s2.x),
                    h21 = -0.5f * (s1.z + s2.y);
        const float least = 1e-4f;
        const float d0 = h00, p0 = 1 / fmax(d0, least);
        const float l10 = h10 * p0, l20 = h20 * p0;
        const float d1 = h11 - l10 * h10, p1 = 1 / fmax(d1, least);
        const float c21 = h21 - l20 * h10, l21 = c21 * p1;
        const float d2 = h22 - l20 * h20 - l21 * c21, p2 = 1 / fmax(d2, least);
        if (!(fmin(d0, fmin(d1, d2)) >= least)) return rotation_by_eigenvectors(given, q);
        const float y1 = gy - l10 * gx, y2 = gz - l20 * gx - l21 * y1;
        const float w2 = y2 * p2, w1 = y1 * p1 - l21 * w2, w0 = gx * p0 - l10 * w1 - l20 * w2;
        // q (1, w/2), which turns by w up to the third order, normalised.
        const float4 t = 0.5f * (float4)(w0, w1, w2, 0);
        const float4 p = (float4)(q.xyz, 0);
        float4 turned = p + q.w * t + cross3(p, t);
        turned.w = q.w - dot3(p, t);
        const float per_length = 1 / sqrt(dot3(turned, turned) + turned.w * turned.w);
        q = per_length * turned;
        // What is left is of the order of the square of this step.
        if (!(dot3(t, t) > 2.5e-8f)) return q;
    }
    return rotation_by_eigenvectors(given, guess);
}
