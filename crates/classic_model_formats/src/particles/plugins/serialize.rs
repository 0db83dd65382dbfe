//! Plug-ins by the names of the table, for `serde`. Nothing else belongs here.

use super::file::Plugin;
use super::table::PluginKind;
use super::value::Value;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A plug-in and its parameters by name. Unknown plug-ins are named by their identifier, such as `63`.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NamedPlugin<'a> {
    plugin: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<(Cow<'a, str>, Value<'a>)>,
}

impl<'a> From<Plugin<'a>> for NamedPlugin<'a> {
    fn from(plugin: Plugin<'a>) -> Self {
        let kind = plugin.kind();
        let name = |id: u32| match kind.and_then(|kind| kind.parameter(id)) {
            Some(parameter) => parameter.name.into(),
            None => id.to_string().into(),
        };
        let named = |(id, value)| (name(id), value);
        Self {
            plugin: kind.map_or_else(|| plugin.id.to_string().into(), |kind| kind.name.into()),
            parameters: plugin.parameters.into_iter().map(named).collect(),
        }
    }
}

impl<'a> TryFrom<NamedPlugin<'_>> for Plugin<'a> {
    type Error = String;

    fn try_from(named: NamedPlugin<'_>) -> Result<Self, String> {
        let name = &named.plugin;
        let Some(kind) = PluginKind::of_name(name) else {
            let id = name.parse().ok();
            let id = id.filter(|_| named.parameters.is_empty());
            let id = id.ok_or_else(|| format!("there is no plug-in {name:?}"))?;
            return Ok(Self::new(id));
        };
        let mut plugin = Self::new(kind.id);
        for (parameter, value) in named.parameters {
            if !plugin.set(&parameter, value.into_owned()) {
                return Err(format!(
                    "plug-in {name:?} has no parameter {parameter:?} of this type"
                ));
            }
        }
        Ok(plugin)
    }
}
