#include <map>

#include "output/reader_rules.hpp"
#include "output/readers.hpp"

namespace readers {

namespace fs = std::filesystem;

namespace {

/// The part of the USD text grammar that a mesh needs: prims with metadata, attributes, time
/// samples.
class UsdaParser {
public:
    explicit UsdaParser(std::string_view text) : text_(text) { next(); }

    struct Value {
        std::string text;  // of a number or a string
        std::vector<Value> items;
    };
    struct Attribute {
        std::string type;
        Value value;
        std::vector<std::pair<float, Value>> samples;
        std::map<std::string, Value> metadata;
    };
    struct Prim {
        std::string type, name;
        std::map<std::string, Value> metadata;
        std::map<std::string, Attribute> attributes;
        std::vector<Prim> children;
    };

    Prim stage() {
        Prim root;
        if (token_ == "(") root.metadata = metadata();
        while (!token_.empty()) root.children.push_back(prim());
        return root;
    }

private:
    void skip_space() {
        while (!text_.empty() &&
               (std::isspace(static_cast<unsigned char>(text_[0])) || text_[0] == '#')) {
            if (text_[0] == '#') text_.remove_prefix(std::min(text_.find('\n'), text_.size() - 1));
            text_.remove_prefix(1);
        }
    }

    void next() {
        skip_space();
        token_.clear();
        is_string_ = false;
        if (text_.empty()) return;
        if (text_[0] == '"') return next_string();
        const auto in_word = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':' ||
                   c == '.' || c == '-' || c == '+';
        };
        // A time is followed by ':', which is part of names elsewhere.
        const bool number = std::isdigit(static_cast<unsigned char>(text_[0])) || text_[0] == '-';
        std::size_t size = 0;
        while (size < text_.size() && in_word(text_[size]) && !(number && text_[size] == ':'))
            ++size;
        size = std::max<std::size_t>(size, 1);
        token_ = text_.substr(0, size);
        text_.remove_prefix(size);
        if (text_.starts_with("[]")) token_ += "[]", text_.remove_prefix(2);
    }

    void next_string() {
        is_string_ = true;
        for (text_.remove_prefix(1); text_.at(0) != '"'; text_.remove_prefix(1)) {
            require(text_[0] != '\n', "a string ends on its line");
            if (text_[0] == '\\') {
                text_.remove_prefix(1);
                token_ += text_[0] == 'n' ? '\n' : text_[0];
            } else {
                token_ += text_[0];
            }
        }
        text_.remove_prefix(1);
    }

    std::string take_token() {
        std::string token = token_;
        next();
        return token;
    }

    void expect(const std::string& token) {
        require(token_ == token && !is_string_, "'" + token + "' is here, not '" + token_ + "'");
        next();
    }

    bool accept(const std::string& token) {
        if (token_ != token || is_string_) return false;
        next();
        return true;
    }

    Value value() {
        Value result;
        const std::string close = token_ == "[" ? "]" : ")";
        if (is_string_ || (token_ != "[" && token_ != "(")) {
            result.text = take_token();
            return result;
        }
        next();
        while (!accept(close)) {
            result.items.push_back(value());
            if (!accept(",")) require(token_ == close, "a comma or the end of a list");
        }
        return result;
    }

    std::map<std::string, Value> metadata() {
        std::map<std::string, Value> result;
        expect("(");
        while (!accept(")")) {
            const std::string key = take_token();
            expect("=");
            if (accept("{")) {
                while (!accept("}")) {
                    take_token();
                    const std::string entry = take_token();
                    expect("=");
                    result[key + "." + entry] = value();
                }
            } else {
                result[key] = value();
            }
        }
        return result;
    }

    Prim prim() {
        Prim result;
        expect("def");
        result.type = take_token();
        require(is_string_, "a prim's name is quoted");
        result.name = take_token();
        if (token_ == "(") result.metadata = metadata();
        expect("{");
        while (!accept("}")) {
            if (token_ == "def")
                result.children.push_back(prim());
            else
                attribute(result);
        }
        return result;
    }

    void attribute(Prim& prim) {
        accept("uniform");
        const std::string type = take_token();
        std::string name = take_token();
        const std::string suffix = ".timeSamples";
        const bool sampled = name.ends_with(suffix);
        if (sampled) name.resize(name.size() - suffix.size());
        Attribute& result = prim.attributes[name];
        require(result.type.empty() || result.type == type, "an attribute has one type");
        result.type = type;
        if (sampled) {
            expect("=");
            expect("{");
            while (!accept("}")) {
                const float time = to_float(take_token());
                expect(":");
                result.samples.emplace_back(time, value());
                if (!accept(",")) require(token_ == "}", "a comma or the end of the samples");
            }
        } else if (accept("=")) {
            result.value = value();
        }
        if (token_ == "(") result.metadata = metadata();
    }

    std::string_view text_;
    std::string token_;
    bool is_string_ = false;
};

std::vector<Point> to_points(const UsdaParser::Value& value) {
    std::vector<Point> result;
    for (const auto& item : value.items) {
        require(item.items.size() == 3, "three coordinates");
        result.push_back({to_float(item.items[0].text), to_float(item.items[1].text),
                          to_float(item.items[2].text)});
    }
    return result;
}

bool is_identifier(const std::string& name) {
    bool good = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0]));
    for (const char c : name)
        good &= c == '_' || (static_cast<unsigned char>(c) < 128 && std::isalnum(c));
    return good;
}

Body usda_body(const UsdaParser::Prim& prim, std::size_t frame) {
    Body body;
    body.name = prim.metadata.at("customData.name").text;
    const auto sample = [&](const char* name, const char* type) {
        const auto& attribute = prim.attributes.at(name);
        require(attribute.type == type, std::string("the type of ") + name);
        require(attribute.samples.at(frame).first == static_cast<float>(frame), "sample times");
        return to_points(attribute.samples[frame].second);
    };
    body.positions = sample("points", "point3f[]");
    const bool is_points = prim.type == "Points";
    require(prim.attributes.contains("normals") != is_points, "points have no normals");
    if (!is_points) {
        body.normals = sample("normals", "normal3f[]");
        require(prim.attributes.at("normals").metadata.at("interpolation").text == "vertex",
                "normals belong to vertices");
        require(body.normals.size() == body.positions.size(), "one normal per point");
    }
    const std::vector<Point> extent = sample("extent", "float3[]");
    require(extent.size() == 2, "an extent is two corners");
    for (std::size_t k = 0; k < 3; ++k) {
        float low = body.positions[0][k], high = low;
        for (const Point& p : body.positions)
            low = std::min(low, p[k]), high = std::max(high, p[k]);
        require(extent[0][k] == low && extent[1][k] == high, "the extent is exact");
    }
    const Point colour = to_points(prim.attributes.at("primvars:displayColor").value).at(0);
    body.colour = {colour[0], colour[1], colour[2]};
    if (is_points) {
        const auto& widths = prim.attributes.at("widths").value.items;
        require(widths.size() == 1 && to_float(widths[0].text) > 0, "points have a width");
        return body;
    }
    const auto& counts = prim.attributes.at("faceVertexCounts").value.items;
    const auto& indices = prim.attributes.at("faceVertexIndices").value.items;
    require(indices.size() == 3 * counts.size(), "counts add up to the indices");
    for (std::size_t f = 0; f < counts.size(); ++f) {
        require(counts[f].text == "3", "faces are triangles");
        Corners corners{};
        for (std::size_t k = 0; k < 3; ++k) {
            corners[k] = static_cast<std::uint32_t>(std::stoul(indices[3 * f + k].text));
            require(corners[k] < body.positions.size(), "indices are in range");
        }
        body.triangles.push_back(corners);
    }
    require(prim.attributes.at("subdivisionScheme").value.text == "none", "no subdivision");
    return body;
}

}  // namespace

Usda read_usda(const fs::path& file) {
    const std::string text = read_text(file);
    require(text.starts_with("#usda 1.0\n"), "the first line");
    const UsdaParser::Prim stage = UsdaParser(text).stage();
    const auto number = [&](const char* key) {
        return static_cast<double>(to_float(stage.metadata.at(key).text));
    };
    require(stage.metadata.at("upAxis").text == "Y" && number("metersPerUnit") == 1, "the units");
    require(stage.children.size() == 1, "one root");
    const UsdaParser::Prim& world = stage.children[0];
    require(stage.metadata.at("defaultPrim").text == world.name, "the default prim is the root");
    Usda result{
        number("timeCodesPerSecond"), number("startTimeCode"), number("endTimeCode"), {}, {}};
    result.frames.resize(static_cast<std::size_t>(result.end) + 1);
    for (const UsdaParser::Prim& prim : world.children) {
        require(prim.type == "Mesh" || prim.type == "Points", "a mesh or points");
        require(is_identifier(prim.name), "a valid name");
        result.identifiers.push_back(prim.name);
        require(prim.attributes.at("points").samples.size() == result.frames.size(),
                "a sample per frame");
        for (std::size_t f = 0; f < result.frames.size(); ++f)
            result.frames[f].push_back(usda_body(prim, f));
    }
    return result;
}

}  // namespace readers
