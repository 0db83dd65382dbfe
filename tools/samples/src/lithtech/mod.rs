//! Building blocks of the LithTech samples: solids become vertices and animations (`model`),
//! textures get a palette (`skin`), and models get levels of detail (`lods`).

pub mod lods;
pub mod model;
pub mod skin;
