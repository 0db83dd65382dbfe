//! The known plug-ins with their parameters.
//!
//! Source: the source code of GlyphXTools' alo-viewer, which reads the same identifiers. The names of parameters follow it.

use super::value::{Role, Value};

/// A known plug-in.
#[derive(Clone, Copy, Debug)]
pub struct PluginKind {
    /// The identifier in the file.
    pub id: u32,
    /// The name, in lower case with underscores.
    pub name: &'static str,
    /// What it does for an emitter.
    pub role: Role,
    /// The known parameters, in groups that several plug-ins share.
    pub parameters: &'static [&'static [Parameter]],
    /// What [`evaluate`](crate::particles::evaluate) lacks, as a predicate of the plug-in; `None` if nothing is known to be
    /// missing.
    pub limit: Option<&'static str>,
}

/// A known parameter of a plug-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The identifier in the file.
    pub id: u32,
    /// The name, in lower case with underscores.
    pub name: &'static str,
    /// The type of its value.
    pub kind: ValueKind,
}

/// The type of a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// One byte, true if it is not 0.
    Bool,
    /// A signed number of 32 bits.
    I32,
    /// A number.
    F32,
    /// Three numbers.
    Vec3,
    /// Four numbers. Of textures: left, top, width and height, as shares of the texture.
    Vec4,
    /// Red, green, blue and alpha, from 0 to 1.
    Color,
    /// A text with NUL.
    Text,
    /// A distribution of vectors.
    Group,
    /// Numbers by time.
    Keys,
    /// Colors by time.
    ColorKeys,
    /// Four numbers by time.
    Vec4Keys,
    /// A list of four numbers each.
    Vec4List,
}

impl PluginKind {
    /// The plug-in with an identifier.
    pub fn of_id(id: u32) -> Option<&'static Self> {
        PLUGINS.iter().find(|kind| kind.id == id)
    }

    /// The plug-in with a name.
    pub fn of_name(name: &str) -> Option<&'static Self> {
        PLUGINS.iter().find(|kind| kind.name == name)
    }

    /// All known parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &'static Parameter> + use<> {
        self.parameters.iter().copied().flatten()
    }

    /// The parameter with an identifier.
    pub fn parameter(&self, id: u32) -> Option<&'static Parameter> {
        self.parameters().find(|parameter| parameter.id == id)
    }
}

impl Value<'_> {
    /// The type of the value.
    pub fn kind(&self) -> ValueKind {
        match self {
            Self::Bool(_) => ValueKind::Bool,
            Self::I32(_) => ValueKind::I32,
            Self::F32(_) => ValueKind::F32,
            Self::Vec3(_) => ValueKind::Vec3,
            Self::Vec4(_) => ValueKind::Vec4,
            Self::Color(_) => ValueKind::Color,
            Self::Text(_) => ValueKind::Text,
            Self::Group(_) => ValueKind::Group,
            Self::Keys(_) => ValueKind::Keys,
            Self::ColorKeys(_) => ValueKind::ColorKeys,
            Self::Vec4Keys(_) => ValueKind::Vec4Keys,
            Self::Vec4List(_) => ValueKind::Vec4List,
        }
    }
}

/// Makes a list of parameters.
macro_rules! parameters {
    ($($name:ident = [$($id:literal $parameter:ident $kind:ident),+ $(,)?];)+) => {
        $(const $name: &[Parameter] = &[$(Parameter {
            id: $id,
            name: stringify!($parameter),
            kind: ValueKind::$kind,
        }),+];)+
    };
}

parameters! {
    // Times are in seconds, speeds in units per second.
    CREATOR = [
        4 global_lod I32, 6 pre_simulate_seconds F32, 7 auto_update_positions Bool,
        8 min_distance_lod F32, 9 lod_near_distance F32, 10 lod_far_distance F32,
    ];
    // The variation is a percentage.
    RATE = [
        0 particles_per_second F32, 1 speed F32, 2 speed_variation F32, 3 burst_threshold F32,
    ];
    PARENT_INDEX = [100 parent I32];
    RADIUS = [100 radius F32];
    BOX = [100 length F32, 101 width F32, 102 height F32];
    TORUS = [100 torus_radius F32, 101 tube_radius F32];
    EMISSION = [
        100 particles_per_interval F32, 101 spawn_interval F32, 102 bursting Bool,
        103 start_delay F32, 104 stop_time F32,
    ];
    POSITION = [105 position Group, 106 hollow_position Bool];
    // 0 random vertex, 1 random point of the surface, 2 all vertices.
    MESH = [105 spawn_location I32, 106 align_velocity_to_normal Bool];
    VELOCITY = [
        107 velocity Group, 108 hollow_velocity Bool, 109 local_velocity Bool,
        110 inherit_velocity Bool, 111 inherited_velocity_scale F32,
        112 max_inherited_velocity F32, 113 high_resolution_emission Bool,
        114 burst_on_shown Bool,
    ];
    SURFACE = [200 surface_offset F32];
    // Alignments: 0 none, 1 forward, 2 reverse.
    TRAIL = [300 parent_name Text, 301 position_alignment I32, 302 velocity_alignment I32];
    DEATH = [
        100 particles_per_interval F32, 101 position Group, 102 hollow_position Bool,
        103 velocity Group, 104 hollow_velocity Bool, 105 local_velocity Bool,
        106 inherit_velocity Bool, 107 inherited_velocity_scale F32,
        108 max_inherited_velocity F32, 109 parent_name Text, 110 position_alignment I32,
        111 velocity_alignment I32,
    ];
    ALIGNED = [
        200 position_alignment_direction I32, 201 position_alignment I32,
        202 velocity_alignment_direction I32, 203 velocity_alignment I32, 204 bone Text,
    ];
    OUTWARD = [300 outward_speed F32];
    HARDWARE = [
        6000 particle_count F32, 6001 particle_lifetime F32, 6002 bursting Bool,
        6003 position Group, 6004 hollow_position Bool, 6005 velocity Group,
        6006 hollow_velocity Bool, 6007 acceleration Vec3, 6008 attract_acceleration F32,
        6009 vortex_axis Vec3, 6010 vortex_rotation F32, 6011 vortex_attraction F32,
    ];

    // The variation is a percentage.
    KILLER = [
        0 lifetime F32, 1 lifetime_variation F32, 2 kill_on_removal Bool, 3 spawn_on_age Bool,
        4 spawn_on_conditional Bool, 5 update_time Bool, 6 full_range_variation Bool,
    ];
    TARGET = [100 target Bool, 101 bone Text, 102 radius F32];

    RENDERER = [
        0 normal_render_mode Bool, 1 reflection_render_mode Bool, 2 refraction_render_mode Bool,
        3 shadow_map_render Bool, 4 disable_depth_test Bool,
    ];
    TEXTURE = [100 texture Text, 101 shader Text];
    SORT = [102 sort Bool];
    LOCAL_SPACE = [200 local_space Bool];
    LINE = [100 texture Text, 101 max_time F32, 102 shader Text];
    CHAIN = [100 texture Text, 102 shader Text];
    VOLUME = [
        100 mask_texture Text, 101 base_texture Text, 102 bump_texture Text, 103 shader Text,
        104 texture_size F32, 105 scroll_x F32, 106 scroll_y F32, 107 sort Bool,
        108 specular Color, 109 emissive Color,
    ];
    // Anchor: 0 center, 1 bottom, 2 top. Rotation in quarter turns.
    VELOCITY_ALIGNED = [200 anchor I32, 201 min_aspect F32, 202 max_aspect F32, 203 rotation I32];
    STRETCHED = [104 render_emitter Bool, 200 emitter_size F32];
    BUMP = [
        100 base_texture Text, 101 bump_texture Text, 102 shader Text, 103 sort Bool,
        104 specular Color, 105 emissive Color,
    ];
    HEAT = [200 distance_cutoff F32, 201 distortion F32, 202 saturation F32];
    KITES = [200 rotation I32, 201 tail_size F32, 202 min_tail_speed F32, 203 max_tail_speed F32];
    HARDWARE_BILLBOARDS = [
        6400 texture Text, 6401 shader Text, 6402 anchor I32, 6404 aspect F32, 6405 rotation I32,
        6406 texture_coordinates Vec4, 6407 color_0 Color, 6408 color_1 Color,
        6409 color_2 Color, 6410 color_time_1 F32, 6411 size_0 F32, 6412 size_1 F32,
        6413 size_2 F32, 6414 size_time_1 F32, 6415 render_mode I32, 6416 geometry_mode I32,
    ];

    // Times are fractions of the particle's life.
    SPAN = [100 start_time F32, 101 end_time F32, 102 smooth Bool];
    WRITE_ONCE = [100 write_once Bool];
    SMOOTH = [200 smooth Bool];
    // A size is half of the edge length. Its variation is a fraction.
    LINEAR_SIZE = [200 start_size F32, 201 end_size F32, 202 size_variation F32];
    KEYED_SIZE = [300 sizes Keys, 301 size_variation F32];
    CONSTANT_SIZE = [200 size F32, 201 size_variation F32];
    LINEAR_COLOR = [200 start_color Color, 201 end_color Color];
    KEYED_COLOR = [300 colors ColorKeys];
    CONSTANT_COLOR = [200 color Color];
    COLOR_VARIANCE = [
        200 min_red F32, 201 max_red F32, 202 min_green F32, 203 max_green F32, 204 min_blue F32,
        205 max_blue F32, 206 grayscale Bool, 207 min_alpha F32, 208 max_alpha F32,
        209 write_once Bool,
    ];
    // Rotations are in turns, rates in turns per second. The variation of a constant rotation is a fraction.
    LINEAR_ROTATION = [
        200 start_rotation F32, 201 end_rotation F32, 202 reverse Bool, 203 randomize Bool,
        204 rotation_variation F32,
    ];
    KEYED_ROTATION = [
        300 rotations Keys, 301 reverse Bool, 302 randomize Bool, 303 rotation_variation F32,
    ];
    CONSTANT_ROTATION = [200 rotation F32, 201 rotation_variation F32, 202 reverse Bool];
    LINEAR_RATE = [200 start_rate F32, 201 end_rate F32, 202 reverse Bool];
    KEYED_RATE = [300 rates Keys, 301 reverse Bool];
    CONSTANT_UV = [200 texture_coordinates Vec4];
    KEYED_UV = [
        300 texture_coordinates Vec4Keys, 301 loop_count F32, 302 use_global_time Bool,
        303 global_animation_length F32, 304 random_start_key Bool,
    ];
    SLOTS = [200 slots Vec4List];
    ACCELERATION = [200 acceleration Vec3, 201 local_space Bool];
    ATTRACT = [200 attract F32];
    TURBULENCE = [200 noise_offset Vec3, 201 noise_speed Vec3, 202 noise_scale F32];
    VORTEX = [200 axis Vec3, 201 speed F32, 202 local_space Bool];
    KEYED_ACCELERATION = [300 direction Vec3, 301 magnitude Keys, 302 local_space Bool];
    KEYED_FRICTION = [300 friction Keys];
    ATTRACTOR = [
        100 target Bool, 101 bone Text, 200 constant F32, 201 linear F32, 202 inverse_linear F32,
        203 min_distance F32, 204 max_distance F32, 205 swim Bool,
    ];
    SPEED_LIMIT = [100 min_speed F32, 101 max_speed F32];
    DISTANCE_KEY_TIME = [
        100 target I32, 101 bone Text, 200 min_radius F32, 201 max_radius F32, 202 invert Bool,
        203 smooth_step Bool,
    ];
    LINEAR_SPEED = [200 start_speed F32, 201 end_speed F32];
    BOUNCE = [200 elasticity F32];
    WIND = [200 wind_response F32];
    AXIS_FORCE = [
        100 target I32, 101 bone Text, 200 axis Vec3, 201 constant F32, 202 linear F32,
        203 inverse_linear F32, 204 min_distance F32, 205 max_distance F32,
    ];
}

const NOT_DRAWN: Option<&str> = Some("is not drawn");
const NO_EFFECT: Option<&str> = Some("has no effect");
const NOT_ALIGNED: Option<&str> = Some("emits without its alignment to a bone");
const EMITTER_IS_TARGET: Option<&str> = Some("always has the emitter as its target");

/// Makes the table of plug-ins.
macro_rules! plugins {
    ($($id:literal $role:ident $name:ident [$($group:ident)*] $(: $limit:expr)?;)+) => {
        [$(PluginKind {
            id: $id,
            name: stringify!($name),
            role: Role::$role,
            parameters: &[$($group),*],
            limit: plugins!(@limit $($limit)?),
        }),+]
    };
    (@limit) => { None };
    (@limit $limit:expr) => { $limit };
}

/// All known plug-ins, by identifier. Identifier 6 is a creator on terrain, whose parameters are unknown.
pub static PLUGINS: [PluginKind; 63] = plugins! {
    0 Creator point [CREATOR RATE];
    1 Creator trail [CREATOR RATE PARENT_INDEX];
    2 Creator sphere [CREATOR RATE RADIUS];
    3 Creator box [CREATOR RATE BOX];
    4 Creator torus [CREATOR RATE TORUS];
    5 Creator mesh [CREATOR RATE];
    6 Creator terrain []: Some("emits nothing");
    7 Modifier linear_size [SPAN LINEAR_SIZE];
    8 Modifier linear_color [SPAN LINEAR_COLOR];
    9 Modifier linear_rotation [SPAN LINEAR_ROTATION];
    10 Modifier acceleration [ACCELERATION];
    11 Modifier attract_acceleration [ATTRACT];
    12 Modifier turbulence [TURBULENCE]: NO_EFFECT;
    13 Modifier vortex [VORTEX];
    14 Modifier constant_uv [WRITE_ONCE CONSTANT_UV];
    15 Modifier keyed_size [SMOOTH KEYED_SIZE];
    16 Modifier keyed_rotation [SMOOTH KEYED_ROTATION];
    17 Modifier keyed_color [SMOOTH KEYED_COLOR];
    18 Modifier keyed_uv [SMOOTH KEYED_UV];
    19 Killer age [KILLER];
    20 Killer radius [KILLER RADIUS];
    21 Killer terrain_killer [KILLER];
    22 Renderer billboard [RENDERER TEXTURE SORT];
    23 Renderer line [RENDERER LINE]: NOT_DRAWN;
    24 Renderer chain [RENDERER CHAIN]: NOT_DRAWN;
    25 Renderer volumetric [RENDERER VOLUME]: NOT_DRAWN;
    26 Translator emitter [];
    27 Translator world [];
    28 Renderer xy_aligned [RENDERER TEXTURE SORT LOCAL_SPACE];
    29 Renderer velocity_aligned [RENDERER TEXTURE SORT VELOCITY_ALIGNED];
    30 Modifier random_uv [];
    31 Modifier keyed_acceleration [SMOOTH KEYED_ACCELERATION];
    32 Modifier keyed_friction [SMOOTH KEYED_FRICTION]: NO_EFFECT;
    33 Modifier slotted_random_uv [WRITE_ONCE SLOTS];
    34 Creator shape [CREATOR EMISSION POSITION VELOCITY];
    35 Creator enhanced_mesh [CREATOR EMISSION MESH VELOCITY SURFACE];
    36 Renderer stretched_texture_chain [RENDERER TEXTURE STRETCHED]: NOT_DRAWN;
    37 Renderer bump_map [RENDERER BUMP]: NOT_DRAWN;
    38 Renderer heat_saturation [RENDERER TEXTURE SORT HEAT];
    39 Creator enhanced_trail [CREATOR EMISSION POSITION VELOCITY TRAIL];
    40 Creator death [CREATOR DEATH];
    41 Modifier attractor [ATTRACTOR]: EMITTER_IS_TARGET;
    42 Modifier speed_limit [SPEED_LIMIT];
    43 Creator aligned_shape [CREATOR EMISSION POSITION VELOCITY ALIGNED]: NOT_ALIGNED;
    44 Killer target [KILLER TARGET]: EMITTER_IS_TARGET;
    45 Modifier distance_key_time [DISTANCE_KEY_TIME]: NO_EFFECT;
    46 Modifier linear_speed [SPAN LINEAR_SPEED];
    47 Renderer xy_aligned_chain [RENDERER TEXTURE SORT LOCAL_SPACE]: NOT_DRAWN;
    48 Modifier linear_rotation_rate [SPAN LINEAR_RATE];
    49 Modifier keyed_rotation_rate [SMOOTH KEYED_RATE];
    50 Creator outward_velocity_shape [CREATOR EMISSION POSITION VELOCITY OUTWARD];
    51 Modifier terrain_bounce [BOUNCE];
    52 Renderer kites [RENDERER TEXTURE SORT KITES];
    53 Modifier color_variance [COLOR_VARIANCE];
    54 Modifier wind_acceleration [WIND];
    55 Modifier torque [AXIS_FORCE]: NO_EFFECT;
    56 Modifier axis_attractor [AXIS_FORCE]: NO_EFFECT;
    57 Modifier constant_size [WRITE_ONCE CONSTANT_SIZE];
    58 Modifier constant_rotation [WRITE_ONCE CONSTANT_ROTATION];
    59 Modifier constant_color [WRITE_ONCE CONSTANT_COLOR];
    60 Creator hardware_spawner [CREATOR HARDWARE]: Some("emits nothing");
    61 Renderer hardware_billboards [RENDERER HARDWARE_BILLBOARDS]: NOT_DRAWN;
    62 Killer hardware_stomper [KILLER];
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_and_names_are_unique() {
        for (id, kind) in (0..).zip(&PLUGINS) {
            assert_eq!(kind.id, id);
            assert_eq!(PluginKind::of_id(id).unwrap().name, kind.name);
            assert_eq!(PluginKind::of_name(kind.name).unwrap().id, id);
            let unique = |key: fn(&Parameter) -> String| {
                let mut keys: Vec<_> = kind.parameters().map(key).collect();
                let count = keys.len();
                keys.sort();
                keys.dedup();
                assert_eq!(keys.len(), count, "{}", kind.name);
            };
            unique(|parameter| parameter.id.to_string());
            unique(|parameter| parameter.name.to_owned());
        }
    }
}
