//! The integration tests, one binary.

#[path = "../../examples/support/draws.rs"]
mod draws;
#[path = "../../examples/support/gpuless.rs"]
#[allow(dead_code, reason = "shared with the examples, which need all of it")]
mod gpuless;
#[path = "../../examples/support/headless.rs"]
#[allow(dead_code, reason = "shared with the examples, which need all of it")]
mod headless;
mod support;

mod abc_corpus;
mod abc_deform_render;
mod abc_events;
mod abc_heap;
mod abc_lod;
mod abc_looks;
mod abc_malformed;
mod abc_play;
mod abc_pose;
mod abc_reload;
mod abc_render;
mod abc_scene;
mod ala_clip;
mod ala_corpus;
mod ala_fade;
mod ala_heap;
mod ala_loads;
mod ala_malformed;
mod ala_parse;
mod ala_play;
mod ala_random;
mod ala_reload;
mod ala_render;
mod alo_heap;
mod alo_malformed;
mod alo_parse;
mod alo_reload;
mod alo_render;
mod alo_scene;
mod billboard;
mod collider_gizmos;
mod collision;
mod corpus;
mod dazzle;
mod dtx_malformed;
mod fuzz;
mod heap;
mod inspect;
mod inspect_abc;
mod inspect_ala;
mod inspect_alo;
mod inspect_clip;
mod inspect_lgw;
mod leak;
mod lgw_edit;
mod lgw_heap;
mod lgw_malformed;
mod lgw_material;
mod lgw_parse;
mod lgw_random;
mod lgw_reload;
mod lgw_scene;
mod lgw_texgen;
mod malformed;
mod picking;
mod play;
mod raycast;
mod raycast_render;
mod reload;
mod reload_matrix;
mod reload_matrix_frames;
mod reload_matrix_render;
mod reload_subjects;
mod render;
mod scene;
