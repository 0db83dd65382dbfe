// Reads the pose of an instance from its row of a PoseTable: two texels of the current frame, then two of the previous
// frame.
#define_import_path bevy_classic_models::pose_row

const TEXELS_PER_ROW: u32 = 4u;

// The pose of an instance. `to`: a, b, the bits of the factor from a to b, the bits of the weight of `from_pair`.
// `from_pair`: a, b, the bits of the factor from a to b.
struct PoseRow {
    to: vec4<u32>,
    from_pair: vec3<u32>,
}

// The pose of the instance with a tag in the current frame (age 0) or the previous frame (age 1).
fn read_pose_row(rows: texture_2d<u32>, tag: u32, age: u32) -> PoseRow {
    let index = tag * TEXELS_PER_ROW + age * 2u;
    let next = index + 1u;
    let width = textureDimensions(rows).x;
    return PoseRow(
        textureLoad(rows, vec2(index % width, index / width), 0),
        textureLoad(rows, vec2(next % width, next / width), 0).xyz,
    );
}

// The word of a row that poses do not use.
fn read_pose_row_extra(rows: texture_2d<u32>, tag: u32) -> u32 {
    let index = tag * TEXELS_PER_ROW + 1u;
    let width = textureDimensions(rows).x;
    return textureLoad(rows, vec2(index % width, index / width), 0).w;
}
