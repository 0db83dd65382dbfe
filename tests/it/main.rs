//! The integration tests of the Bevy crate, in one binary: a module for each format, and modules for features that
//! formats share. `classic_model_formats` tests the parsers and writers.

use classic_models_support::{draws, gpuless, headless};

mod particles;
mod support;

mod abc {
    mod appearance;
    mod corpus;
    mod deform_render;
    mod events;
    mod layers;
    mod lod;
    mod play;
    pub mod pose;
    mod reload;
    mod render;
    pub mod scene;
}
mod ala {
    mod clip;
    mod clip_files;
    mod corpus;
    mod graphs;
    mod layers;
    pub mod play;
    mod random;
    pub mod render;
    mod shown_bones;
    mod sound_events;
    mod sounds;
    mod visibility;
}
mod alo {
    mod billboard;
    mod camera_facing;
    mod collider_gizmos;
    mod collision;
    mod dazzle;
    mod environment;
    mod lights;
    pub mod picking;
    pub mod raycast;
    mod raycast_extremes;
    mod raycast_parts;
    mod raycast_render;
    pub mod render;
    mod scene;
    mod shading;
    mod shown_parts;
    mod textures;
    mod unloadable;
}
mod archive {
    mod layers;
    mod presets;
    mod reload;
    mod sources;
}
mod attach {
    mod reload;
    mod render;
    pub mod scene;
}
mod clips {
    mod abc_parts;
    mod missing;
    pub mod named;
    pub mod parts;
    mod random;
    mod shared;
}
mod crowd {
    mod abc_members;
    mod abc_poses;
    pub mod abc_render;
    mod layers;
    mod lifetime;
    mod members;
    mod motion;
    pub mod poses;
    mod render;
    mod stage_pair;
    pub mod subjects;
}
mod lgw {
    mod edit;
    mod material;
    mod reload;
    mod scene;
    pub mod texgen;
}
mod malformed {
    mod abc;
    mod ala;
    mod dtx;
    mod heap;
    mod heap_files;
    mod lgw;
    mod mdl;
    pub mod suite;
}
mod manifest {
    mod attachments;
    mod clips;
    mod extends;
    mod extends_reload;
    mod fields;
    mod measures;
    mod parse;
    mod patterns;
    mod preload;
    pub mod reload;
    pub mod spawn;
    mod warnings;
}
mod mdl {
    mod corpus;
    mod external_skins;
    pub mod play;
    mod render;
    mod scene;
}
mod observers {
    pub mod actions;
    mod events;
    mod ready;
}
mod reload_matrix {
    pub mod disk;
    pub mod edits;
    mod frames;
    pub mod matrix;
    mod render;
    pub mod subjects;
}
mod shared {
    mod bevy_space;
    mod bsn;
    mod concurrent_loads;
    mod default_settings;
    mod file_name_rules;
    mod follow_velocity;
    mod foreign_scenes;
    mod fuzz;
    mod headless_apps;
    mod image_settings;
    mod layer_events;
    mod layer_fades;
    mod leak;
    mod listings;
    mod lod_distances;
    mod manifest_edits;
    mod model_colliders;
    pub mod model_events;
    mod model_picking;
    mod model_query;
    mod model_raycast;
    mod model_ready;
    mod pose_rows;
    mod reload_proxies;
    mod render_layers;
    mod root_motion;
    mod sample_models;
    mod saved_worlds;
    mod skin_names;
    mod sources;
    mod transforms;
    mod unlabeled;
    mod unsupported;
    mod user_materials;
}
