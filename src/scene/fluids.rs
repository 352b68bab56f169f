//! The fluids that there are to choose from, and what they are made of: data, as scenes and palettes are.

use crate::data;
use crate::data::{Entry, Error, Fields, Node, inherit};
use crate::scene::fluid::fluid;
use crate::sim::World;
use crate::sim::liquid::fluid::Fluid;
use std::sync::OnceLock;

/// The fluids that slosh comes with.
const EMBEDDED: &str = include_str!("../data/fluids.toml");

/// A fluid with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedFluid {
    /// As a scene's `preset` names it.
    pub name: String,
    /// One line for `slosh list`.
    pub about: String,
    /// The palette that comes with it.
    pub palette: String,
    /// Its parameters.
    pub fluid: Fluid,
}

impl NamedFluid {
    /// Reads the `[[fluid]]` entries of a TOML file; `source` is the name that errors give to it.
    pub fn read(toml: &str, source: &str) -> Result<Vec<NamedFluid>, Error> {
        let tree = Node::parse(toml, source)?;
        let mut file = tree.fields()?;
        let fluids = inherit(&file.list("fluid", 1000)?, &[], |fluid: &Self| &fluid.name, Self::build)?;
        file.done()?;
        Ok(fluids)
    }

    /// Its number among the fluids of a world's liquid, which gets it where it is new; none where the liquid can have no
    /// more.
    pub fn number_in(&self, world: &mut World) -> Option<u8> {
        let definition = world.definition();
        let own = definition.appearance.as_deref().is_none_or(|palette| palette == self.palette);
        if own && definition.fluid == self.fluid {
            return Some(0);
        }
        world.find_or_add_phase(&self.fluid, Some(&self.palette))
    }

    /// One entry, like `parent` or else like water in what it does not say.
    fn build(fields: &mut Fields, parent: Option<&Self>) -> Result<Self, Error> {
        Ok(Self {
            name: fields.need("name")?.text()?.to_owned(),
            about: fields.need("about")?.text()?.to_owned(),
            palette: fields.need("palette")?.text()?.to_owned(),
            fluid: fluid(fields, parent.map_or_else(Fluid::default, |parent| parent.fluid))?,
        })
    }
}

/// The embedded fluids.
pub fn embedded() -> &'static [NamedFluid] {
    static FLUIDS: OnceLock<Vec<NamedFluid>> = OnceLock::new();
    FLUIDS.get_or_init(|| NamedFluid::read(EMBEDDED, "fluids.toml").expect("a test reads the embedded fluids"))
}

/// The embedded fluid that an entry names.
pub fn lookup(entry: &Entry) -> Result<&'static NamedFluid, Error> {
    let name = entry.text()?;
    embedded().iter().find(|fluid| fluid.name == name).ok_or_else(|| {
        let names: Vec<&str> = embedded().iter().map(|fluid| fluid.name.as_str()).collect();
        entry.error(format_args!("is {name:?}; {}", data::advice(name, &names)))
    })
}

/// The name of a fluid for people to read: its own where it is one of the embedded, else that of its palette.
pub fn name_of<'a>(fluid: &Fluid, palette: Option<&'a str>) -> &'a str {
    let named = embedded().iter().find(|named| named.fluid == *fluid && palette.is_none_or(|it| it == named.palette));
    named.map(|named| named.name.as_str()).or(palette).unwrap_or("liquid")
}
