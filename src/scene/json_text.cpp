#include "scene/json_text.hpp"

#include <algorithm>
#include <set>

#include "base/errors.hpp"

namespace turgor {
namespace {

/// Follows the parser down and notices a key that comes twice in one object.
class KeyWatch {
public:
    explicit KeyWatch(const std::string& source) : source_(source) {}

    bool operator()(int, Json::parse_event_t event, Json& parsed) {
        using Event = Json::parse_event_t;
        if (event == Event::key) {
            note_key(parsed.get_ref<const std::string&>());
        } else if (event == Event::object_start || event == Event::array_start) {
            count_element();
            levels_.push_back({event == Event::array_start, 0, {}, {}});
        } else if (event == Event::object_end || event == Event::array_end) {
            levels_.pop_back();
        } else {
            count_element();
        }
        return true;
    }

private:
    struct Level {
        bool is_array;
        std::size_t elements;
        std::string key;
        std::set<std::string> keys;
    };
    void count_element() {
        if (!levels_.empty()) ++levels_.back().elements;
    }
    void note_key(const std::string& key) {
        levels_.back().key = key;
        if (!levels_.back().keys.insert(key).second)
            fail_at(source_, pointer(), "is given twice; remove one of the two");
    }
    std::string pointer() const {
        std::string text;
        for (const Level& level : levels_)
            text = level.is_array ? below(text, level.elements - 1) : below(text, level.key);
        return text;
    }

    const std::string& source_;
    std::vector<Level> levels_;
};

/// "… parse error at line 1, column 6: syntax error while parsing value - what; last read: 'x'" →
/// "what; last read: 'x'"
std::string reason_of(const Json::parse_error& error) {
    const std::string text = error.what();
    const std::size_t dash = text.find(" - ");
    return dash == std::string::npos ? text : text.substr(dash + 3);
}

std::string line_and_column(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(text.size(), byte == 0 ? 0 : byte - 1));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    return fmt::format("line {}, column {}", line, before.size() - line_start + 1);
}

}  // namespace

std::string below(const std::string& pointer, std::string_view key) {
    std::string text = pointer + '/';
    for (const char c : key) {
        if (c == '~')
            text += "~0";
        else if (c == '/')
            text += "~1";
        else
            text += c;
    }
    return text;
}

std::string below(const std::string& pointer, std::size_t index) {
    return fmt::format("{}/{}", pointer, index);
}

void fail_at(const std::string& source, const std::string& pointer, const std::string& sentence) {
    fail(ErrorCode::bad_scene, "{}: {}: {}", source, pointer.empty() ? "/" : pointer, sentence);
}

Json parse_json(std::string_view text, const std::string& source) {
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
        fail(ErrorCode::bad_scene, "{}: this text is UTF-16; save it as UTF-8", source);
    try {
        return Json::parse(text.begin(), text.end(), KeyWatch(source));
    } catch (const Json::parse_error& e) {
        fail(ErrorCode::bad_scene, "{}: {}: this is not valid JSON: {}", source,
             line_and_column(text, e.byte), reason_of(e));
    } catch (const Json::out_of_range&) {
        fail(ErrorCode::bad_scene, "{}: a number is too large; the largest is about 1.8e308",
             source);
    }
}

}  // namespace turgor
