#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "mesh/source_file.hpp"

namespace turgor {

/// Walks through a text file line by line and number by number, whatever the locale. '#' starts a
/// comment; lines end with LF, CRLF or (in a file without any LF) CR.
class TextScanner {
public:
    enum class Continuation { none, backslash };  ///< whether a final '\' joins the next line

    explicit TextScanner(const SourceFile& file, Continuation continuation = Continuation::none);
    /// Starts at byte `offset`, which lies in line `line`.
    TextScanner(const SourceFile& file, std::size_t offset, std::size_t line);

    /// Moves to the next line that is not blank; false at the end of the file.
    bool next_line();
    /// True where nothing is left in the line but blanks or a comment.
    bool at_line_end();
    /// The next run of non-blank characters; empty at the end of the line.
    std::string_view word();
    /// The next number; `what` names it in the sentence that refuses it, e.g. "second coordinate".
    double number(std::string_view what);
    /// The next integer; the character `also_after` may follow it directly.
    std::int64_t integer(std::string_view what, char also_after = '\0');
    /// Steps over `c` if it comes next.
    bool take(char c);
    bool next_is(char c) const { return at_ < end_ && *at_ == c; }
    bool at_separator() const { return is_separator(at_); }

    std::size_t line() const { return line_; }
    std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }
    /// Throws "<file>, line <n>: <sentence>".
    [[noreturn]] void refuse(std::string_view sentence) const;

private:
    bool is_break(const char* p) const { return *p == break_; }
    static bool is_blank(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
    }
    bool is_separator(const char* p) const {
        // Everything that separates comes before '$', but for a continuing backslash.
        if (p >= end_) return true;
        if (*p > '#') return *p == '\\' && is_continued(p, &p);
        return is_break(p) || is_blank(*p) || *p == '#';
    }
    bool is_continued(const char* p, const char** next) const;
    void skip_blanks();
    void skip_line();
    std::string shown_word() const;
    double odd_number(std::string_view what);

    std::string_view file_;
    const char* begin_;
    const char* at_;
    const char* end_;
    std::size_t line_ = 1;
    char break_ = '\n';
    bool continues_ = false;
    bool in_line_ = false;
};

/// What a message shows of text from a file: at most 40 characters, none of them unprintable.
std::string shown(std::string_view text);

}  // namespace turgor
