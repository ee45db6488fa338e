#include <algorithm>

#include "volume/volume_cpu.hpp"

namespace turgor {

void ShapeSums::add(const ShapeSums& other) {
    nine_volumes += other.nine_volumes;
    raw_weight += other.raw_weight;
}
void WeightSums::add(const WeightSums& other) {
    weight += other.weight;
    free += other.free;
    slope += other.slope;
    largest = std::max(largest, other.largest);
}
void DirectionSums::add(const DirectionSums& other) {
    weight += other.weight;
    first += other.first;
    second += other.second;
    mixed += other.mixed;
    linear += other.linear;
    angular += other.angular;
    square += other.square;
    momentum += other.momentum;
    moment += other.moment;
    push += other.push;
}
RigidField DirectionSums::field(Vec3 linear_left, Vec3 angular_left) const {
    return RigidSystem(weight, first, symmetric(second, mixed))
        .solve_for_single_precision(momentum - linear_left, moment - angular_left);
}
double DirectionSums::effect(const RigidField& f) const {
    return square - dot(f.a, linear) - dot(f.b, angular);
}
void MovedSums::add(const MovedSums& other) {
    nine_volumes += other.nine_volumes;
    effect += other.effect;
    divergence += other.divergence;
    all.add(other.all);
    pins.add(other.pins);
}
void Extent::add(const Extent& other) {
    reach = std::max(reach, other.reach);
    speed = std::max(speed, other.speed);
    deforming = std::max(deforming, other.deforming);
}

}  // namespace turgor
