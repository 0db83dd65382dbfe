//! [`WithDefaults`]: settings of a load together with the defaults of an app.

/// Settings of a model loader. Bevy gives a loader whole settings, of which it is not known which fields were set.
pub trait WithDefaults {
    /// Replaces the fields that have the value of `Default` by those of the app.
    fn with_defaults(self, app: &Self) -> Self;
}

/// Implements [`WithDefaults`] for settings with these fields and `use_defaults`.
macro_rules! impl_with_defaults {
    ($settings:ident { $($field:ident),* $(,)? }) => {
        impl crate::load::defaults::WithDefaults for $settings {
            fn with_defaults(self, app: &Self) -> Self {
                if !self.use_defaults {
                    return self;
                }
                let built_in = Self::default();
                // All fields: one that is missing here is a compile error.
                let Self { use_defaults, $($field),* } = self;
                Self {
                    use_defaults,
                    $($field: if $field == built_in.$field { app.$field.clone() } else { $field }),*
                }
            }
        }
    };
}

pub(crate) use impl_with_defaults;
