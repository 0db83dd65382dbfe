//! Quake models: what is written is read. Malformed ones are among the tests of the Bevy crate, where they are
//! converted as well.

use classic_model_formats::mdl::write::MdlDocument;
use classic_model_formats::mdl::{Precision, parse};
use classic_models_fixtures::mdl::{figure, tetrahedron, wide_tetrahedron};

#[test]
fn writing_and_parsing_are_inverse() {
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
