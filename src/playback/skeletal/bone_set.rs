//! Sets of a model's bones, resolved from masks.

use crate::load::alternatives::alternatives;
use crate::load::names::same_name;
use crate::playback::skeletal::rig::RigBone;
use crate::root::layers::{BoneMask, ModelMasks};
use std::sync::Arc;

/// A set of a model's bones, by their indices.
///
/// The set of all bones equals only itself: a set that lists every bone of one model is another set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct BoneSet(Option<Arc<[u64]>>);

impl BoneSet {
    /// All bones of any model.
    pub(crate) const ALL: Self = Self(None);

    #[inline]
    pub(crate) fn contains(&self, bone: usize) -> bool {
        let Some(words) = &self.0 else {
            return true;
        };
        let word = words.get(bone / 64).copied().unwrap_or_default();
        word >> (bone % 64) & 1 != 0
    }

    fn from_bones(bones: &[bool]) -> Self {
        let word = |bones: &[bool]| {
            let bits = bones.iter().rev();
            bits.fold(0, |word, bone| word << 1 | u64::from(*bone))
        };
        Self(Some(bones.chunks(64).map(word).collect()))
    }

    /// The bones of a mask. Adds a warning for each name that is not found.
    pub(crate) fn resolve(
        mask: &BoneMask,
        masks: Option<&ModelMasks>,
        bones: &[RigBone<'_>],
        warnings: &mut Vec<String>,
    ) -> Self {
        let found = match mask {
            BoneMask::Named(name) => masks.and_then(|masks| masks.get(name)),
            mask => Some(mask),
        };
        let (names, is_subtree) = match found {
            Some(BoneMask::All) => return Self::ALL,
            Some(BoneMask::Bones(names)) => (names.as_slice(), false),
            Some(BoneMask::Subtrees(names)) => (names.as_slice(), true),
            // A mask of `ModelMasks` cannot name another one.
            Some(BoneMask::Named(_)) | None => {
                warnings.push(missing_mask(mask, masks));
                (Default::default(), false)
            }
        };
        let mut is_in = vec![false; bones.len()];
        for name in names {
            let mut is_found = false;
            for (index, bone) in bones.iter().enumerate() {
                if same_name(bone.name, name) {
                    is_in[index] = true;
                    is_found = true;
                }
            }
            if !is_found {
                let alternatives = alternatives(name, "bones", bones.iter().map(|it| it.name));
                warnings.push(format!(
                    "has no bone \"{name}\", which a mask of a layer names{alternatives}"
                ));
            }
        }
        if is_subtree {
            for (index, bone) in bones.iter().enumerate() {
                let parent = bone.parent.and_then(|parent| is_in.get(parent).copied());
                is_in[index] |= parent.unwrap_or_default();
            }
        }
        Self::from_bones(&is_in)
    }
}

/// The warning for a mask that cannot be resolved.
fn missing_mask(mask: &BoneMask, masks: Option<&ModelMasks>) -> String {
    let BoneMask::Named(name) = mask else {
        return "has a mask without bones".to_owned();
    };
    match masks {
        Some(masks) if masks.get(name).is_some() => {
            format!("has the mask \"{name}\", which must not be the name of another mask")
        }
        Some(masks) => {
            let names: Vec<&str> = masks.names().collect();
            let alternatives = alternatives(name, "masks", names.into_iter());
            format!("has no mask \"{name}\"{alternatives}")
        }
        None => format!("has no mask \"{name}\": named masks need `ModelMasks` on the root"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::transform::components::Transform;

    const BONES: [RigBone<'static>; 5] = [
        bone("Root", None),
        bone("Hips", Some(0)),
        bone("Turret", Some(1)),
        bone("Gun", Some(2)),
        bone("Leg", Some(1)),
    ];

    const fn bone(name: &'static str, parent: Option<usize>) -> RigBone<'static> {
        RigBone {
            name,
            parent,
            rest: Transform::IDENTITY,
            is_visible: true,
        }
    }

    fn resolved(mask: impl Into<BoneMask>) -> (Vec<usize>, Vec<String>) {
        let masks = ModelMasks::new([
            ("Upper", BoneMask::subtrees(["turret"])),
            ("other", BoneMask::from("upper")),
        ]);
        let mut warnings = Vec::new();
        let set = BoneSet::resolve(&mask.into(), Some(&masks), &BONES, &mut warnings);
        let bones = (0..BONES.len()).filter(|bone| set.contains(*bone));
        (bones.collect(), warnings)
    }

    #[test]
    fn masks_contain_bones_or_subtrees() {
        assert_eq!(resolved(BoneMask::All).0, [0, 1, 2, 3, 4]);
        assert_eq!(resolved(BoneMask::bones(["HIPS", "gun"])).0, [1, 3]);
        assert_eq!(resolved(BoneMask::subtrees(["Hips"])).0, [1, 2, 3, 4]);
        assert_eq!(resolved("upper"), (vec![2, 3], Vec::new()));
    }

    #[test]
    fn unknown_names_are_warnings() {
        let (bones, warnings) = resolved(BoneMask::bones(["Tail", "Leg"]));
        assert_eq!(bones, [4]);
        assert_eq!(
            warnings,
            [
                "has no bone \"Tail\", which a mask of a layer names; available bones: Root, Hips, Turret, Gun, Leg"
            ]
        );
        let (bones, warnings) = resolved("lower");
        assert!(bones.is_empty());
        assert_eq!(
            warnings,
            ["has no mask \"lower\"; available masks: other, upper"]
        );
        let (bones, warnings) = resolved("other");
        assert!(
            bones.is_empty() && warnings[0].contains("another mask"),
            "{warnings:?}"
        );
        let mut warnings = Vec::new();
        BoneSet::resolve(&"upper".into(), None, &BONES, &mut warnings);
        assert!(warnings[0].contains("`ModelMasks`"), "{warnings:?}");
    }

    #[test]
    fn sets_have_any_count_of_bones() {
        let bones: Vec<bool> = (0..200).map(|bone| bone % 3 == 0).collect();
        let set = BoneSet::from_bones(&bones);
        for bone in 0..200 {
            assert_eq!(set.contains(bone), bone % 3 == 0, "{bone}");
        }
        assert!(!set.contains(200) && !set.contains(usize::MAX));
        assert!(BoneSet::ALL.contains(usize::MAX));
    }
}
