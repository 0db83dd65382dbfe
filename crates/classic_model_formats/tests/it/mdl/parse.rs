//! Round trips of Quake models. Malformed models are tested in the Bevy crate, which also converts them.

use crate::prelude::*;
use classic_model_formats::mdl::{Precision, parse};
use classic_models_fixtures::mdl::{figure, tetrahedron, wide_tetrahedron};

#[test]
fn written_models_parse_to_the_same_document() {
    let documents = [
        tetrahedron(),
        wide_tetrahedron(),
        figure(Precision::Bits8),
        figure(Precision::Bits16),
    ];
    for document in documents {
        let bytes = document.to_bytes();
        let file = parse(&bytes).unwrap();
        assert_eq!(file.warnings, []);
        assert_eq!(MdlDocument::from(&file), document);
    }
}
