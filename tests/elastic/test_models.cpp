#include <gtest/gtest.h>

#include <algorithm>

#include "elastic/model.hpp"
#include "turgor/error.hpp"

namespace turgor {
namespace {

/// A model in name only.
class Named final : public ElasticModel {
public:
    explicit Named(std::string_view name) : name_(name) {}
    std::string_view name() const override { return name_; }
    Traits traits() const override { return {}; }
    std::uint32_t snapshot_version() const override { return 1; }
    std::unique_ptr<ElasticBody> bake(std::shared_ptr<const BodySource>, const Material&,
                                      const ModelSettings&, const BakeContext&) const override {
        return nullptr;
    }

private:
    std::string_view name_;
};

/// Known to this program from the first test that asks for it.
const ElasticModel& guest() {
    static const Named model("guest");
    static const bool registered = (register_model(model), true);
    EXPECT_TRUE(registered);
    return model;
}

std::string sentence(auto&& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_argument);
        return error.what();
    }
    ADD_FAILURE() << "accepted";
    return {};
}

TEST(Models, the_surface_model_is_built_in_and_the_default) {
    ASSERT_FALSE(models().empty());
    EXPECT_EQ(models()[0]->name(), "surface");
    EXPECT_EQ(&model_named("surface"), models()[0]);
    EXPECT_EQ(Model{}.name, "surface");
    EXPECT_TRUE(model_named("surface").traits().meets_frequency);
}

TEST(Models, an_unknown_name_is_refused_with_the_names_that_there_are) {
    guest();
    for (const char* name : {"jelly", "", "Surface", "surface "}) {
        const std::string text = sentence([&] { model_named(name); });
        EXPECT_NE(text.find("'" + std::string(name) + "'"), std::string::npos) << text;
        for (const ElasticModel* model : models())
            EXPECT_NE(text.find(model->name()), std::string::npos) << text;
    }
}

TEST(Models, a_registered_model_is_found_by_its_name_after_the_built_in_ones) {
    const ElasticModel& model = guest();
    EXPECT_EQ(&model_named("guest"), &model);
    EXPECT_EQ(std::ranges::count(models(), &model), 1);
    EXPECT_NE(models()[0], &model);
}

TEST(Models, a_second_model_of_the_same_name_is_refused) {
    guest();
    const std::size_t before = models().size();
    for (const char* name : {"surface", "guest"}) {
        const Named second(name);
        const std::string text = sentence([&] { register_model(second); });
        EXPECT_NE(text.find(name), std::string::npos) << text;
    }
    EXPECT_EQ(models().size(), before);
    EXPECT_EQ(&model_named("guest"), &guest());
}

TEST(Models, numbers_of_settings_that_are_none_are_refused) {
    for (const char* text : {"meshless:beta=1e400", "meshless:beta=-1e400", "meshless:beta=0,5",
                             "meshless:beta=", "meshless:clusters=1e400", "meshless:beta=nan",
                             "meshless:beta=0.5,beta=0.6", "surface:stiffness=1e999"}) {
        Status status;
        Model::parse(text, &status);
        EXPECT_FALSE(status.message.empty()) << text;
    }
}

}  // namespace
}  // namespace turgor
