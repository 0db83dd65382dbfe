//! Makes models of glTF files that the tests write.

mod abc;
mod abc_lods;
mod alo;
mod bad_files;
mod mdl;

use classic_models_gltf_import::{Error, Scene};
use serde_json::{Value, json};

/// A glTF file that is being written.
struct Document {
    json: Value,
    buffer: Vec<u8>,
}

impl Document {
    /// An empty document with one scene.
    fn new() -> Self {
        let json = json!({
            "asset": { "version": "2.0" },
            "scene": 0,
            "scenes": [{ "nodes": [] }],
            "nodes": [], "meshes": [], "accessors": [], "bufferViews": [],
        });
        Self {
            json,
            buffer: Vec::new(),
        }
    }

    /// Appends to a list of the root, and returns the index.
    fn push(&mut self, list: &str, value: Value) -> usize {
        if self.json[list].is_null() {
            self.json[list] = json!([]);
        }
        let list = self.json[list].as_array_mut().unwrap();
        list.push(value);
        list.len() - 1
    }

    fn view(&mut self, bytes: &[u8]) -> usize {
        let offset = self.buffer.len().next_multiple_of(4);
        self.buffer.resize(offset, 0);
        self.buffer.extend_from_slice(bytes);
        self.push(
            "bufferViews",
            json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }),
        )
    }

    fn floats<const N: usize>(&mut self, values: &[[f32; N]]) -> usize {
        let bytes: Vec<u8> = values
            .as_flattened()
            .iter()
            .flat_map(|it| it.to_le_bytes())
            .collect();
        let view = self.view(&bytes);
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][N - 1];
        let accessor = json!({ "bufferView": view, "componentType": 5126, "count": values.len(), "type": kind });
        self.push("accessors", accessor)
    }

    fn indices(&mut self, values: &[u16]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|it| it.to_le_bytes()).collect();
        let view = self.view(&bytes);
        let accessor = json!({ "bufferView": view, "componentType": 5123, "count": values.len(), "type": "SCALAR" });
        self.push("accessors", accessor)
    }

    /// Adds a node to the scene.
    fn node(&mut self, node: Value) -> usize {
        let index = self.push("nodes", node);
        self.json["scenes"][0]["nodes"]
            .as_array_mut()
            .unwrap()
            .push(json!(index));
        index
    }

    /// A square of side 1 in the plane of X and Y, that faces +Z. U and V go from 0 to 1, V downward.
    fn square(&mut self, material: Option<usize>) -> usize {
        let positions = self.floats(&[
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 1.0, 0.0],
            [0.0, 1.0, 0.0],
        ]);
        let uvs = self.floats(&[[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]);
        let normals = self.floats(&[[0.0, 0.0, 1.0]; 4]);
        let indices = self.indices(&[0, 1, 2, 0, 2, 3]);
        let mut primitive = json!({
            "attributes": { "POSITION": positions, "TEXCOORD_0": uvs, "NORMAL": normals },
            "indices": indices,
        });
        if let Some(material) = material {
            primitive["material"] = json!(material);
        }
        self.push("meshes", json!({ "primitives": [primitive] }))
    }

    /// A material with an image as its base color.
    fn material(&mut self, width: u32, texels: &[[u8; 4]]) -> usize {
        let texture = self.texture(width, texels);
        self.push(
            "materials",
            json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": texture } } }),
        )
    }

    fn texture(&mut self, width: u32, texels: &[[u8; 4]]) -> usize {
        let image = image::RgbaImage::from_raw(
            width,
            texels.len() as u32 / width,
            texels.as_flattened().to_vec(),
        );
        let mut bytes = std::io::Cursor::new(Vec::new());
        image
            .unwrap()
            .write_to(&mut bytes, image::ImageFormat::Png)
            .unwrap();
        let view = self.view(bytes.get_ref());
        let image = self.push(
            "images",
            json!({ "bufferView": view, "mimeType": "image/png" }),
        );
        self.push("textures", json!({ "source": image }))
    }

    /// Adds an animation of one property of a node.
    fn animate<const N: usize>(
        &mut self,
        name: &str,
        node: usize,
        path: &str,
        times: &[f32],
        values: &[[f32; N]],
    ) {
        let times: Vec<[f32; 1]> = times.iter().map(|time| [*time]).collect();
        let (input, output) = (self.floats(&times), self.floats(values));
        self.push(
            "animations",
            json!({
                "name": name,
                "channels": [{ "sampler": 0, "target": { "node": node, "path": path } }],
                "samplers": [{ "input": input, "output": output }],
            }),
        );
    }

    /// The bytes of a `.glb` file.
    fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{ "byteLength": self.buffer.len() }]);
        let mut text = serde_json::to_vec(&json).unwrap();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut binary = self.buffer.clone();
        binary.resize(binary.len().next_multiple_of(4), 0);
        let mut bytes = b"glTF".to_vec();
        let words = |bytes: &mut Vec<u8>, words: &[usize]| {
            words
                .iter()
                .for_each(|word| bytes.extend_from_slice(&(*word as u32).to_le_bytes()));
        };
        words(&mut bytes, &[2, 28 + text.len() + binary.len(), text.len()]);
        bytes.extend_from_slice(b"JSON");
        bytes.extend_from_slice(&text);
        words(&mut bytes, &[binary.len()]);
        bytes.extend_from_slice(b"BIN\0");
        bytes.extend_from_slice(&binary);
        bytes
    }

    fn scene(&self) -> Result<Scene, Error> {
        read(&self.glb())
    }
}

/// Reads a file that names no others.
fn read(bytes: &[u8]) -> Result<Scene, Error> {
    Scene::read(bytes, &|path| Err(format!("unexpected {path}")))
}
