//! The tests of the parsers and writers, one binary.

mod abc;
mod fuzz;
mod lgw;
mod ala {
    mod heap;
    mod malformed;
    mod parse;
}
mod alo {
    mod heap;
    mod malformed;
    mod parse;
}
mod dtx {
    mod corpus;
    mod pictures;
}
mod mdl {
    mod corpus;
    mod parse;
}
