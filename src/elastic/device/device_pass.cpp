#include "elastic/device/device_pass.hpp"

namespace turgor::device {
namespace {

constexpr std::size_t spare_contacts = 1024;

}  // namespace

void DeviceParticles::resize(Queue& queue, std::size_t particles, std::size_t rows) {
    const auto each = [&](std::size_t n, auto&... arrays) { (arrays.resize(queue, n), ...); };
    each(particles, x, v, elastic_state, x_start, predicted_v, normal, direction, support, pushed,
         change, weight, head);
    terms.resize(queue, row_quads * rows);
    contacts.resize(queue, particles + spare_contacts);
    contact_count.resize(queue, 1);
}

void DeviceParticles::expect_triangles(Queue& queue) {
    contacts.resize(queue, 3 * x.size() + spare_contacts);
}

std::size_t DeviceParticles::bytes() const {
    const auto sum = [](const auto&... array) { return (array.bytes() + ...); };
    return sum(x, v, elastic_state, x_start, predicted_v, normal, direction, support, pushed,
               change, weight, terms, head, contacts);
}

}  // namespace turgor::device
