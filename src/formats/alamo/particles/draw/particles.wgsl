// Draws particles: quads that are computed from birth records, as `EmitterRecords::drawn` does on the CPU.
//
// Each instance is a record. Its six vertices are the corners of two triangles.

#import bevy_pbr::{
    mesh_view_bindings::{view, view_transmission_sampler, view_transmission_texture},
    view_transformations::position_world_to_clip,
}
#ifdef SOFT
#import bevy_pbr::{prepass_utils::prepass_depth, view_transformations::depth_ndc_to_view_z}
#endif
#import bevy_render::color_operations::{linear_rgb_to_srgb, srgb_to_linear_rgb}
#ifdef TONEMAP_IN_SHADER
#import bevy_core_pipeline::tonemapping::tone_mapping
#endif

// The same as EmitterUniform.
struct Emitter {
    // The transform from the records to the world, as rows.
    world_from_records: mat3x4<f32>,
    // The axes of flat particles in the world.
    flat_x: vec4<f32>,
    flat_y: vec4<f32>,
    tint: vec4<f32>,
    // The ground's normal, of length 1, and its height, in the space of the records.
    ground: vec4<f32>,
    // Seconds since the epoch of the records.
    time: f32,
    // Units of the world per unit of the records.
    size_scale: f32,
    // Units of the records per unit of the file.
    scale: f32,
    // Length of the tail in half sizes; of a kite in units of the file.
    tail_size: f32,
    bounciness: f32,
    ground_effect: u32,
    flags: u32,
    // Tiles in each row and column of the texture.
    tiles: u32,
    // Edge length of the cube of weather, in units of the records; 0 without weather.
    weather_cube: f32,
    // Distance of its center from the camera, in units of the records.
    weather_distance: f32,
    // The turn of a quad along the velocity, in turns.
    turn: f32,
    // How far such a quad is moved along the velocity, in half sizes.
    anchor: f32,
    // How far heat moves the background, as a share of the picture.
    heat: f32,
    // Two tracks per vector: index of the first key; count of keys, and in the upper bits the interpolation.
    tracks: array<vec4<u32>, 4>,
}

@group(1) @binding(0) var<uniform> emitter: Emitter;
// The keys of all tracks: time, value, and the integral of the value up to the key.
@group(2) @binding(0) var keys: texture_2d<f32>;
@group(2) @binding(1) var color_texture: texture_2d<f32>;
@group(2) @binding(2) var color_sampler: sampler;

const KEYS_PER_ROW: u32 = 1024u;
const KEY_COUNT_BITS: u32 = 28u;

const LINEAR: u32 = 0u;
const SMOOTH: u32 = 1u;

const RED: u32 = 0u;
const GREEN: u32 = 1u;
const BLUE: u32 = 2u;
const ALPHA: u32 = 3u;
const SCALE: u32 = 4u;
const INDEX: u32 = 5u;
const ROTATION: u32 = 6u;

const GROUND_DIE: u32 = 1u;
const GROUND_BOUNCE: u32 = 2u;
const GROUND_STOP: u32 = 3u;

const FLAT: u32 = 1u;
const TAIL: u32 = 2u;
const SPEED_TAIL: u32 = 4u;
const FIXED_ROTATION: u32 = 8u;
// The texture is missing.
const MISSING: u32 = 16u;
// Records have particles as they are drawn.
const GIVEN: u32 = 32u;
// The vertical axis of quads is along the velocity.
const ALONG: u32 = 64u;
// The first corner of such a quad is drawn out.
const KITE: u32 = 128u;

const PI: f32 = 3.14159265358979;
const SQRT_2: f32 = 1.41421356237310;
const SQRT_HALF: f32 = 0.70710678118655;
// Largest finite number.
const MAX: f32 = 3.40282346638e38;

struct Record {
    @builtin(vertex_index) vertex: u32,
    @location(0) position_and_birth: vec4<f32>,
    @location(1) velocity_and_life: vec4<f32>,
    @location(2) acceleration_and_size: vec4<f32>,
    @location(3) color: vec4<f32>,
    // Angle or direction, and the age at which the particle passes below the ground.
    @location(4) rotation_and_ground: vec2<f32>,
}

struct Corner {
    @builtin(position) position: vec4<f32>,
    // Between the samples of a pixel, so that it is never extrapolated beyond the quad.
    @location(0) @interpolate(perspective, centroid) uv: vec2<f32>,
    @location(1) @interpolate(flat) color: vec4<f32>,
    // The centers of the first and the last texel of the tile.
    @location(2) @interpolate(flat) uv_range: vec4<f32>,
#ifdef SOFT
    // Distance in front of a surface from which the particle fades.
    @location(3) @interpolate(flat) fade_distance: f32,
#endif
}

struct Motion {
    position: vec3<f32>,
    velocity: vec3<f32>,
}

struct Particle {
    // In the space of the records.
    motion: Motion,
    size: f32,
    // The angle in turns.
    turns: f32,
    // Red, green, blue and alpha in sRGB.
    color: vec4<f32>,
    // The part of the texture: left, top, width and height.
    part: vec4<f32>,
    // Width of the quad divided by its height.
    aspect: f32,
}

struct Track {
    first: u32,
    count: u32,
    interpolation: u32,
}

fn track_of(index: u32) -> Track {
    let pair = emitter.tracks[index / 2u];
    let packed = select(pair.xy, pair.zw, (index & 1u) == 1u);
    let count = packed.y & ((1u << KEY_COUNT_BITS) - 1u);
    return Track(packed.x, count, packed.y >> KEY_COUNT_BITS);
}

// Time, value and integral of a key.
fn key(track: Track, index: u32) -> vec3<f32> {
    let texel = track.first + index;
    let position = vec2(texel % KEYS_PER_ROW, texel / KEYS_PER_ROW);
    return textureLoad(keys, vec2<i32>(position), 0).xyz;
}

// The count of keys before a time or, with `inclusive`, up to it.
fn count_until(track: Track, time: f32, inclusive: bool) -> u32 {
    var low = 0u;
    var high = track.count;
    while low < high {
        let middle = (low + high) / 2u;
        let at = key(track, middle).x;
        if at < time || (inclusive && at == time) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

// The value of a track at a fraction of the life.
fn value_of(track: Track, time: f32) -> f32 {
    let after = count_until(track, time, true);
    if after == 0u || after == track.count {
        return key(track, max(after, 1u) - 1u).y;
    }
    let start = key(track, after - 1u);
    let end = key(track, after);
    let u = (time - start.x) / (end.x - start.x);
    switch track.interpolation {
        case LINEAR { return start.y + (end.y - start.y) * u; }
        case SMOOTH { return start.y + (end.y - start.y) * (u * u * (3.0 - 2.0 * u)); }
        default { return start.y; }
    }
}

fn value(index: u32, time: f32) -> f32 {
    return value_of(track_of(index), time);
}

// The integral of a track from 0 to a fraction of the life.
fn integral(index: u32, time: f32) -> f32 {
    let track = track_of(index);
    if track.count == 1u {
        return key(track, 0u).y * time;
    }
    let after = count_until(track, time, false);
    if after == 0u {
        return 0.0;
    }
    let start = key(track, after - 1u);
    if after == track.count {
        return start.z;
    }
    let end = key(track, after);
    let duration = end.x - start.x;
    let u = min((time - start.x) / duration, 1.0);
    let difference = end.y - start.y;
    var inner = start.y * u;
    switch track.interpolation {
        case LINEAR { inner += difference * (0.5 * u * u); }
        case SMOOTH { inner += difference * (u * u * u * (1.0 - 0.5 * u)); }
        default {}
    }
    return start.z + duration * inner;
}

// The motion at an age, without the ground.
fn flight(record: Record, age: f32) -> Motion {
    let velocity = record.velocity_and_life.xyz;
    let acceleration = record.acceleration_and_size.xyz;
    let mean = velocity + acceleration * (0.5 * age);
    return Motion(record.position_and_birth.xyz + mean * age, velocity + acceleration * age);
}

// Height and vertical speed at a time after the first contact with the ground, at this upward speed. Each flight has the
// speed of the one before times the bounciness. The same as Bounce::at.
fn bounce(speed: f32, acceleration: f32, time: f32) -> vec2<f32> {
    var begin = 0.0;
    var first = speed;
    var since = time;
    if acceleration < 0.0 {
        let duration = 2.0 * speed / -acceleration;
        if !(duration > 0.0 && duration < MAX) {
            return vec2(0.0);
        }
        let ratio = time / duration;
        if emitter.bounciness == 1.0 {
            since = time - floor(ratio) * duration;
        } else {
            let rest = 1.0 - (1.0 - emitter.bounciness) * ratio;
            if rest <= 0.0 {
                return vec2(0.0);
            }
            let flights = max(floor(log(rest) / log(emitter.bounciness)), 0.0);
            let power = pow(emitter.bounciness, flights);
            begin = duration * (1.0 - power) / (1.0 - emitter.bounciness);
            first = speed * power;
            since = clamp(time - begin, 0.0, duration * power);
        }
    }
    let height = since * (first + 0.5 * acceleration * since);
    return vec2(max(height, 0.0), first + acceleration * since);
}

// The center of the weather's cube before the camera, in the space of the records. The same as
// RecordSpace::weather_center.
fn weather_center() -> vec3<f32> {
    let forward = -normalize(view.world_from_view[2].xyz);
    let distance = emitter.weather_distance * emitter.size_scale;
    let center = view.world_position + forward * distance;
    // The inverse of a rotation with a scale.
    let rows = emitter.world_from_records;
    let unscaled = rows[0].xyz * center.x + rows[1].xyz * center.y + rows[2].xyz * center.z;
    return unscaled / (emitter.size_scale * emitter.size_scale);
}

// The motion at an age.
fn motion_at(record: Record, age: f32) -> Motion {
    let contact = record.rotation_and_ground.y;
    var motion = flight(record, age);
    if emitter.weather_cube > 0.0 {
        // What leaves the cube on one side enters on the other.
        let cubes = floor((motion.position - weather_center()) / emitter.weather_cube + 0.5);
        motion.position -= emitter.weather_cube * cubes;
        return motion;
    }
    if age <= contact {
        return motion;
    }
    if emitter.ground_effect == GROUND_STOP {
        motion = flight(record, max(contact, 0.0));
        motion.velocity = vec3(0.0);
    } else if emitter.ground_effect == GROUND_BOUNCE {
        let up = emitter.ground.xyz;
        let height = dot(record.position_and_birth.xyz, up) - emitter.ground.w;
        let speed = dot(record.velocity_and_life.xyz, up);
        let acceleration = dot(record.acceleration_and_size.xyz, up);
        let at_ground = sqrt(max(speed * speed - 2.0 * acceleration * height, 0.0));
        let after = bounce(emitter.bounciness * at_ground, acceleration, age - contact);
        let target_height = emitter.ground.w + after.x;
        motion.position += up * (target_height - dot(motion.position, up));
        motion.velocity += up * (after.y - dot(motion.velocity, up));
    }
    return motion;
}

fn is_alive(record: Record, age: f32) -> bool {
    let is_below = emitter.ground_effect == GROUND_DIE && age > record.rotation_and_ground.y;
    return age >= 0.0 && age < record.velocity_and_life.w && !is_below;
}

// The angle of a particle, in turns.
fn turns(record: Record, time: f32) -> f32 {
    let rotation = record.rotation_and_ground.x;
    if (emitter.flags & FIXED_ROTATION) != 0u {
        return rotation;
    }
    return integral(ROTATION, time) * record.velocity_and_life.w * rotation;
}

// Red, green, blue and alpha in sRGB.
fn color_of(record: Record, time: f32) -> vec4<f32> {
    let track = vec4(value(RED, time), value(GREEN, time), value(BLUE, time), value(ALPHA, time));
    return saturate(track / 255.0 + record.color);
}

// The index of a particle's tile.
fn tile_of(time: f32) -> u32 {
    let tiles = i32(emitter.tiles * emitter.tiles);
    // The conversion saturates.
    let index = i32(floor(value(INDEX, time))) % tiles;
    return u32(select(index, index + tiles, index < 0));
}

// The corners: top left, bottom left, bottom right, top right.
fn corner_of(vertex: u32) -> u32 {
    // The triangles 0 1 2 and 0 2 3.
    let of_triangle = vertex % 3u;
    return of_triangle + select(0u, vertex / 3u, of_triangle > 0u);
}

fn transformed(vector: vec3<f32>, w: f32) -> vec3<f32> {
    return vec4(vector, w) * emitter.world_from_records;
}

// The offset of a corner from the center, in half heights, along two axes.
fn corner_offset(corner: u32, aspect: f32, cosine: f32, sine: f32) -> vec2<f32> {
    let x = select(aspect, -aspect, corner < 2u);
    let y = select(-1.0, 1.0, corner == 0u || corner == 3u);
    return vec2(x * cosine - y * sine, x * sine + y * cosine);
}

// The same for a particle with a tail: a kite whose first corner is behind it. `velocity` is in the world.
fn tail_offset(corner: u32, velocity: vec3<f32>, right: vec3<f32>, up: vec3<f32>) -> vec2<f32> {
    let on_plane = vec2(dot(velocity, right), dot(velocity, up));
    let length_on_plane = length(on_plane);
    if !(length_on_plane > 0.0) {
        return corner_offset(corner, 1.0, 1.0, 0.0);
    }
    let direction = on_plane / length_on_plane;
    if corner != 0u {
        let cosine = SQRT_HALF * (direction.x - direction.y);
        let sine = SQRT_HALF * (direction.x + direction.y);
        return corner_offset(corner, 1.0, cosine, sine);
    }
    let speed = length(velocity);
    var tail = emitter.tail_size * (length_on_plane / speed);
    if (emitter.flags & SPEED_TAIL) != 0u {
        tail *= speed / (emitter.size_scale * emitter.scale) / 1000.0;
    }
    return -direction * max(SQRT_2, tail);
}

// The axis of a quad across a velocity that faces the camera. Both are in the world, as the center.
fn across(along: vec3<f32>, center: vec3<f32>) -> vec3<f32> {
#ifdef VIEW_PROJECTION_ORTHOGRAPHIC
    let side = cross(along, view.world_from_view[2].xyz);
#else
    let side = cross(along, view.world_position - center);
#endif
    let length = length(side);
    // A quad that is seen from its end has no width.
    return select(vec3(0.0), side / length, length > 0.0);
}

// The particle of a birth record.
fn evaluated(record: Record, age: f32) -> Particle {
    let time = saturate(age / record.velocity_and_life.w);
    let tile = tile_of(time);
    let first = vec2(f32(tile % emitter.tiles), f32(tile / emitter.tiles));
    let tile_size = 1.0 / f32(emitter.tiles);
    var particle: Particle;
    particle.motion = motion_at(record, age);
    particle.size = value(SCALE, time) * record.acceleration_and_size.w;
    particle.turns = turns(record, time);
    particle.color = color_of(record, time);
    particle.part = vec4(first * tile_size, vec2(tile_size));
    particle.aspect = 1.0;
    return particle;
}

// The particle of a record that has it. The same as `given` of Rust.
fn given(record: Record) -> Particle {
    var particle: Particle;
    particle.motion = Motion(record.position_and_birth.xyz, record.velocity_and_life.xyz);
    particle.size = record.velocity_and_life.w;
    particle.turns = record.position_and_birth.w;
    particle.color = record.color;
    particle.part = record.acceleration_and_size;
    if (emitter.flags & MISSING) != 0u {
        particle.part = vec4(0.0, 0.0, 1.0, 1.0);
    }
    particle.aspect = record.rotation_and_ground.x;
    return particle;
}

@vertex
fn vertex(record: Record) -> Corner {
    var out: Corner;
    var particle: Particle;
    if (emitter.flags & GIVEN) != 0u {
        particle = given(record);
    } else {
        let age = emitter.time - record.position_and_birth.w;
        if !is_alive(record, age) {
            // All corners at the same position, outside of the screen.
            out.position = vec4(2.0, 2.0, 2.0, 1.0);
            return out;
        }
        particle = evaluated(record, age);
    }
    let center = transformed(particle.motion.position, 1.0);
    let velocity = transformed(particle.motion.velocity, 0.0);
    let corner = corner_of(record.vertex);

    var right = normalize(view.world_from_view[0].xyz);
    var up = normalize(view.world_from_view[1].xyz);
    if (emitter.flags & FLAT) != 0u {
        right = emitter.flat_x.xyz;
        up = emitter.flat_y.xyz;
    }
    var turns = particle.turns;
    if (emitter.flags & ALONG) != 0u {
        turns = emitter.turn;
        let speed = length(velocity);
        up = select(emitter.flat_x.xyz, velocity / speed, speed > 0.0);
        right = across(up, center);
    }
    var offset: vec2<f32>;
    if (emitter.flags & TAIL) != 0u {
        offset = tail_offset(corner, velocity, right, up);
    } else {
        let angle = 2.0 * PI * fract(turns);
        offset = corner_offset(corner, particle.aspect, cos(angle), sin(angle));
        offset.y += emitter.anchor;
    }
    var half_size = 0.5 * particle.size * emitter.size_scale;
    var tail = 0.0;
    if (emitter.flags & KITE) != 0u {
        half_size *= 0.5;
        tail = select(0.0, 0.5 * emitter.tail_size * emitter.scale * emitter.size_scale, corner == 0u);
    }
    // Hundreds of large outlines would cover the picture.
    offset *= (half_size + tail) * select(1.0, 0.25, (emitter.flags & MISSING) != 0u);
#ifdef SOFT
    // Flat particles lie on surfaces.
    out.fade_distance = select(0.5 * half_size, 0.0, (emitter.flags & FLAT) != 0u);
#endif
    let world_position = center + right * offset.x + up * offset.y;
    out.position = position_world_to_clip(world_position);

    let in_part = vec2(f32(corner >= 2u), f32(corner == 1u || corner == 2u));
    let first = particle.part.xy;
    let last = first + particle.part.zw;
    out.uv = first + in_part * particle.part.zw;
    // The filter must not read neighboring tiles.
    let half_texel = min(0.5 / vec2<f32>(textureDimensions(color_texture)), 0.5 * abs(particle.part.zw));
    out.uv_range = vec4(min(first, last) + half_texel, max(first, last) - half_texel);

    out.color = particle.color;
#ifndef MODULATE
    out.color = vec4(srgb_to_linear_rgb(out.color.rgb) * emitter.tint.rgb, out.color.a * emitter.tint.a);
#endif
    return out;
}

// How much of the particle is left in front of a near surface, from 0 to 1.
fn surface_fade(in: Corner) -> f32 {
#ifdef SOFT
    let surface = depth_ndc_to_view_z(prepass_depth(in.position, 0u));
    let distance = depth_ndc_to_view_z(in.position.z) - surface;
    if distance < in.fade_distance {
        return saturate(distance / in.fade_distance);
    }
#endif
    return 1.0;
}

// What is opaque at a pixel, moved by a part of the picture's size. The texture has the direction, as stored.
fn moved_background(pixel: vec2<f32>, texel: vec4<f32>, alpha: f32) -> vec4<f32> {
    let direction = linear_rgb_to_srgb(texel.rgb).xy - 0.5;
    let origin = view.viewport.xy;
    let size = view.viewport.zw;
    let moved = pixel + direction * (emitter.heat * texel.a * alpha) * size;
    let inside = clamp(moved, origin + 0.5, origin + size - 0.5);
    let uv = inside / vec2<f32>(textureDimensions(view_transmission_texture));
    return textureSampleLevel(view_transmission_texture, view_transmission_sampler, uv, 0.0);
}

@fragment
fn fragment(in: Corner) -> @location(0) vec4<f32> {
    let fade = surface_fade(in);
    // The other mip levels mix neighboring tiles.
    let uv = clamp(in.uv, in.uv_range.xy, in.uv_range.zw);
    var texel = textureSampleLevel(color_texture, color_sampler, uv, 0.0);
    var track = in.color;
#ifdef HEAT
    if (emitter.flags & MISSING) != 0u {
        discard;
    }
    return moved_background(in.position.xy, texel, track.a * fade);
#else
    if (emitter.flags & MISSING) != 0u {
        // A magenta outline.
        let from_center = abs(in.uv - 0.5);
        if max(from_center.x, from_center.y) < 0.42 {
            discard;
        }
        texel = vec4(1.0, 0.0, 1.0, 1.0);
        // Keeps the brightness: a green emitter would hide the outline.
        track = vec4(vec3(max(track.r, max(track.g, track.b))), track.a);
    }
#ifdef MODULATE
    // The games add texture and color in sRGB.
    let sum = saturate(linear_rgb_to_srgb(texel.rgb) + track.rgb);
    let factor = srgb_to_linear_rgb(sum) * emitter.tint.rgb;
    return vec4(mix(vec3(1.0), factor, emitter.tint.a * fade), 1.0);
#else
    var color = texel * track;
#ifdef ADDITIVE
    // The alpha of texture and track have no effect.
    color = vec4(color.rgb * emitter.tint.a * fade, 1.0);
#endif
#ifdef ALPHA_BLEND
    color.a *= fade;
#endif
#ifdef OPAQUE
    color.a = 1.0;
#endif
#ifdef TONEMAP_IN_SHADER
    color = tone_mapping(color, view.color_grading);
#endif
    return color;
#endif
#endif
}
