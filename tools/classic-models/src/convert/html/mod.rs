//! Pages that show a model in a browser: one file with a glTF file and a viewer, which makes no requests.
//!
//! `viewer.min.js` is `viewer.js` with three.js: see `scripts/update-viewer`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use classic_models_gltf_import::Scene;
use miniz_oxide::deflate::compress_to_vec_zlib;

/// The page, in which `{{title}}`, `{{model}}` and `{{viewer}}` are replaced.
const PAGE: &str = include_str!("page.html");

/// The viewer. It does not contain `</script`, because esbuild escapes it.
const VIEWER: &str = include_str!("viewer.min.js");

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

/// Reads a glTF file that another program wrote, which must be one file.
///
/// # Errors
/// If it is damaged, requires an extension that is not supported, or refers to other files.
pub fn read(bytes: &[u8]) -> Result<Scene, String> {
    let other_file =
        |_: &str| Err("is another file: export the model as one file, .glb".to_owned());
    Scene::read(bytes, &other_file).map_err(|error| error.to_string())
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
        let read = |json: &str| {
            let json = format!(r#"{{"asset":{{"version":"2.0"}},{json}}}"#);
            super::read(json.as_bytes()).map(drop)
        };
        assert_eq!(
            read(r#""buffers":[{"uri":"data:;base64,","byteLength":0}]"#),
            Ok(())
        );
        let error = read(r#""buffers":[{"uri":"a.bin","byteLength":4}]"#).unwrap_err();
        assert!(
            error.contains("a.bin") && error.contains("another file"),
            "{error}"
        );
        let error = read(r#""extensionsRequired":["KHR_draco_mesh_compression"]"#).unwrap_err();
        assert!(error.contains("KHR_draco_mesh_compression"), "{error}");
        let accessor = r#""accessors":[{"componentType":5126,"count":999999,"type":"VEC3"}]"#;
        let mesh = r#""meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]"#;
        assert!(read(&format!("{accessor},{mesh}")).is_err());
        assert!(super::read(b"[]").is_err());
        assert!(super::read(b"glTF").is_err());
    }
}
