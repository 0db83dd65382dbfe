//! Tests of the parsers and writers. One binary, so that it is linked once.

mod abc;
mod archives;
mod fuzz;
mod heap;
mod lgw;
mod meg;
mod pak;
mod pk3;
mod prelude;
mod rez;
mod vfs;
mod ala {
    mod malformed;
    mod parse;
}
mod alo {
    mod malformed;
    mod parse;
}
mod dtx {
    mod corpus;
    mod textures;
}
mod mdl {
    mod corpus;
    mod parse;
}
mod particles {
    mod births;
    mod limits;
    mod malformed;
    mod motion;
    mod naive;
    mod parse;
    mod plugin_motion;
    mod plugin_state;
    mod plugins;
    mod simulation;
    mod system;
}
