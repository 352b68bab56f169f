//! The numbers of a scene that can be changed while it plays.

use crate::scene::read::{NumberField, Words, words};
use crate::scene::{body, cloth, fluid, smoke, sph};
use crate::sim::World;
use crate::sim::cloth::ClothDef;
use crate::sim::definition::WorldDef;
use crate::sim::grid_fluid::{Dye, GridFluidDef};
use crate::sim::liquid::fluid::Fluid;
use crate::sim::liquid::sph::SphMaterial;
use crate::sim::rigid::Material;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// One of them: what it is called, and its range.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its key in its table; of one of several bodies or dyes with `body.` or `dye.` and which one before it.
    pub key: Cow<'static, str>,
    /// The values that it may take.
    pub range: RangeInclusive<f32>,
    /// What the panel calls it; of one of several bodies or dyes with which one before it.
    pub label: Cow<'static, str>,
    /// What it does, in one line.
    pub about: &'static str,
    rank: u8,
    place: ParameterPlace,
}

/// What the panel says of gravity, which no table declares.
const GRAVITY: Words = words(2, "gravity", "How strongly everything is drawn down: 9.81 on earth, 1.6 on the moon");

/// How much further back the numbers of the second body or dye stand than those of the first.
const OTHERS: u8 = 20;

/// How many numbers matter most.
const MAIN: usize = 5;

/// Where a number is in a `T`.
type Within<T> = fn(&mut T) -> &mut f32;

/// Where in the scene it is.
#[derive(Clone, Copy, Debug)]
enum ParameterPlace {
    Gravity,
    Fluid(Within<Fluid>),
    Sph(Within<SphMaterial>),
    Smoke(Within<GridFluidDef>),
    Dye(usize, Within<Dye>),
    Cloth(Within<ClothDef>),
    Body(usize, Within<Material>),
}

/// Those that change what the world does as it is now: a lid drags nothing at a ceiling that is smooth.
pub fn active(world: &WorldDef) -> Vec<Parameter> {
    active_and(world, "")
}

/// The same, and the one of that key even if it does nothing now.
pub fn active_and(world: &WorldDef, key: &str) -> Vec<Parameter> {
    all(world).into_iter().filter(|parameter| parameter.key == key || is_effective(world, parameter)).collect()
}

/// Puts the numbers that matter most before the others, and returns how many those are.
pub fn main_first(parameters: &mut [Parameter]) -> usize {
    parameters.sort_by_key(|parameter| parameter.rank);
    MAIN.min(parameters.len())
}

/// Changes one number of a world while it plays.
pub fn set(world: &mut World, parameter: &Parameter, to: f32) {
    world.edit_parameters(|definition| parameter.set_value(definition, to));
}

fn is_effective(world: &WorldDef, parameter: &Parameter) -> bool {
    let liquid = world.has_liquid() || world.sph.is_some();
    let others = liquid || world.cloth.is_some() || !world.body.is_empty();
    match (parameter.place, &world.smoke) {
        (ParameterPlace::Gravity, Some(medium)) => others || world.has_heat() || smoke::has_weight(medium),
        (ParameterPlace::Smoke(_), _) if smoke::is_thermal(&parameter.key) && !world.has_heat() => false,
        (ParameterPlace::Smoke(_), Some(medium)) => smoke::is_effective(medium, &parameter.key),
        (ParameterPlace::Fluid(_), _) if fluid::is_thermal(&parameter.key) && !world.has_heat() => false,
        (ParameterPlace::Fluid(_), _) => fluid::is_effective(&world.fluid, &world.other_phases(), &parameter.key),
        (ParameterPlace::Sph(_), _) => {
            world.sph.as_ref().is_some_and(|sph| sph::is_effective(&sph.material, &parameter.key))
        }
        (ParameterPlace::Cloth(_), _) => {
            world.cloth.as_ref().is_some_and(|fabric| cloth::is_effective(fabric, &parameter.key))
        }
        (ParameterPlace::Body(..), _) if parameter.key.ends_with("heat_capacity") => world.has_heat(),
        // Only particles stick, and a body alone falls and bounces whatever it weighs.
        (ParameterPlace::Body(..), _) if parameter.key.ends_with("stickiness") => liquid,
        (ParameterPlace::Body(..), smoke) if parameter.key.ends_with("density") => {
            liquid || smoke.is_some() || world.cloth.is_some() || world.body.len() > 1
        }
        _ => true,
    }
}

/// Those that its matter has: first what the scene is about, last what can only be poured in.
pub fn all(world: &WorldDef) -> Vec<Parameter> {
    let gravity = NumberField { key: "gravity", range: 0.0..=1000.0, value: |gravity| gravity, words: GRAVITY };
    let mut parameters = vec![parameter::<f32>(gravity, |_| ParameterPlace::Gravity)];
    if let Some(medium) = &world.smoke {
        parameters.extend(
            smoke::NUMBERS.into_iter().chain(smoke::WIND).map(|number| parameter(number, ParameterPlace::Smoke)),
        );
        for dye in 0..medium.dye.len() {
            let of_dye =
                |number| parameter(number, |value| ParameterPlace::Dye(dye, value)).of("dye", dye, medium.dye.len());
            parameters.extend(smoke::DYE.map(of_dye));
        }
    }
    if world.cloth.is_some() {
        parameters.extend(
            cloth::NUMBERS.into_iter().chain(cloth::WIND).map(|number| parameter(number, ParameterPlace::Cloth)),
        );
    }
    if world.sph.is_some() {
        parameters.extend(sph::NUMBERS.map(|number| parameter(number, ParameterPlace::Sph)));
    }
    if world.has_liquid() {
        // Where it can only be poured in, the scene is about a cloth.
        let back = if world.liquid.is_empty() && world.tap.is_empty() { OTHERS } else { 0 };
        let of_fluid = |number| parameter(number, ParameterPlace::Fluid).further_back(back);
        parameters.extend(fluid::NUMBERS.map(of_fluid));
    }
    for body in 0..world.body.len() {
        let of_body =
            |number| parameter(number, |value| ParameterPlace::Body(body, value)).of("body", body, world.body.len());
        parameters.extend(body::NUMBERS.map(of_body));
    }
    parameters
}

/// Whether a scene need not say a word for its dye to be there: then no setting can name it.
fn is_default_dye(dyes: &[Dye]) -> bool {
    matches!(dyes, [Dye { name, label: None, .. }] if name.is_empty())
}

fn parameter<T>(field: NumberField<T>, place: impl Fn(Within<T>) -> ParameterPlace) -> Parameter {
    let NumberField { key, range, value, words: Words { rank, label, about } } = field;
    Parameter { key: key.into(), range, label: label.into(), about, rank, place: place(value) }
}

impl Parameter {
    /// As a number of one of `count`. The first of them goes before the numbers of the others.
    fn of(self, list: &str, number: usize, count: usize) -> Self {
        let name = if count == 1 { list.to_owned() } else { format!("{list} {number}") };
        Self {
            key: format!("{list}.{number}.{}", self.key).into(),
            label: format!("{name}: {}", self.label).into(),
            ..self.further_back(if number == 0 { 0 } else { OTHERS })
        }
    }

    fn further_back(self, by: u8) -> Self {
        Self { rank: self.rank.saturating_add(by), ..self }
    }

    /// What it is in a scene that has it; 0 in others.
    pub fn value(&self, world: &WorldDef) -> f32 {
        let mut world = world.clone();
        self.within(&mut world).map_or(0.0, |value| *value)
    }

    /// Changes it, within its range, and no further than the scene can be computed.
    pub fn set_value(&self, world: &mut WorldDef, to: f32) {
        let Some(value) = self.within(world).filter(|_| to.is_finite()) else { return };
        let before = std::mem::replace(value, to.clamp(*self.range.start(), *self.range.end()));
        let too_much = |fabric: &ClothDef| cloth::work(fabric).is_err();
        if let (ParameterPlace::Cloth(value), Some(fabric)) = (self.place, &mut world.cloth)
            && too_much(fabric)
        {
            *value(fabric) = before;
        }
    }

    /// What gives another scene its value in this one: `KEY=VALUE`, as `--set` knows it.
    pub fn setting(&self, world: &WorldDef) -> String {
        let table = match self.place {
            ParameterPlace::Gravity | ParameterPlace::Body(..) => "",
            ParameterPlace::Fluid(_) => "fluid.",
            ParameterPlace::Sph(_) => "sph.",
            ParameterPlace::Smoke(_) | ParameterPlace::Dye(..) => "smoke.",
            ParameterPlace::Cloth(_) => "cloth.",
        };
        // A list is given as a whole.
        match (self.place, self.key.starts_with("wind"), &world.smoke, &world.cloth) {
            (ParameterPlace::Smoke(_), true, Some(medium), _) => format!("smoke.wind={:?}", medium.wind),
            (ParameterPlace::Cloth(_), true, _, Some(fabric)) => format!("cloth.wind={:?}", fabric.wind),
            (ParameterPlace::Dye(..), _, Some(medium), _) if is_default_dye(&medium.dye) => {
                let Dye { buoyancy, decay_rate, .. } = medium.dye[0];
                format!("smoke.dye=[{{ buoyancy = {buoyancy}, decay_rate = {decay_rate} }}]")
            }
            _ => format!("{table}{}={}", self.key, self.value(world)),
        }
    }

    fn within<'a>(&self, world: &'a mut WorldDef) -> Option<&'a mut f32> {
        match self.place {
            ParameterPlace::Gravity => Some(&mut world.gravity),
            ParameterPlace::Fluid(value) => Some(value(&mut world.fluid)),
            ParameterPlace::Sph(value) => world.sph.as_mut().map(|sph| value(&mut sph.material)),
            ParameterPlace::Smoke(value) => world.smoke.as_mut().map(value),
            ParameterPlace::Dye(number, value) => {
                world.smoke.as_mut().and_then(|medium| medium.dye.get_mut(number)).map(value)
            }
            ParameterPlace::Cloth(value) => world.cloth.as_mut().map(value),
            ParameterPlace::Body(number, value) => world.body.get_mut(number).map(|body| value(&mut body.material)),
        }
    }
}
