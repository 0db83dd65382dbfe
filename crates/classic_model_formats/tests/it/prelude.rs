//! What most tests use.

pub use classic_model_formats::abc::write::AbcDocument;
pub use classic_model_formats::abc::{AbcFile, LodTriangle};
pub use classic_model_formats::ala::AlaFile;
pub use classic_model_formats::ala::write::AlaDocument;
pub use classic_model_formats::archive::{Archive, ArchiveFile, ReadAt};
pub use classic_model_formats::dtx::write::DtxDocument;
pub use classic_model_formats::lgw::{
    AlphaMode, GroupKind, LgwFile, TexGenKind, TextureMode, Tolerance,
};
pub use classic_model_formats::mdl::write::MdlDocument;
pub use classic_model_formats::particles::evaluate::random::{InstanceKey, ParticleNumber};
pub use classic_model_formats::particles::evaluate::{
    BirthRecord, Draws, EmitterPose, Ground, MAX_ALIVE, ParticleSystem, PreparedEmitter,
    SystemState,
};
pub use classic_model_formats::particles::{
    Emitter, Interpolation, ParticleFile, Properties, Shape,
};
pub use classic_model_formats::read::{ErrorKind, Format, ParseError};
pub use classic_model_formats::{abc, ala, alo, dtx, particles, vfs};
pub use classic_models_fixtures::abc::IDENTITY_ROTATION;
pub use classic_models_fixtures::alo::{
    corpus_alo, for_each_damage, parse_chunks, rearranged, with_data, write_chunks,
};
pub use classic_models_fixtures::archives::{
    RezNode, VFS_COMPRESSED, Vfs, VfsEntry, crc_32, sample_meg, sample_pak, sample_rez, sample_vfs,
    u32_at, with_u32, zlib,
};
pub use classic_models_fixtures::chunk_malformed::{bad_count, truncated};
pub use classic_models_fixtures::corpus::{corpus, files_of};
pub use classic_models_fixtures::lgw::assert_valid;
pub use classic_models_fixtures::malformed::Expect::{self, Reject, Silent, Warn};
pub use classic_models_fixtures::malformed::{
    Case, Cases, assert_classes, assert_cuts_are_errors, assert_parsed, for_each_flipped_bit,
};
pub use classic_models_fixtures::particles::{
    burst, corpus_particles, emitter, full, parsed, stream,
};
pub use classic_models_fixtures::pk3::{PK3_FILES, Pk3File, pk3 as build_pk3, sample_pk3};
pub use classic_models_fixtures::random::Random;
pub use classic_models_fixtures::{add_cases, error_kinds};
pub use std::collections::HashMap;
