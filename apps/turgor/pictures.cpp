#include "pictures.hpp"

namespace turgor {

bool is_picture(const std::filesystem::path& output) {
    const auto named = output.has_filename() ? output : output.parent_path();
    const auto ending = named.extension();
    return ending == ".png" || ending == ".jpg" || output.extension() == ".mp4";
}

}  // namespace turgor
