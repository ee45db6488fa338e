#include "mesh/text_scanner.hpp"

#include <charconv>
#include <cmath>
#include <cstring>

#include "base/cancel.hpp"
#include "base/errors.hpp"
#include "base/parse_number.hpp"

namespace turgor {
namespace {

/// std::from_chars says "out of range" for 1e400 and for 1e-400 alike.
bool is_underflow(std::string_view word) {
    const auto exponent = word.find_first_of("eE");
    if (exponent != word.npos) return word.substr(exponent + 1).starts_with('-');
    const auto digit = word.find_first_not_of("+-0");
    return digit != word.npos && word[digit] == '.';
}

}  // namespace

std::string shown(std::string_view text) {
    std::string result(text.substr(0, 40));
    for (char& c : result)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
    return text.size() > 40 ? result + "..." : result;
}

TextScanner::TextScanner(const SourceFile& file, Continuation continuation)
    : TextScanner(file, 0, 1) {
    continues_ = continuation == Continuation::backslash;
}

TextScanner::TextScanner(const SourceFile& file, std::size_t offset, std::size_t line)
    : file_(file.name),
      begin_(file.data.get()),
      at_(begin_ + offset),
      end_(begin_ + file.size),
      line_(line) {
    if (offset == 0 && file.bytes().starts_with("\xEF\xBB\xBF")) at_ += 3;
    if (!std::memchr(begin_, '\n', file.size)) break_ = '\r';
}

bool TextScanner::is_continued(const char* p, const char** next) const {
    if (!continues_ || *p != '\\') return false;
    const char* q = p + 1;
    if (q < end_ && *q == '\r' && break_ == '\n') ++q;
    if (q < end_ && !is_break(q)) return false;
    *next = q < end_ ? q + 1 : q;
    return true;
}

void TextScanner::skip_blanks() {
    const char* next = nullptr;
    while (at_ < end_ && !is_break(at_)) {
        if (is_blank(*at_)) {
            ++at_;
        } else if (is_continued(at_, &next)) {
            at_ = next;
            ++line_;
        } else {
            return;
        }
    }
}

void TextScanner::skip_line() {
    const void* found = at_ < end_ ? std::memchr(at_, break_, bytes_left()) : nullptr;
    at_ = found ? static_cast<const char*>(found) + 1 : end_;
    ++line_;
}

bool TextScanner::next_line() {
    check_cancelled();
    if (in_line_) skip_line();
    in_line_ = true;
    while (at_ < end_) {
        skip_blanks();
        if (at_ >= end_) break;
        if (!is_break(at_) && *at_ != '#') return true;
        skip_line();
    }
    in_line_ = false;
    return false;
}

bool TextScanner::at_line_end() {
    skip_blanks();
    return at_ >= end_ || is_break(at_) || *at_ == '#';
}

std::string_view TextScanner::word() {
    if (at_line_end()) return {};
    const char* start = at_;
    while (!is_separator(at_)) ++at_;
    return {start, static_cast<std::size_t>(at_ - start)};
}

bool TextScanner::take(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
}

double TextScanner::number(std::string_view what) {
    skip_blanks();
    const bool plus = at_ + 1 < end_ && *at_ == '+' && at_[1] != '-';
    double value = 0;
    const auto [stop, error] = parse_number(at_ + plus, end_, value);
    if (error != std::errc{} || !is_separator(stop) || !std::isfinite(value))
        return odd_number(what);
    at_ = stop;
    return value;
}

double TextScanner::odd_number(std::string_view what) {
    if (at_line_end())
        refuse(fmt::format("the {} is missing; the file is damaged, export the mesh again", what));
    const bool plus = *at_ == '+';
    double value = 0;
    const auto [stop, error] = parse_number(at_ + plus, end_, value);
    const std::string text = shown_word();
    if (error == std::errc::result_out_of_range && is_separator(stop)) {
        if (!is_underflow({at_, static_cast<std::size_t>(stop - at_)}))
            refuse(fmt::format("the {} is too large for a number ({}); correct it", what, text));
        at_ = stop;
        return 0;
    }
    if (error == std::errc{} && is_separator(stop))
        refuse(fmt::format(
            "the {} is not a finite number ({}); correct it or export the mesh again", what, text));
    if (error == std::errc{} && *stop == ',')
        refuse(fmt::format("the {} is not a number ({}); write decimals with a point, not a comma",
                           what, text));
    refuse(fmt::format("the {} is not a number ({}); correct it or export the mesh again", what,
                       text));
}

std::int64_t TextScanner::integer(std::string_view what, char also_after) {
    if (at_line_end())
        refuse(fmt::format("the {} is missing; the file is damaged, export the mesh again", what));
    const bool plus = at_ + 1 < end_ && *at_ == '+' && at_[1] != '-';
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(at_ + plus, end_, value);
    if (error == std::errc::result_out_of_range)
        refuse(fmt::format("the {} is too large ({}); correct it", what, shown_word()));
    const bool ends_well = is_separator(stop) || (also_after != '\0' && *stop == also_after);
    if (error != std::errc{} || !ends_well)
        refuse(fmt::format("the {} is not an integer ({}); correct it or export the mesh again",
                           what, shown_word()));
    at_ = stop;
    return value;
}

std::string TextScanner::shown_word() const {
    const char* stop = at_;
    while (!is_separator(stop)) ++stop;
    return shown({at_, static_cast<std::size_t>(stop - at_)});
}

void TextScanner::refuse(std::string_view sentence) const {
    fail(ErrorCode::bad_file, "{}, line {}: {}", file_, line_, sentence);
}

}  // namespace turgor
