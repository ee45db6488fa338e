// The parts of std::filesystem::path that Debian's libc++ for wasm32 declares and does not hold,
// because it is built without a file system. Names of files are only split here; '/' separates
// ([fs.path.decompose]).

#include <filesystem>

namespace std::filesystem {

using View = path::__string_view;

namespace {

/// Where the file's name begins: after the last separator.
size_t name_start(const string& text) {
    return text.rfind('/') + 1;  // npos + 1 is 0
}

/// The length of a name without its ending; names like ".." and ".hidden" have none.
size_t stem_length(View name) {
    const size_t dot = name.rfind('.');
    return name == ".." || dot == 0 || dot == name.npos ? name.size() : dot;
}

}  // namespace

View path::__root_name() const {
    return {};
}
View path::__root_directory() const {
    return View(__pn_).substr(0, __pn_.starts_with('/') ? 1 : 0);
}
View path::__filename() const {
    return View(__pn_).substr(name_start(__pn_));
}
View path::__stem() const {
    const View name = __filename();
    return name.substr(0, stem_length(name));
}
View path::__extension() const {
    const View name = __filename();
    return name.substr(stem_length(name));
}
View path::__parent_path() const {
    const size_t start = name_start(__pn_);
    const size_t end = View(__pn_).substr(0, start).find_last_not_of('/') + 1;
    return View(__pn_).substr(0, end == 0 && start > 0 ? 1 : end);
}
int path::__compare(View other) const {
    return View(__pn_).compare(other);
}

path::iterator path::begin() const {
    iterator first;
    first.__path_ptr_ = this;
    first.__entry_ = View(__pn_).substr(0, 0);
    first.__state_ = iterator::_BeforeBegin;
    return first.__increment();
}
path::iterator path::end() const {
    iterator last;
    last.__path_ptr_ = this;
    last.__entry_ = View(__pn_).substr(__pn_.size());
    last.__state_ = iterator::_AtEnd;
    return last;
}
path::iterator& path::iterator::__increment() {
    const View all(__path_ptr_->__pn_);
    const auto from = static_cast<size_t>(__entry_.data() + __entry_.size() - all.data());
    const size_t start = std::min(all.find_first_not_of('/', from), all.size());
    __entry_ = all.substr(start, all.find('/', start) - start);
    __state_ = start == all.size() ? _AtEnd : _InFilenames;
    __stashed_elem_ = path(std::string(__entry_));
    return *this;
}

}  // namespace std::filesystem
