// Poses the vertices of a member of a crowd by blending the baked matrices of their joints. Deformed vertices have a
// baked position and normal instead.
//
// Used by all passes. The pipeline defines PREPASS_PIPELINE for depth, shadows, motion vectors and the deferred pass.

#import bevy_classic_models::pose_row::{PoseRow, read_pose_row}
#import bevy_classic_models::vertex_output::{MovedVertex, vertex_output}
#import bevy_pbr::mesh_functions::get_tag
#ifdef PREPASS_PIPELINE
#import bevy_pbr::prepass_io::{Vertex, VertexOutput}
#else
#import bevy_pbr::forward_io::{Vertex, VertexOutput}
#endif

// The baked clips of the model. A pose has texels with visibility bits, then three per joint, then one per deformed vertex.
@group(#{MATERIAL_BIND_GROUP}) @binding(110) var poses: texture_2d<f32>;
// One row per instance: see PoseTable. Poses are the indices of their first texels.
@group(#{MATERIAL_BIND_GROUP}) @binding(111) var instances: texture_2d<u32>;

const BITS_PER_CHANNEL: u32 = 16u;
const BITS_PER_TEXEL: u32 = 64u;

fn load(index: u32) -> vec4<f32> {
    let width = textureDimensions(poses).x;
    return textureLoad(poses, vec2(index % width, index / width), 0);
}

// The rows of an affine matrix.
struct Matrix {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

// Adds the matrices of the joints in a pose, each with its weight.
fn add_pose(sum: ptr<function, Matrix>, pose: u32, weight: f32, joints: vec4<u32>, weights: vec4<f32>) {
    for (var i = 0u; i < 4u; i += 1u) {
        let factor = weight * weights[i];
        if (factor != 0.0) {
            let first = pose + joints[i];
            (*sum).x += factor * load(first);
            (*sum).y += factor * load(first + 1u);
            (*sum).z += factor * load(first + 2u);
        }
    }
}

// Adds a pair of poses: a, b, and the bits of the weight of b.
fn add_pair(sum: ptr<function, Matrix>, pair: vec3<u32>, weight: f32, joints: vec4<u32>, weights: vec4<f32>) {
    let towards_b = bitcast<f32>(pair.z);
    add_pose(sum, pair.x, weight * (1.0 - towards_b), joints, weights);
    if (towards_b > 0.0) {
        add_pose(sum, pair.y, weight * towards_b, joints, weights);
    }
}

// The matrix of a vertex in the poses of a row.
fn vertex_matrix(row: PoseRow, joints: vec4<u32>, weights: vec4<f32>) -> Matrix {
    var sum = Matrix(vec4(0.0), vec4(0.0), vec4(0.0));
    let from_weight = bitcast<f32>(row.to.w);
    add_pair(&sum, row.to.xyz, 1.0 - from_weight, joints, weights);
    if (from_weight > 0.0) {
        add_pair(&sum, row.from_pair, from_weight, joints, weights);
    }
    return sum;
}

// The position of a vertex in the model's space, and the matrix that transforms its normal and its tangent.
struct PosedVertex {
    position: vec3<f32>,
    normal: vec3<f32>,
    matrix: Matrix,
}

// A vertex in the poses of a row.
fn posed_vertex(row: PoseRow, joints: vec4<u32>, weights: vec4<f32>, position: vec3<f32>, normal: vec3<f32>) -> PosedVertex {
    if (weights.x < 0.0) {
        return deformed_vertex(row, joints.x | (joints.y << 16u));
    }
    let matrix = vertex_matrix(row, joints, weights);
    return PosedVertex(transformed(matrix, position), transformed_normal(matrix, normal), matrix);
}

// Decodes a normal: see deformed.rs.
fn decode_normal(encoded: f32) -> vec3<f32> {
    let number = u32(encoded);
    let point = vec2(f32(number >> 12u), f32(number & 4095u)) / 4095.0 * 2.0 - 1.0;
    let z = 1.0 - abs(point.x) - abs(point.y);
    let signs = select(vec2(-1.0), vec2(1.0), point >= vec2(0.0));
    let folded = point - signs * max(-z, 0.0);
    return normalize(vec3(folded, z));
}

// Adds the position and the normal of a deformed vertex in a pair of poses.
fn add_deformed(sum: ptr<function, PosedVertex>, pair: vec3<u32>, weight: f32, offset: u32) {
    let towards_b = bitcast<f32>(pair.z);
    let a = load(pair.x + offset);
    (*sum).position += a.xyz * (weight * (1.0 - towards_b));
    (*sum).normal += decode_normal(a.w) * (weight * (1.0 - towards_b));
    if (towards_b > 0.0) {
        let b = load(pair.y + offset);
        (*sum).position += b.xyz * (weight * towards_b);
        (*sum).normal += decode_normal(b.w) * (weight * towards_b);
    }
}

// A deformed vertex in the poses of a row. `offset` is that of its texel in a pose.
fn deformed_vertex(row: PoseRow, offset: u32) -> PosedVertex {
    let identity = Matrix(vec4(1.0, 0.0, 0.0, 0.0), vec4(0.0, 1.0, 0.0, 0.0), vec4(0.0, 0.0, 1.0, 0.0));
    var sum = PosedVertex(vec3(0.0), vec3(0.0), identity);
    let from_weight = bitcast<f32>(row.to.w);
    add_deformed(&sum, row.to.xyz, 1.0 - from_weight, offset);
    if (from_weight > 0.0) {
        add_deformed(&sum, row.from_pair, from_weight, offset);
    }
    return sum;
}

fn transformed(matrix: Matrix, position: vec3<f32>) -> vec3<f32> {
    let point = vec4(position, 1.0);
    return vec3(dot(matrix.x, point), dot(matrix.y, point), dot(matrix.z, point));
}

// Transforms a normal by the inverse transpose, up to a positive factor.
fn transformed_normal(matrix: Matrix, normal: vec3<f32>) -> vec3<f32> {
    let cofactors = mat3x3<f32>(
        cross(matrix.y.xyz, matrix.z.xyz),
        cross(matrix.z.xyz, matrix.x.xyz),
        cross(matrix.x.xyz, matrix.y.xyz),
    );
    return (normal * cofactors) * handedness(matrix);
}

// -1 for a matrix that mirrors, otherwise 1.
fn handedness(matrix: Matrix) -> f32 {
    return select(1.0, -1.0, dot(matrix.x.xyz, cross(matrix.y.xyz, matrix.z.xyz)) < 0.0);
}

fn is_visible_in(pose: u32, bit: u32) -> bool {
    let texel = load(pose + bit / BITS_PER_TEXEL);
    let channel = u32(texel[(bit % BITS_PER_TEXEL) / BITS_PER_CHANNEL]);
    return ((channel >> (bit % BITS_PER_CHANNEL)) & 1u) != 0u;
}

// Whether a vertex is visible. During a cross-fade, the clip with the greater weight decides.
fn is_visible(row: PoseRow, bit: u32) -> bool {
    let from_weight = bitcast<f32>(row.to.w);
    let shown = is_visible_in(row.to.x, bit);
    if (from_weight == 0.0) {
        return shown;
    }
    let from_shown = is_visible_in(row.from_pair.x, bit);
    return (shown && from_weight <= 0.5) || (from_shown && from_weight >= 0.5);
}

@vertex
fn vertex(
    in: Vertex,
    @location(10) joints: vec4<u32>,
    @location(11) weights: vec4<f32>,
    @location(12) visibility: u32,
) -> VertexOutput {
    let tag = get_tag(in.instance_index);
    let row = read_pose_row(instances, tag, 0u);
    let normal = mesh_normal(in);
    let vertex = posed_vertex(row, joints, weights, in.position, normal);
    var posed = in;
    var moved: MovedVertex;
    // The vertices of a hidden triangle are all at one point.
    moved.position = select(vec3(0.0), vertex.position, is_visible(row, visibility));
#ifdef PREPASS_PIPELINE
#ifdef NORMAL_PREPASS_OR_DEFERRED_PREPASS
    moved.normal = vertex.normal;
#ifdef VERTEX_TANGENTS
    posed.tangent = posed_tangent(vertex.matrix, in.tangent);
#endif
#endif
#else
    moved.normal = vertex.normal;
#ifdef VERTEX_TANGENTS
    posed.tangent = posed_tangent(vertex.matrix, in.tangent);
#endif
#endif
#ifdef MOTION_VECTOR_PREPASS
    let previous = read_pose_row(instances, tag, 1u);
    moved.previous_position = posed_vertex(previous, joints, weights, in.position, normal).position;
#endif
    return vertex_output(posed, moved);
}

// The normal of a vertex of the mesh, if the pass needs it.
fn mesh_normal(in: Vertex) -> vec3<f32> {
    var normal = vec3(0.0);
#ifdef PREPASS_PIPELINE
#ifdef NORMAL_PREPASS_OR_DEFERRED_PREPASS
#ifdef VERTEX_NORMALS
    normal = in.normal;
#endif
#endif
#else
#ifdef VERTEX_NORMALS
    normal = in.normal;
#endif
#endif
    return normal;
}

fn posed_tangent(matrix: Matrix, tangent: vec4<f32>) -> vec4<f32> {
    let direction = vec4(tangent.xyz, 0.0);
    return vec4(
        dot(matrix.x, direction),
        dot(matrix.y, direction),
        dot(matrix.z, direction),
        tangent.w * handedness(matrix),
    );
}
