//! Fluids by name, which are data like scenes and palettes, and the fluids that a scene names.

use crate::data::{DataError, Entry, Fields, Node, inherit};
use crate::scene::fluid::fluid;
use crate::sim::World;
use crate::sim::definition::LiquidRegion;
use crate::sim::liquid::fluid::{Fluid, SolidForm};
use crate::sim::liquid::phases::PhaseDef;
use std::sync::OnceLock;

const EMBEDDED: &str = include_str!("../data/fluids.toml");

/// A fluid with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedFluid {
    /// The name for a scene's `preset`.
    pub name: String,
    /// One line for `slosh list`.
    pub about: String,
    /// The palette that comes with it.
    pub palette: String,
    /// Its parameters.
    pub fluid: Fluid,
    /// The name of the fluid that this one sets to.
    solid: Option<String>,
}

impl NamedFluid {
    /// Reads the `[[fluid]]` entries of a TOML file.
    ///
    /// # Errors
    /// Names the line of `source`, and the key that is unknown, missing or out of range.
    pub fn read(toml: &str, source: &str) -> Result<Vec<NamedFluid>, DataError> {
        let tree = Node::parse(toml, source)?;
        let mut file = tree.fields()?;
        let entries = file.list("fluid", 1000)?;
        let mut fluids = inherit(&entries, &[], |fluid: &Self| &fluid.name, Self::build)?;
        for (number, entry) in entries.iter().enumerate() {
            // A later entry may inherit the solid.
            if let Some(name) = fluids[number].solid.clone() {
                let solid = fluids.iter().find(|fluid| fluid.name == name).map(Self::as_solid);
                let solid =
                    solid.ok_or_else(|| entry.error(format_args!("sets to {name:?}, which is no fluid here")))?;
                fluids[number].fluid.phase.set_solid(Some(solid));
            }
        }
        file.done()?;
        Ok(fluids)
    }

    /// The value is leaked: there are few solids, each made once per process.
    fn as_solid(&self) -> &'static SolidForm {
        let Self { name, palette, fluid, .. } = self.clone();
        Box::leak(Box::new(SolidForm { name, label: palette, fluid }))
    }

    /// A fluid that is new in the world is added; `None` if the liquid can hold no more.
    pub fn number_in(&self, world: &mut World) -> Option<u8> {
        let definition = world.definition();
        let own = definition.fluid_label.as_deref().is_none_or(|palette| palette == self.palette);
        if own && definition.fluid == self.fluid {
            return Some(0);
        }
        world.find_or_add_phase(PhaseDef { fluid: &self.fluid, label: Some(&self.palette) })
    }

    /// Reads one entry. Values that it does not give are those of `parent`, or else of water.
    fn build(fields: &mut Fields, parent: Option<&Self>) -> Result<Self, DataError> {
        Ok(Self {
            name: fields.need("name")?.text()?.to_owned(),
            about: fields.need("about")?.text()?.to_owned(),
            palette: fields.need("palette")?.text()?.to_owned(),
            solid: match fields.text("solid")? {
                Some(name) => Some(name.to_owned()),
                None => parent.and_then(|parent| parent.solid.clone()),
            },
            fluid: fluid(fields, parent.map_or_else(Fluid::default, |parent| parent.fluid))?,
        })
    }
}

/// The embedded fluids.
pub fn embedded() -> &'static [NamedFluid] {
    static FLUIDS: OnceLock<Vec<NamedFluid>> = OnceLock::new();
    FLUIDS.get_or_init(|| NamedFluid::read(EMBEDDED, "fluids.toml").expect("a test reads the embedded fluids"))
}

pub(super) fn water() -> &'static Fluid {
    &embedded()[0].fluid
}

/// If no fluid has that name, the error suggests one.
pub(super) fn lookup(entry: &Entry) -> Result<&'static NamedFluid, DataError> {
    // Here a number is no name.
    entry.text()?;
    let named: Vec<_> = embedded().iter().map(|fluid| (fluid.name.as_str(), fluid)).collect();
    entry.word(&named)
}

/// If no solid has that name, the error suggests one.
pub(super) fn solid(entry: &Entry) -> Result<&'static SolidForm, DataError> {
    static SOLIDS: OnceLock<Vec<&'static SolidForm>> = OnceLock::new();
    let named = lookup(entry)?;
    let solids = SOLIDS.get_or_init(|| {
        let of_others = embedded().iter().filter_map(|fluid| fluid.fluid.phase.solid);
        let springy =
            embedded().iter().filter(|fluid| fluid.fluid.phase.elastic.spring > 0.0).map(NamedFluid::as_solid);
        of_others.chain(springy).collect()
    });
    solids
        .iter()
        .find(|solid| solid.name == named.name)
        .copied()
        .ok_or_else(|| entry.error(format_args!("is {:?}, which is not a solid: it has no springs", named.name)))
}

/// The name of a fluid for the user: its own name if it is embedded, else that of its palette.
pub fn name_of(PhaseDef { fluid, label: palette }: PhaseDef<'_>) -> &str {
    let named = embedded().iter().find(|named| named.fluid == *fluid && palette.is_none_or(|it| it == named.palette));
    named.map(|named| named.name.as_str()).or(palette).unwrap_or("liquid")
}

/// A name, or a table that may name one and override its values. Also returns the palette that comes with the name.
pub(super) fn parse_fluid(entry: &Entry) -> Result<(Fluid, Option<String>), DataError> {
    let own = |name: &Entry| lookup(name).map(|named| (named.fluid, Some(named.palette.clone())));
    if entry.text().is_ok() {
        return own(entry);
    }
    entry.table(|fields| {
        let (like, palette) = fields.get("preset").map_or(Ok((*water(), None)), |name| own(&name))?;
        let mut fluid = fluid(fields, like)?;
        if let Some(entry) = fields.get("solid") {
            fluid.phase.set_solid(if entry.text()?.is_empty() { None } else { Some(solid(&entry)?) });
        }
        Ok((fluid, palette))
    })
}

/// The scene's own fluid: that of `[fluid]`, or else that of the first pool. Pools of the same fluid then have none of their own.
pub(super) fn of_scene(table: Option<Entry>, pools: &mut [LiquidRegion]) -> Result<(Fluid, Option<String>), DataError> {
    let first = pools.first().and_then(|pool| pool.fluid.map(|fluid| (fluid, pool.fluid_label.clone())));
    let (fluid, palette) = match (table, first) {
        (Some(table), _) => parse_fluid(&table)?,
        (None, Some(first)) => first,
        (None, None) => (*water(), None),
    };
    for pool in pools {
        if pool.fluid == Some(fluid) && pool.fluid_label == palette {
            (pool.fluid, pool.fluid_label) = (None, None);
        } else if pool.fluid_label.is_some() {
            // The pool has the scene's fluid in another colour.
            pool.fluid = pool.fluid.or(Some(fluid));
        }
    }
    Ok((fluid, palette))
}
