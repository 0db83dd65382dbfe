//! The time of parsing texts that repeat one unit.

use crate::prelude::*;
use classic_model_formats::lgw::parse;
use classic_models_fixtures::lgw_adversarial::repetitive_texts;

#[test]
fn repetitive_texts_are_rejected_in_linear_time() {
    // With quadratic time, this test would take hours.
    for (name, bytes) in repetitive_texts(8 << 20) {
        let error = parse(&bytes, Tolerance::Lenient).expect_err(&name);
        assert!(error.offset <= bytes.len() as u64, "{name}: {error}");
        assert!(error.to_string().len() < 1000, "{name}: {error}");
    }
}
