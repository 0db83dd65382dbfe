//! What the LithTech samples are made with: solids become vertices and animations (`model`), and
//! pictures get a palette (`skin`).

pub mod model;
pub mod skin;
