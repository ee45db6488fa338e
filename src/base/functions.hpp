#pragma once

/// What the standard's mathematical functions compute, with the same bits on every machine: the
/// C library's own differ in their last digit from one system to the next, and with them the
/// state of a world. Made of + − × ÷ and √ in double precision, which IEEE 754 rounds in one way
/// only. Within 1 unit in the last place of the true value, arcs within 2½.
namespace turgor::portable {

double sin(double angle);
double cos(double angle);  ///< angles [rad] of more than a million lose digits
double asin(double sine);
double acos(double cosine);
double atan2(double y, double x);
double exp(double x);
double log(double x);
double cbrt(double x);

}  // namespace turgor::portable
