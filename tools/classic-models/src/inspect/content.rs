//! The description of a file, by its format.

use crate::inspect::abc::AbcDescription;
use crate::inspect::ala::AlaDescription;
use crate::inspect::alo::AloDescription;
use crate::inspect::archive::ArchiveDescription;
use crate::inspect::dtx::DtxDescription;
use crate::inspect::lgw::LgwDescription;
use crate::inspect::mdl::MdlDescription;
use crate::inspect::particles::ParticlesDescription;

/// The description of a model, a particle system, an animation, a texture or an archive.
pub enum Content {
    Abc(Box<AbcDescription>),
    Dtx(Box<DtxDescription>),
    Lgw(Box<LgwDescription>),
    Mdl(Box<MdlDescription>),
    Alo(Box<AloDescription>),
    Ala(Box<AlaDescription>),
    Particles(Box<ParticlesDescription>),
    Archive(Box<ArchiveDescription>),
}
