//! Votes: another scene and a restart need more than half of the guests, or the host.

use crate::app::shared_tank::{SharedTank, build_world};

/// Duration for which a vote is valid, in steps: half a minute.
const VOTE_LASTS: u64 = 30 * 60;

/// The subject of a vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proposal {
    /// Another scene, by its index.
    Scene(u16),
    /// A restart of the scene.
    Reset,
}

/// A guest's proposal and its step. Only the last one of a guest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Vote {
    proposal: Proposal,
    step: u64,
}

impl SharedTank {
    /// Adds a guest's vote.
    pub(super) fn ask(&mut self, index: usize, proposal: Proposal) {
        let renewed = self.hands[index].vote.is_some_and(|vote| vote.proposal == proposal);
        self.hands[index].vote = Some(Vote { proposal, step: self.steps });
        let (votes, needed) = (self.votes_for(proposal), self.majority());
        if needed > 1 && !renewed {
            let line = format!("{} asks {}: {votes} of {needed}", self.roster[index].name, self.wish(proposal));
            self.announce(line);
        }
        self.count_votes();
    }

    /// The number of votes that are more than half of the guests.
    fn majority(&self) -> usize {
        self.roster.len() / 2 + 1
    }

    fn votes_for(&self, proposal: Proposal) -> usize {
        self.hands.iter().filter(|hand| hand.vote.is_some_and(|vote| vote.proposal == proposal)).count()
    }

    fn wish(&self, proposal: Proposal) -> String {
        match proposal {
            Proposal::Scene(number) => format!("for the scene {}", self.config.scenes[usize::from(number)].name),
            Proposal::Reset => "to reset the tank".to_owned(),
        }
    }

    /// Carries out a proposal with a majority.
    pub(super) fn count_votes(&mut self) {
        let wanted = self.hands.iter().filter_map(|hand| hand.vote).map(|vote| vote.proposal);
        let mut passed = wanted.filter(|proposal| self.votes_for(*proposal) >= self.majority());
        if let Some(proposal) = passed.next() {
            self.carry_out(proposal);
        }
    }

    pub(super) fn forget_old_votes(&mut self) {
        let steps = self.steps;
        for hand in &mut self.hands {
            hand.vote = hand.vote.filter(|vote| steps < vote.step + VOTE_LASTS);
        }
    }

    /// Carries out a proposal. The new tank has the shape of the present one.
    pub(super) fn carry_out(&mut self, proposal: Proposal) {
        match proposal {
            Proposal::Scene(number) => {
                self.scene = usize::from(number);
                let line = format!("the scene is {} now", self.scene().name);
                self.announce(line);
            }
            Proposal::Reset => self.announce("the tank is reset".to_owned()),
        }
        self.world = build_world(&self.config, self.scene, self.aspect, &self.seams);
        let middle = self.world.size() / 2.0;
        for hand in &mut self.hands {
            hand.let_go(middle);
            hand.vote = None;
        }
        self.update_gravity();
    }
}
