// base/rigid_system.cpp, for kernels.

typedef struct {
    double m[3][3];
} Mat3;
typedef struct {
    double3 a, b;  ///< the field a + b × r
} RigidField;

double3 make3(double x, double y, double z) {
    return (double3)(x, y, z);
}

Mat3 symmetric(double3 diagonal, double3 mixed) {
    const Mat3 s = {{{diagonal.x, mixed.x, mixed.z},
                     {mixed.x, diagonal.y, mixed.y},
                     {mixed.z, mixed.y, diagonal.z}}};
    return s;
}

/// Solves the symmetric system a x = b by cyclic Jacobi; along directions that nothing resists the
/// answer is zero.
double3 solve_symmetric(Mat3 a, double3 b) {
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < 20; ++sweep) {
        if (fabs(a.m[0][1]) + fabs(a.m[0][2]) + fabs(a.m[1][2]) <
            1e-16 * fabs(a.m[0][0] + a.m[1][1] + a.m[2][2]))
            break;
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                if (a.m[p][q] == 0) continue;
                const double theta = (a.m[q][q] - a.m[p][p]) / (2 * a.m[p][q]);
                const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                const double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int i = 0; i < 3; ++i) {
                    const double ip = a.m[i][p], iq = a.m[i][q];
                    a.m[i][p] = c * ip - s * iq;
                    a.m[i][q] = s * ip + c * iq;
                }
                for (int i = 0; i < 3; ++i) {
                    const double pi = a.m[p][i], qi = a.m[q][i];
                    a.m[p][i] = c * pi - s * qi;
                    a.m[q][i] = s * pi + c * qi;
                    const double vp = v[i][p], vq = v[i][q];
                    v[i][p] = c * vp - s * vq;
                    v[i][q] = s * vp + c * vq;
                }
            }
    }
    const double largest = fmax(fmax(a.m[0][0], a.m[1][1]), fmax(a.m[2][2], 0.0));
    double3 x = 0;
    for (int i = 0; i < 3; ++i) {
        const double3 column = make3(v[0][i], v[1][i], v[2][i]);
        if (a.m[i][i] > 1e-10 * largest) x += dot(column, b) / a.m[i][i] * column;
    }
    return x;
}

/// The field with the given momenta, of points with a total weight, Σ w r and Σ w r rᵀ.
RigidField solve_rigid(double weight, double3 first, double3 second, double3 mixed, double3 linear,
                       double3 angular) {
    RigidField field = {0, 0};
    if (!(weight > 0)) return field;
    // About the weighted centre c the system falls apart.
    const double3 c = first / weight;
    const double3 s = second - weight * c * c, m = mixed - weight * c * c.yzx;
    const Mat3 inertia = symmetric(make3(s.y + s.z, s.z + s.x, s.x + s.y), -m);
    field.b = solve_symmetric(inertia, angular - cross(c, linear));
    field.a = linear / weight - cross(field.b, c);
    return field;
}
