//! Texts of UFO: Aftermath models, and what has to be true of whatever is read from any text.

use bevy_classic_models::lgw::text::{
    AlphaMode, Group, GroupKind, LgwFile, Material, Mesh, TexGen, TexGenKind, Texture, TextureMode,
    Vertices,
};

/// The example in the format's description, with what it leaves out.
pub const BICYCLE: &str = r#"MODEL "01T01bicykle01"
  EXPORT_VERSION 4
  SOURCE_FILE "Q:\WorkData\Tactical\MaxModels\human\cars\01_kola-final_exp.max"
  MATERIAL_LIST
    MATERIAL 0 "1 - Default"
      DIFFUSE_COLOR 0.1843 0.4078 0.1725
      TEXTURE 0
        FILE_NAME "tactical/textures/human/cars/riksa+kolo.tga"
        U_WRAP V_WRAP
        ALPHA_MODE 1
      END_OF_TEXTURE
    END_OF_MATERIAL
    MATERIAL 1 "draty"
    END_OF_MATERIAL
  END_OF_MATERIAL_LIST
  MESH "Mesh01"
    MATERIAL_REF 0
    DEFAULT_COLOR 0.878 0.776 0.341
    VERTS 10
      -87.154137 83.603424 8.602158 0.498448 0.603164 -0.962625 0.257407 -0.084226
      -87.154137 83.603424 8.602158 0.498448 0.603164 0.962625 -0.257407 0.084226
      -86.991096 82.610558 3.704437 0.571406 0.603337 -0.962625 0.257407 -0.084226
      -86.991096 82.610558 3.704437 0.571406 0.603337 0.962625 -0.257407 0.084226
      -86.446823 82.922646 6.120047 0.581584 0.197750 -0.032608 0.198573 0.979544
      -86.446823 82.922646 6.120047 0.581584 0.197750 0.032608 -0.198573 -0.979544
      -87.908000 81.735000 11.508000 0.471000 0.604000 -0.962625 0.257407 -0.084226
      -87.908000 81.735000 11.508000 0.471000 0.604000 0.962625 -0.257407 0.084226
      -87.826000 81.239000 9.059000 0.489000 0.604000 -0.962625 0.257407 -0.084226
      -87.826000 81.239000 9.059000 0.489000 0.604000 0.962625 -0.257407 0.084226
    PRIMITIVE_GEOMETRY_GROUPS 1
      GROUP 0 TYPE_LIST
        COUNT 12
        0 2 8 0 8 6 1 7 9 1 9 3
      END_OF_GROUP 0
  END_OF_MESH "Mesh01"
  MESH "Mesh02"
    MATERIAL_REF 1
    VERTS 3
      0 0 0 0 0 0 0 1
      1 0 0 1 0 0 0 1
      0 1 0 0 1 0 0 1
    PRIMITIVE_GEOMETRY_GROUPS 1
      GROUP 0 TYPE_FAN
        COUNT 3
        0 1 2
      END_OF_GROUP 0
  END_OF_MESH "Mesh02"
END_OF_MODEL
"#;

/// Everything that the format has but pictures in files, without a flaw.
pub const EVERYTHING: &str = r#"// Every key, in an order that exporters do not have.
MODEL "all of it" // and a comment behind a word
MESH "two sides" VERTS 5
	0 0 0	0 0	0 0 1
	1 0 0	1 0	0 0 1
	1 1 0	1 1	0 0 1
	0 1 0	0 1	0 0 1
	-.5 1e-001 +2. 0.25 -3	1 0 -0
  PRIMITIVE_GEOMETRY_GROUPS 3
  GROUP 0 TYPE_LIST COUNT 6 0 1 2 0 2 3 END_OF_GROUP 0
  GROUP 1 TYPE_STRIP COUNT 9 0 1 2 2 3 3 4
    0
    1 END_OF_GROUP 1
  GROUP 2 COUNT 5 4 3 2 1 0 TYPE_FAN END_OF_GROUP 2
  MATERIAL_REF 7 DEFAULT_COLOR 1 0.5 0
END_OF_MESH "two sides"
material_list
  Material 7 ""
    Texture 1 File_Name "TEXTURES\Sky box.dds" CUBE_MAP MODE ADD
      TEX_GEN_S REFLECTION_MAP TEX_GEN_T NORMAL_MAP TEX_GEN_R EYE_LINEAR TEX_GEN_R_KOEF 0.5
    END_OF_TEXTURE
    TEXTURE 0 FILE_NAME "textures/a.tga" U_WRAP V_CLAMP ALPHA_MODE 8 MIPMAP_OFF MUTABLE MODE DECAL
      TEX_GEN_S SPHERE_MAP TEX_GEN_T EYE_LINEAR TEX_GEN_S_KOE 2 TEX_GEN_T_KOEF -1.5
    END_OF_TEXTURE
    DIFFUSE_COLOR 0 0 1
  END_OF_MATERIAL
  MATERIAL -2 "two sides" END_OF_MATERIAL
END_OF_MATERIAL_LIST
MESH "" MATERIAL_REF -2 END_OF_MESH ""
SOURCE_FILE "C:\kola čaj.max"
EXPORT_VERSION 4
END_OF_MODEL"#;

/// What is in [`EVERYTHING`].
pub fn everything() -> LgwFile<'static> {
    LgwFile {
        name: "all of it".into(),
        version: Some(4),
        source: Some(r"C:\kola čaj.max".into()),
        materials: vec![
            two_textures(),
            Material {
                id: -2,
                name: "two sides".into(),
                ..Material::default()
            },
        ],
        meshes: vec![
            three_groups(),
            Mesh {
                material: Some(-2),
                ..Mesh::default()
            },
        ],
        warnings: Vec::new(),
    }
}

fn texgen(kind: TexGenKind, coefficient: f32) -> TexGen {
    TexGen {
        kind: Some(kind),
        coefficient,
    }
}

fn two_textures() -> Material<'static> {
    let first = Texture {
        file: Some("textures/a.tga".into()),
        wrap: [true, false],
        alpha_mode: AlphaMode::Blend,
        mipmaps: false,
        mutable: true,
        mode: TextureMode::Decal,
        texgen: [
            texgen(TexGenKind::SphereMap, 2.0),
            texgen(TexGenKind::EyeLinear, -1.5),
            TexGen::default(),
        ],
        ..Texture::default()
    };
    let second = Texture {
        number: 1,
        file: Some(r"TEXTURES\Sky box.dds".into()),
        cube_map: true,
        mode: TextureMode::Add,
        texgen: [
            texgen(TexGenKind::ReflectionMap, 1.0),
            texgen(TexGenKind::NormalMap, 1.0),
            texgen(TexGenKind::EyeLinear, 0.5),
        ],
        ..Texture::default()
    };
    Material {
        id: 7,
        diffuse_color: Some([0.0, 0.0, 1.0]),
        textures: vec![first, second],
        ..Material::default()
    }
}

fn three_groups() -> Mesh<'static> {
    let mut vertices = Vertices::default();
    for [x, y] in [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
        vertices.push([x, y, 0.0, x, y, 0.0, 0.0, 1.0]);
    }
    vertices.push([-0.5, 0.1, 2.0, 0.25, -3.0, 1.0, 0.0, 0.0]);
    let groups: [(_, &[u32]); 3] = [
        (GroupKind::List, &[0, 1, 2, 0, 2, 3]),
        (GroupKind::Strip, &[0, 1, 2, 2, 3, 3, 4, 0, 1]),
        (GroupKind::Fan, &[4, 3, 2, 1, 0]),
    ];
    let groups = (0..).zip(groups).map(|(id, (kind, indices))| Group {
        id,
        kind,
        indices: indices.to_vec(),
    });
    Mesh {
        name: "two sides".into(),
        material: Some(7),
        default_color: Some([1.0, 0.5, 0.0]),
        vertices,
        groups: groups.collect(),
    }
}

/// A text with a flaw of each kind that is passed over, none of them told twice.
pub const FLAWED: &str = r#"MODEL "bike"
MATERIAL_LIST
  MATERIAL 3 "skin" SHININESS 0.5 "x"
    TEXTURE 0 RAW_IMAGE 2 2 FF00 END_OF_TEXTURE
    TEXTURE 0 ALPHA_MODE 4 MODE SUBTRACT TEX_GEN_R SPHERE_MAP END_OF_TEXTURE
    TEXTURE 5 FILE_NAME "a" END_OF_TEXTURE
  END_OF_MATERIAL
  MATERIAL 3 "again" TEXTURE 1 FILE_NAME "b" END_OF_TEXTURE END_OF_MATERIAL
END_OF_MATERIAL_LIST
MESH "Hull" MATERIAL_REF 9 VERTS 3
  0 0 0 0 0 0 0 1.#QNAN
  1 0 0 1 0 0 0 1
  1 1 0 1 1 0 0 1
  PRIMITIVE_GEOMETRY_GROUPS 7
  GROUP 0 TYPE_LIST COUNT 4 0 1 2 0 END_OF_GROUP 1
  GROUP 4 TYPE_LIST COUNT 0 END_OF_GROUP 4
  GROUP 5 TYPE_STRIP COUNT 2 0 1 END_OF_GROUP 5
END_OF_MESH "Hulk"
END_OF_MODEL ...
"#;

/// What has to be true of whatever is read, however it was read.
#[track_caller]
pub fn check_sound(file: &LgwFile<'_>) {
    for material in &file.materials {
        let numbers: Vec<_> = material.textures.iter().map(|of| of.number).collect();
        assert!(matches!(*numbers, [] | [0] | [1] | [0, 1]), "{numbers:?}");
        assert!(finite(&material.diffuse_color.unwrap_or_default()));
        let mut texgens = material.textures.iter().flat_map(|of| of.texgen);
        assert!(texgens.all(|of| of.coefficient.is_finite()));
    }
    for mesh in &file.meshes {
        let Vertices {
            positions,
            uvs,
            normals,
        } = &mesh.vertices;
        assert_eq!([uvs.len(), normals.len()], [positions.len(); 2]);
        assert!(finite(positions.as_flattened()) && finite(uvs.as_flattened()));
        assert!(finite(normals.as_flattened()));
        assert!(finite(&mesh.default_color.unwrap_or_default()));
        let triangles = mesh.triangles();
        for [a, b, c] in triangles {
            assert!(a != b && b != c && c != a);
            assert!([a, b, c].iter().all(|of| (*of as usize) < positions.len()));
        }
    }
    for warning in &file.warnings {
        assert!(warning.position.is_some(), "{warning:?}");
    }
}

fn finite(numbers: &[f32]) -> bool {
    numbers.iter().all(|number| number.is_finite())
}
