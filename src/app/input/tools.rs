//! The tool of the left button, and the fluid that it pours.

use crate::app::action::PointerMode;
use crate::scene::fluids;
use crate::sim::World;
use crate::sim::liquid::fluid::Fluid;
use crate::sim::liquid::phases::PhaseDef;
use crate::sim::world::pointer::Poured;

#[derive(Clone, Debug, Default)]
pub struct Tools {
    pub selected: PointerMode,
    before_walls: PointerMode,
    /// The name of the fluid or dye that it pours, if one was chosen; otherwise it pours the scene's own.
    pub fluid: Option<String>,
}

impl Tools {
    pub fn label(&self, world: &World) -> String {
        match self.selected {
            PointerMode::Wall => "draw walls".to_owned(),
            PointerMode::Pour => match self.fluid.as_deref().or(own_name(world)) {
                Some(fluid) => format!("pour {fluid}"),
                None => "pour".to_owned(),
            },
            tool => tool.name().to_owned(),
        }
    }

    pub fn select(&mut self, tool: PointerMode) {
        if self.selected != PointerMode::Wall {
            self.before_walls = self.selected;
        }
        self.selected = tool;
    }

    pub fn walls_or_back(&self) -> PointerMode {
        if self.selected == PointerMode::Wall { self.before_walls } else { PointerMode::Wall }
    }

    pub fn next_fluid(&mut self, world: &World) {
        let pourable = pourable(world);
        let at = pourable.iter().position(|(name, _)| Some(name) == self.fluid.as_ref()).unwrap_or(0);
        self.fluid = pourable.get((at + 1) % pourable.len().max(1)).map(|(name, _)| name.clone());
        self.select(PointerMode::Pour);
    }

    /// What to pour in this world. A phase that is new to the liquid is added.
    pub fn to_pour(&self, world: &mut World) -> Result<Poured, String> {
        let name = self.fluid.as_deref().or(own_name(world)).ok_or("there is nothing to pour here")?.to_owned();
        let chosen = pourable(world).into_iter().find(|(other, _)| *other == name);
        let poured = chosen.and_then(|(_, kind)| match kind {
            PourKind::Own(poured) => Some(poured),
            PourKind::Phase(fluid, palette) => {
                let number = world.find_or_add_phase(PhaseDef { fluid: &fluid, label: palette.as_deref() });
                number.map(Poured::Matter)
            }
        });
        poured.ok_or_else(|| "no room for another fluid".to_owned())
    }
}

fn own_name(world: &World) -> Option<&str> {
    let definition = world.definition();
    match world.liquid() {
        Some(liquid) if liquid.material().is_some() => Some("liquid"),
        Some(_) => Some(fluids::name_of(definition.first_phase())),
        None => definition.smoke.as_ref().and_then(|smoke| smoke.dye.first()).map(|dye| dye_name(&dye.name)),
    }
}

fn dye_name(name: &str) -> &str {
    if name.is_empty() { "dye" } else { name }
}

pub fn sign(tool: PointerMode) -> char {
    match tool {
        PointerMode::Push => '@',
        PointerMode::Pull => 'o',
        PointerMode::Pour => '~',
        PointerMode::Drain => 'x',
        PointerMode::Wall => '#',
        PointerMode::Heat => '^',
        PointerMode::Cool => '*',
    }
}

enum PourKind {
    /// The scene's own liquid, a dye, or what lives in the tank.
    Own(Poured),
    Phase(Box<Fluid>, Option<String>),
}

/// What the pointer can pour: the tank's own liquid first, then its fish and their food, then other fluids; or the dyes.
fn pourable(world: &World) -> Vec<(String, PourKind)> {
    let definition = world.definition();
    let own = |name: &str, poured| (name.to_owned(), PourKind::Own(poured));
    if world.liquid().is_none() {
        let dyes = definition.smoke.iter().flat_map(|smoke| &smoke.dye).zip(0..);
        return dyes.map(|(dye, nth)| own(dye_name(&dye.name), Poured::Matter(nth))).collect();
    }
    let mut all: Vec<_> = own_name(world).map(|name| own(name, Poured::Matter(0))).into_iter().collect();
    all.extend(definition.fish.iter().zip(0..).map(|(def, nth)| own(&def.species.name, Poured::Fish(nth))));
    all.extend((!definition.fish.is_empty()).then(|| own("food", Poured::Food)));
    if world.liquid().is_some_and(|liquid| liquid.material().is_some()) {
        return all;
    }
    let own = definition.other_phases();
    // A fluid whose springs exist only from the start would be poured without springs.
    let keeps_springs = |fluid: &Fluid| fluid.phase.elastic.spring == 0.0 || fluid.phase.elastic.dynamic_springs;
    let named = fluids::embedded().iter().filter(|it| keeps_springs(&it.fluid));
    let named = named.map(|named| PhaseDef { fluid: &named.fluid, label: Some(&named.palette) });
    let mut shown: Vec<Option<&str>> = vec![definition.fluid_label.as_deref().or(Some("water"))];
    for phase in own.into_iter().chain(named) {
        let PhaseDef { fluid, label: palette } = phase;
        if !shown.contains(&palette) {
            let name = fluids::name_of(phase).to_owned();
            shown.push(palette);
            all.push((name, PourKind::Phase(Box::new(*fluid), palette.map(str::to_owned))));
        }
    }
    all
}
