#pragma once

#include "turgor/collider.hpp"
#include "turgor/error.hpp"
#include "turgor/material.hpp"
#include "turgor/math.hpp"
#include "turgor/mesh.hpp"
#include "turgor/model.hpp"
#include "turgor/rigid.hpp"
#include "turgor/solid.hpp"
#include "turgor/world.hpp"
