//! The integration tests of the Bevy crate, one binary: a folder per format, and folders for what formats share. Parsers
//! and writers are tested in `classic_model_formats`.

use classic_models_support::{draws, gpuless, headless};

mod support;

mod abc {
    mod corpus;
    mod deform_render;
    mod events;
    mod heap;
    mod lod;
    mod looks;
    mod malformed;
    mod play;
    pub mod pose;
    mod reload;
    mod render;
    pub mod scene;
}
mod ala {
    mod clip;
    mod corpus;
    mod fade;
    mod heap;
    mod loads;
    pub mod play;
    mod random;
    mod reload;
    pub mod render;
}
mod alo {
    mod billboard;
    mod collider_gizmos;
    mod collision;
    mod dazzle;
    mod heap;
    mod picking;
    pub mod raycast;
    mod raycast_render;
    mod reload;
    pub mod render;
    mod scene;
    mod shading;
}
mod attach {
    mod reload;
    mod render;
    pub mod scene;
}
mod clips {
    mod missing;
    pub mod named;
    mod parts;
    mod random;
}
mod dtx {
    mod malformed;
}
mod lgw {
    mod edit;
    mod heap;
    mod malformed;
    mod material;
    mod reload;
    mod scene;
    mod texgen;
}
mod manifest {
    mod attachments;
    mod clips;
    mod heap;
    mod parse;
    mod patterns;
    mod preload;
    mod reload;
    pub mod spawn;
}
mod mdl {
    mod corpus;
    mod heap;
    mod malformed;
    mod play;
    mod reload;
    mod render;
    mod scene;
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
    mod case;
    mod concurrent_loads;
    mod foreign_scenes;
    mod fuzz;
    mod headless_apps;
    mod image_settings;
    mod layers;
    mod leak;
    mod listings;
    mod lod_distances;
    mod pose_rows;
    mod quick_start;
    mod reload_proxies;
    mod saved_worlds;
    mod skin_names;
    mod sources;
    mod unlabeled;
    mod vocabulary;
}
