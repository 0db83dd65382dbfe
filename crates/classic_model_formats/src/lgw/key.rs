//! The keywords of the format.

/// An upper limit on the length of a keyword in bytes.
const MAX_LENGTH: usize = 32;

macro_rules! keys {
    ($($key:ident = $keyword:literal),* $(,)?) => {
        /// A keyword of the format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Key { $($key),* }

        impl Key {
            /// The key of an upper-case keyword.
            fn from_upper_case(keyword: &[u8]) -> Option<Self> {
                $(if keyword == $keyword.as_bytes() { return Some(Self::$key); })*
                None
            }

            /// The keyword in upper case.
            pub(super) fn keyword(self) -> &'static str {
                match self { $(Self::$key => $keyword),* }
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
    // Alternative spellings. The games' documentation has them in one paragraph.
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
    /// The key of a keyword in any case.
    pub(super) fn from_keyword(keyword: &[u8]) -> Option<Self> {
        let mut upper = [0; MAX_LENGTH];
        let upper = upper.get_mut(..keyword.len())?;
        upper.copy_from_slice(keyword);
        upper.make_ascii_uppercase();
        Self::from_upper_case(upper)
    }

    /// Whether `key` shows that this end key is missing: `key` starts a sibling of the block or ends an enclosing block.
    pub(super) fn is_missing_before(self, key: Self) -> bool {
        match self {
            Self::EndOfGroup => {
                matches!(key, Self::Group | Self::EndOfMesh)
                    || Self::EndOfMesh.is_missing_before(key)
            }
            Self::EndOfTexture => {
                matches!(key, Self::Texture | Self::EndOfMaterial)
                    || Self::EndOfMaterial.is_missing_before(key)
            }
            Self::EndOfMaterial => {
                matches!(key, Self::Material | Self::EndOfMaterialList)
                    || Self::EndOfMaterialList.is_missing_before(key)
            }
            Self::EndOfMesh | Self::EndOfMaterialList => {
                matches!(key, Self::Mesh | Self::MaterialList | Self::EndOfModel)
            }
            _ => false,
        }
    }

    /// Whether the key starts or ends a block.
    pub(super) fn delimits_block(self) -> bool {
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
    fn keywords_are_case_insensitive() {
        assert_eq!(Key::from_keyword(b"End_Of_Mesh"), Some(Key::EndOfMesh));
        assert_eq!(Key::from_keyword(b"END_OF_MESHES"), None);
        assert_eq!(Key::from_keyword(b""), None);
        assert_eq!(Key::from_keyword(&[b'A'; 1000]), None);
        let longest = Key::PrimitiveGeometryGroups.keyword();
        assert_eq!(
            Key::from_keyword(longest.as_bytes()),
            Some(Key::PrimitiveGeometryGroups)
        );
    }
}
