//! Pages that show a model in a browser: one file with a glTF file and a viewer, which makes no requests.
//!
//! `viewer.min.js` is `viewer.js` with three.js: see `scripts/update-viewer`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gltf::binary::Glb;
use miniz_oxide::deflate::compress_to_vec_zlib;
use serde_json::Value;

/// The page, in which `{{title}}`, `{{model}}` and `{{viewer}}` are replaced.
const PAGE: &str = include_str!("page.html");

/// The viewer. It does not contain `</script`, because esbuild escapes it.
const VIEWER: &str = include_str!("viewer.min.js");

/// What the viewer cannot decode.
const UNSUPPORTED: [&str; 4] = [
    "EXT_meshopt_compression",
    "KHR_draco_mesh_compression",
    "KHR_meshopt_compression",
    "KHR_texture_basisu",
];

/// The level of compression: the best one.
const LEVEL: u8 = 9;

/// A page with this title that shows a glTF file.
pub fn page(title: &str, model: &[u8]) -> Vec<u8> {
    // The title is last, so that nothing in it is replaced.
    let page = PAGE.replacen("{{viewer}}", VIEWER, 1);
    let model = STANDARD.encode(compress_to_vec_zlib(model, LEVEL));
    let page = page.replacen("{{model}}", &model, 1);
    page.replacen("{{title}}", &escape(title), 1).into_bytes()
}

/// Checks that the viewer can show a glTF file that another program wrote.
///
/// # Errors
/// If it is damaged, compressed, or refers to other files.
pub fn check(bytes: &[u8]) -> Result<(), String> {
    let glb = match bytes.starts_with(b"glTF") {
        true => Some(Glb::from_slice(bytes).map_err(|error| error.to_string())?),
        false => None,
    };
    let json = glb.as_ref().map_or(bytes, |glb| &glb.json);
    let json: Value = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    let list = |name: &str| json[name].as_array().into_iter().flatten();
    let required = list("extensionsRequired").filter_map(Value::as_str);
    if let Some(name) = required.into_iter().find(|name| UNSUPPORTED.contains(name)) {
        return Err(format!(
            "requires {name}, which the page cannot decode: export it without compression"
        ));
    }
    let uris = list("buffers").chain(list("images"));
    let mut uris = uris.filter_map(|object| object["uri"].as_str());
    match uris.find(|uri| !uri.starts_with("data:")) {
        Some(uri) => Err(format!(
            "{uri} is another file: export the model as one file, .glb"
        )),
        None => Ok(()),
    }
}

/// Text for HTML, in elements and in attributes.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of a page beside its model.
    const LIMIT: usize = 1_000_000;

    #[test]
    fn a_page_has_its_model_and_a_small_viewer() {
        let page = String::from_utf8(page("a", &[255; 300])).unwrap();
        assert!(page.len() < LIMIT, "{}", page.len());
        assert_eq!(page.matches("</script").count(), 2);
        assert!(page.contains("The MIT License") && page.contains("three.js authors"));
        assert!(!page.contains("{{"));
    }

    #[test]
    fn titles_are_escaped_and_not_replaced() {
        let page = page("</title><script>\"'&{{model}}", b"glTF");
        let page = String::from_utf8(page).unwrap();
        let title = "<title>&lt;/title&gt;&lt;script&gt;&quot;&#39;&amp;{{model}}</title>";
        assert!(page.contains(title));
    }

    #[test]
    fn models_of_other_programs_must_be_one_file_without_compression() {
        let check = |json: &str| check(json.as_bytes());
        assert_eq!(check(r#"{"buffers":[{"uri":"data:,"}]}"#), Ok(()));
        let error = check(r#"{"images":[{"uri":"a.png"}]}"#).unwrap_err();
        assert!(error.contains("a.png"), "{error}");
        let error = check(r#"{"extensionsRequired":["KHR_draco_mesh_compression"]}"#).unwrap_err();
        assert!(error.contains("KHR_draco_mesh_compression"), "{error}");
        assert!(check("{").is_err());
        assert!(super::check(b"glTF").is_err());
    }
}
