// What an instance shows, read from its row of a PoseTable: two texels of this frame, then two of the one before.
#define_import_path bevy_classic_models::pose_row

const TEXELS_PER_ROW: u32 = 4u;

// What an instance shows: a, b, the bits of the way from a to b, and those of the share of `from_pair`.
struct Shown {
    to: vec4<u32>,
    from_pair: vec3<u32>,
}

// What the instance with a tag shows in this frame (age 0) or the one before (age 1).
fn shown_by(rows: texture_2d<u32>, tag: u32, age: u32) -> Shown {
    let index = tag * TEXELS_PER_ROW + age * 2u;
    let next = index + 1u;
    let width = textureDimensions(rows).x;
    return Shown(
        textureLoad(rows, vec2(index % width, index / width), 0),
        textureLoad(rows, vec2(next % width, next / width), 0).xyz,
    );
}
