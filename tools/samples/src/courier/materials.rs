//! The courier's materials. Their ids have gaps, as in edited models.

use bevy_classic_models::lgw::lgw::{
    AlphaMode, Material, TexGen, TexGenKind, Texture, TextureMode,
};

/// Varnish, which reflects the sky.
pub const PAINT: i64 = 0;
/// Chrome, which only reflects the sky.
pub const CHROME: i64 = 1;
/// Glass of windows.
pub const GLASS: i64 = 2;
/// Wire mesh in front of the radiator and in the right door.
pub const WIRE: i64 = 4;
/// Rope of the net.
pub const ROPE: i64 = 5;
/// All dull parts.
pub const DULL: i64 = 7;
/// Glass of headlights.
pub const LENS: i64 = 8;
/// Tires.
pub const RUBBER: i64 = 11;
/// Crates.
pub const WOOD: i64 = 12;

fn texture(file: &'static str) -> Texture<'static> {
    Texture {
        file: Some(file.into()),
        ..Texture::default()
    }
}

fn wrapped(file: &'static str, alpha_mode: AlphaMode) -> Texture<'static> {
    Texture {
        wrap: [true; 2],
        alpha_mode,
        ..texture(file)
    }
}

/// A reflection of the sky.
fn sky(number: i64, mode: TextureMode, alpha_mode: AlphaMode) -> Texture<'static> {
    Texture {
        number,
        cube_map: true,
        texgen: [generated(TexGenKind::ReflectionMap); 3],
        mode,
        alpha_mode,
        ..texture("textures/Courier_Sky.dds")
    }
}

fn generated(kind: TexGenKind) -> TexGen {
    TexGen {
        kind: Some(kind),
        ..TexGen::default()
    }
}

/// All materials.
pub fn materials() -> Vec<Material<'static>> {
    let glass = Texture {
        alpha_mode: AlphaMode::Blend,
        ..texture("textures/courier_glass.tga")
    };
    let decal = |alpha_mode| sky(1, TextureMode::Decal, alpha_mode);
    let chrome = sky(0, TextureMode::Modulate, AlphaMode::Opaque);
    let sphere = generated(TexGenKind::SphereMap);
    let lens = Texture {
        texgen: [sphere, sphere, TexGen::default()],
        ..texture("Textures/courier_lens.TGA")
    };
    vec![
        material(
            PAINT,
            "paint",
            [0.22, 0.46, 0.47],
            [
                texture("textures/Courier_Paint.dds"),
                decal(AlphaMode::Blend),
            ],
        ),
        material(CHROME, "chrome - bumper", [0.8; 3], [chrome]),
        material(
            GLASS,
            "windscreen",
            [0.34, 0.44, 0.45],
            [glass, decal(AlphaMode::Blend)],
        ),
        material(
            WIRE,
            "wire mesh",
            [0.5; 3],
            [wrapped("textures/courier_wire.tga", AlphaMode::Mask)],
        ),
        material(
            ROPE,
            "net",
            [0.68, 0.6, 0.42],
            [wrapped("textures/courier_rope.tga", AlphaMode::Mask)],
        ),
        material(
            DULL,
            "load bed + chassis",
            [0.5, 0.38, 0.25],
            [texture("textures/Courier_Load.dds")],
        ),
        material(LENS, "head lamp", [0.9; 3], [lens]),
        material(
            RUBBER,
            "1 - Tyres",
            [0.15; 3],
            [wrapped("textures/COURIER_TYRE.TGA", AlphaMode::Opaque)],
        ),
        material(
            WOOD,
            "2 - Crates",
            [0.56, 0.42, 0.26],
            [wrapped("textures/courier_planks.tga", AlphaMode::Opaque)],
        ),
    ]
}

fn material<const UNITS: usize>(
    id: i64,
    name: &'static str,
    color: [f32; 3],
    textures: [Texture<'static>; UNITS],
) -> Material<'static> {
    Material {
        id,
        name: name.into(),
        diffuse_color: Some(color),
        textures: textures.into(),
    }
}

/// The color of the meshes of a material.
pub fn color(id: i64) -> [f32; 3] {
    let material = materials().into_iter().find(|material| material.id == id);
    material
        .and_then(|material| material.diffuse_color)
        .unwrap_or([1.0; 3])
}
