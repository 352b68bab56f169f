//! The order of scenes in the screensaver: successive scenes look as different as possible.

use crate::scene::{self, Scene};
use fastrand::Rng;

#[derive(Clone, Debug, PartialEq, Eq)]
struct SceneKind {
    group: &'static str,
    palette: Option<String>,
    /// Liquid of either method, smoke, cloth, bodies.
    matter: [bool; 4],
}

impl SceneKind {
    fn of(scene: &Scene) -> Self {
        let world = &scene.world;
        let liquid = !world.liquid.is_empty() || !world.inlet.is_empty() || world.sph.is_some();
        Self {
            group: scene::group_of(&scene.name).unwrap_or_default(),
            palette: world.fluid_label.clone(),
            matter: [liquid, world.smoke.is_some(), world.cloth.is_some(), !world.body.is_empty()],
        }
    }

    /// By group and palette, and then by the matter.
    fn likeness(&self, other: &Self) -> (u8, bool) {
        let same = u8::from(self.group == other.group) + u8::from(self.palette == other.palette);
        (same, self.matter == other.matter)
    }
}

type Shares = fn(&SceneKind, &SceneKind) -> bool;

/// What two scenes in a row must not share: the group, and a palette of their own.
const SHARES: [Shares; 2] = [|a, b| a.group == b.group, |a, b| a.palette.is_some() && a.palette == b.palette];

/// Scenes by their indices among those of the toy, in the order in which they are shown.
#[derive(Clone, Debug)]
pub struct Playlist {
    scenes: Vec<(usize, SceneKind)>,
    left: Vec<usize>,
    /// The user has listed the scenes, and they are shown in that order.
    listed: bool,
    shuffled: bool,
    rng: Rng,
}

impl Playlist {
    /// The `listed` scenes among `all`, or the first `tour` without a list; in random order if `shuffled`.
    pub fn new(all: &[Scene], tour: usize, listed: Option<&[String]>, shuffled: bool, seed: u64) -> Self {
        let find = |name: &String| all.iter().position(|scene| scene.name == *name);
        let indices: Vec<usize> = match listed {
            Some(names) => names.iter().filter_map(find).collect(),
            None => (0..tour).collect(),
        };
        Self {
            scenes: indices.into_iter().map(|index| (index, SceneKind::of(&all[index]))).collect(),
            left: Vec::new(),
            listed: listed.is_some() && !shuffled,
            shuffled,
            rng: Rng::with_seed(seed),
        }
    }

    pub fn changes(&self) -> bool {
        self.scenes.len() > 1
    }

    /// The first scene: the first of the list, or else any but the one of index `usual`, with which the toy begins.
    pub fn first(&mut self, usual: usize) -> Option<usize> {
        if self.listed {
            return self.scenes.first().map(|&(index, _)| index);
        }
        let others: Vec<usize> = self.scenes.iter().map(|&(index, _)| index).filter(|&index| index != usual).collect();
        self.rng.choice(others)
    }

    pub fn next(&mut self, current: usize) -> Option<usize> {
        let at = self.scenes.iter().position(|&(index, _)| index == current);
        if self.scenes.len() < 2 {
            return self.scenes.first().map(|&(index, _)| index).filter(|_| at.is_none());
        }
        if self.listed {
            let next = at.map_or(0, |at| (at + 1) % self.scenes.len());
            return Some(self.scenes[next].0);
        }
        self.left.retain(|&other| Some(other) != at);
        if self.left.is_empty() {
            self.left = (0..self.scenes.len()).filter(|&other| Some(other) != at).collect();
        }
        let chosen = self.least_alike(at);
        self.left.retain(|&other| other != chosen);
        Some(self.scenes[chosen].0)
    }

    /// Chooses a remaining scene that is least like the one at `at`: never of its group or its palette, if another is left. Among
    /// equals it takes one from the group with the most remaining scenes, so that the last ones are not all of one group.
    fn least_alike(&mut self, at: Option<usize>) -> usize {
        let kind = |number: usize| &self.scenes[number].1;
        let left = |shares: Shares, number: usize| {
            self.left.iter().filter(|&&other| shares(kind(other), kind(number))).count()
        };
        let clashes = |number: usize| at.is_some_and(|at| SHARES.iter().any(|shares| shares(kind(number), kind(at))));
        // If half of the remaining scenes share a group or a palette, one comes now; otherwise two would follow each other later.
        let urgent = |number: usize| SHARES.iter().any(|&shares| 2 * left(shares, number) >= self.left.len());
        let rank = |number: usize| {
            let likeness = at.map_or((0, false), |at| kind(number).likeness(kind(at)));
            (clashes(number), !urgent(number), likeness, usize::MAX - left(SHARES[0], number))
        };
        let best = self.left.iter().map(|&number| rank(number)).min().unwrap_or_default();
        let mut best = self.left.iter().copied().filter(|&number| rank(number) == best);
        if self.shuffled {
            let best: Vec<usize> = best.collect();
            return best[self.rng.usize(..best.len())];
        }
        best.next().unwrap_or_default()
    }
}
