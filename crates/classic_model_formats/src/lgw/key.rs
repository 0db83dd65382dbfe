//! The words that the format knows.

/// Longest of the keys.
const LONGEST: usize = 32;

macro_rules! keys {
    ($($key:ident = $word:literal),* $(,)?) => {
        /// A word that the format knows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Key { $($key),* }

        impl Key {
            /// The key that a word is, in upper case.
            fn of_upper(word: &[u8]) -> Option<Self> {
                $(if word == $word.as_bytes() { return Some(Self::$key); })*
                None
            }

            /// The word.
            pub(super) fn word(self) -> &'static str {
                match self { $(Self::$key => $word),* }
            }
        }
    };
}

keys! {
    Model = "MODEL",
    EndOfModel = "END_OF_MODEL",
    ExportVersion = "EXPORT_VERSION",
    SourceFile = "SOURCE_FILE",
    MaterialList = "MATERIAL_LIST",
    EndOfMaterialList = "END_OF_MATERIAL_LIST",
    Material = "MATERIAL",
    EndOfMaterial = "END_OF_MATERIAL",
    DiffuseColor = "DIFFUSE_COLOR",
    Texture = "TEXTURE",
    EndOfTexture = "END_OF_TEXTURE",
    FileName = "FILE_NAME",
    RawImage = "RAW_IMAGE",
    UWrap = "U_WRAP",
    VWrap = "V_WRAP",
    UClamp = "U_CLAMP",
    VClamp = "V_CLAMP",
    AlphaMode = "ALPHA_MODE",
    MipmapOff = "MIPMAP_OFF",
    MipmapOn = "MIPMAP_ON",
    Mutable = "MUTABLE",
    Immutable = "IMMUTABLE",
    CubeMap = "CUBE_MAP",
    TexGenS = "TEX_GEN_S",
    TexGenT = "TEX_GEN_T",
    TexGenR = "TEX_GEN_R",
    TexGenSKoef = "TEX_GEN_S_KOEF",
    TexGenTKoef = "TEX_GEN_T_KOEF",
    TexGenRKoef = "TEX_GEN_R_KOEF",
    // The games' documentation has these in one place.
    TexGenSKoe = "TEX_GEN_S_KOE",
    TexGenTKoe = "TEX_GEN_T_KOE",
    TexGenRKoe = "TEX_GEN_R_KOE",
    EyeLinear = "EYE_LINEAR",
    SphereMap = "SPHERE_MAP",
    ReflectionMap = "REFLECTION_MAP",
    NormalMap = "NORMAL_MAP",
    Mode = "MODE",
    Replace = "REPLACE",
    Modulate = "MODULATE",
    Decal = "DECAL",
    Blend = "BLEND",
    Add = "ADD",
    Dot3Bump = "DOT3BUMP",
    Mesh = "MESH",
    EndOfMesh = "END_OF_MESH",
    MaterialRef = "MATERIAL_REF",
    DefaultColor = "DEFAULT_COLOR",
    Verts = "VERTS",
    PrimitiveGeometryGroups = "PRIMITIVE_GEOMETRY_GROUPS",
    Group = "GROUP",
    EndOfGroup = "END_OF_GROUP",
    TypeList = "TYPE_LIST",
    TypeStrip = "TYPE_STRIP",
    TypeFan = "TYPE_FAN",
    Count = "COUNT",
}

impl Key {
    /// The key that a word is, in any case.
    pub(super) fn of(word: &[u8]) -> Option<Self> {
        let mut upper = [0; LONGEST];
        let upper = upper.get_mut(..word.len())?;
        upper.copy_from_slice(word);
        upper.make_ascii_uppercase();
        Self::of_upper(upper)
    }

    /// Whether a block that ends with this key must have ended before another: one that ends what the block
    /// is in, or begins what is beside it.
    pub(super) fn lacks_before(self, key: Self) -> bool {
        match self {
            Self::EndOfGroup => {
                matches!(key, Self::Group | Self::EndOfMesh) || Self::EndOfMesh.lacks_before(key)
            }
            Self::EndOfTexture => {
                matches!(key, Self::Texture | Self::EndOfMaterial)
                    || Self::EndOfMaterial.lacks_before(key)
            }
            Self::EndOfMaterial => {
                matches!(key, Self::Material | Self::EndOfMaterialList)
                    || Self::EndOfMaterialList.lacks_before(key)
            }
            Self::EndOfMesh | Self::EndOfMaterialList => {
                matches!(key, Self::Mesh | Self::MaterialList | Self::EndOfModel)
            }
            _ => false,
        }
    }

    /// Whether a block begins or ends with it.
    pub(super) fn is_of_block(self) -> bool {
        matches!(
            self,
            Self::Model
                | Self::EndOfModel
                | Self::MaterialList
                | Self::EndOfMaterialList
                | Self::Material
                | Self::EndOfMaterial
                | Self::Texture
                | Self::EndOfTexture
                | Self::Mesh
                | Self::EndOfMesh
                | Self::Group
                | Self::EndOfGroup
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_of_any_case() {
        assert_eq!(Key::of(b"End_Of_Mesh"), Some(Key::EndOfMesh));
        assert_eq!(Key::of(b"END_OF_MESHES"), None);
        assert_eq!(Key::of(b""), None);
        assert_eq!(Key::of(&[b'A'; 1000]), None);
        let longest = Key::PrimitiveGeometryGroups.word();
        assert_eq!(
            Key::of(longest.as_bytes()),
            Some(Key::PrimitiveGeometryGroups)
        );
    }
}
