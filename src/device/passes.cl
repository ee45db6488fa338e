// Who takes part in a pass: a work-group for each block of particles, or for each body, which puts
// together what its blocks found out.

/// What all kernels over blocks know. Bodies have different numbers of sub-steps and do the last
/// one together; `left` is how many are left, this one included.
#define BLOCKS                                                                                 \
    const global BlockInput *blocks, const global BodyInput *bodies, global BodyState *states, \
        uint left
/// The block of this work-group; nothing more happens where its body does not take part.
#define THIS_BLOCK_AT_ANY_STAGE                               \
    const BlockInput block = blocks[get_group_id(0)];         \
    const global BodyInput* const body = bodies + block.body; \
    global BodyState* const state = states + block.body;      \
    if (left > body->sub_steps) return
#define THIS_BLOCK           \
    THIS_BLOCK_AT_ANY_STAGE; \
    if (state->stage != BODY_IN_STAGES) return
/// The same for the passes of one elastic model (DevicePass::blocks_of_model).
#define BLOCKS_OF_MODEL BLOCKS, uint model
#define THIS_BLOCK_OF_MODEL \
    THIS_BLOCK;             \
    if (body->model != model) return

/// The same for kernels over bodies; one work-item of a group reckons, in double precision.
#define BODIES                                                                               \
    const global uint *active, const global BodyInput *bodies, global BodyState *states, \
        uint left
#define THIS_BODY_AT_ANY_STAGE                           \
    const uint slot = active[get_group_id(0)];          \
    const global BodyInput* const body = bodies + slot; \
    global BodyState* const state = states + slot;      \
    if (left > body->sub_steps) return
#define THIS_BODY           \
    THIS_BODY_AT_ANY_STAGE; \
    if (state->stage != BODY_IN_STAGES) return
/// n sums and m largest numbers of the body's blocks in `total`; only one work-item goes on.
#define GATHER(n, m)                                                                            \
    local double scratch[BATCH * BODY_GROUP];                                                   \
    double total[(n) + (m)];                                                                    \
    gather_blocks(sums, body->first_block, body->blocks, total, n, m, scratch);                 \
    if (ITEM != 0) return
