// Read by C++ and by OpenCL C alike: the numbers that both reckon with, each once.
#ifndef TURGOR_CONSTANTS_H
#define TURGOR_CONSTANTS_H

// Contact, in units of the smaller contact length of two bodies.
#define TURGOR_CONTACT_THICKNESS 0.1  // the gap that surfaces keep
#define TURGOR_CONTACT_MARGIN 0.25    // contacts are kept within so much more
#define TURGOR_MAX_APPROACH 0.5       // of two surfaces in a sub-step
#define TURGOR_MAX_DEPTH 0.35         // beyond, nearest points no longer tell the way out
#define TURGOR_SHALLOW_DEPTH 0.15     // as deep as a hard blow or a crush presses many
#define TURGOR_SEARCH_DEPTH 0.45      // how deep vertices are looked for
#define TURGOR_OPPOSITE (-0.3)        // cosine: two parts of a surface look opposite ways

// Self contact, in units of the contact length.
#define TURGOR_APART_AT_REST 2.0     // what is nearer at rest never meets
#define TURGOR_MAX_SELF_DEPTH 1.0    // that parts may have gone through each other
#define TURGOR_FARTHEST_QUERY 6.0    // how far clusters look
#define TURGOR_MOST_SHEETS 16.0      // surfaces one above the other that are told apart
#define TURGOR_MAX_SHARE_INSIDE 0.1  // of all vertices, before a body counts as self-intersecting
#define TURGOR_SPEED_ALLOWANCE 1.5   // parts may close faster than when the step began
#define TURGOR_FACING (-0.2)         // cosine: a triangle faces a vertex

#define TURGOR_PUSH_MEMORY 0.1       // of pairs of bodies, fading [s]
#define TURGOR_PAPERS_STEP 0.005     // what rates in the papers are for [s]
#define TURGOR_LARGEST_EXTENT 1e12   // of coordinates in a body's frame; beyond, it has exploded [m]
#define TURGOR_FARTHEST_POSITION 1e30  // far below the largest float [m]
#define TURGOR_LARGEST_WEIGHT 3.0    // of a volume correction, in units of the mean
#define TURGOR_FIXED_ONE 1073741824.0  // 2^30, the largest sum in fixed point
#define TURGOR_VOLUME_ROUNDS 4       // of stage 4: corrections may push into colliders
#define TURGOR_LEAF 8                // vertices or triangles of a leaf of a collision tree

#endif
