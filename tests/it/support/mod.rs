//! Helpers shared by the tests, and the fixtures shared with the parser tests.

pub mod abc_app;
pub mod abc_reference;
pub mod abc_stage;
pub mod activity;
pub mod alo_stage;
pub mod app;
pub mod archives;
pub mod crowd;
pub mod disk;
pub mod entities;
pub mod heap;
pub mod held_files;
pub mod lgw_stage;
pub mod loads;
pub mod lods;
pub mod log;
pub mod model_rays;
pub mod particle_app;
pub mod prelude;
pub mod rays;
pub mod sample_files;
pub mod squad;
pub mod stage;

pub use classic_models_fixtures::corpus::{corpus, corpus_mdl, files_of};
pub use classic_models_fixtures::{
    abc, abc_adversarial, abc_node_matrices, abc_random, ala, ala_adversarial, ala_malformed, alo,
    alo_adversarial, cpu_time, lgw, lgw_adversarial, matrix, mdl, random,
};
