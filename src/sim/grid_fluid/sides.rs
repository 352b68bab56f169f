//! The sides of the tank: a row of a table for each kind.

use serde::Serialize;

named! {
    /// The boundary condition of a side of the tank.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Side {
        /// Solid without slip: the fluid at it has its velocity, which is zero except for the lid.
        #[default]
        NoSlip => "no-slip",
        /// Solid and smooth: the fluid slides along it.
        FreeSlip => "free-slip",
        /// Inflow of the wind.
        Inflow => "inflow",
        /// Outflow of whatever arrives.
        Outflow => "outflow",
        /// Periodic: fluid that leaves here enters on the opposite side.
        Periodic => "periodic",
    }
}

/// What beyond a side determines a velocity at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ghost {
    Wall,
    Wind,
    /// The velocity inside.
    Copy,
    /// The velocity at the opposite side.
    Opposite,
}

/// What a side does to velocity and pressure.
#[derive(Clone, Copy, Debug)]
pub struct SideRule {
    /// The velocity across it, and that along it.
    pub across: Ghost,
    pub along: Ghost,
    /// Coefficient of its faces in the pressure equation: 0 where none acts, 2 where it is zero half a cell beyond.
    pub pressure: f32,
}

impl Side {
    /// The rule of the side.
    pub fn rule(self) -> SideRule {
        let row = |across, along, pressure| SideRule { across, along, pressure };
        match self {
            Side::NoSlip => row(Ghost::Wall, Ghost::Wall, 1.0),
            Side::FreeSlip => row(Ghost::Wall, Ghost::Copy, 1.0),
            Side::Inflow => row(Ghost::Wind, Ghost::Wind, 0.0),
            Side::Outflow => row(Ghost::Copy, Ghost::Copy, 2.0),
            Side::Periodic => row(Ghost::Opposite, Ghost::Opposite, 1.0),
        }
    }

    /// Whether the wind enters through it.
    pub fn is_inflow(self) -> bool {
        self.rule().across == Ghost::Wind
    }

    /// Whether fluid leaves through it.
    pub fn is_outflow(self) -> bool {
        self.rule().across == Ghost::Copy
    }

    /// Whether it is connected to the opposite side.
    pub fn is_periodic(self) -> bool {
        self.rule().across == Ghost::Opposite
    }
}

/// The four sides of the tank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sides {
    /// The left side of the tank.
    pub left: Side,
    /// The right side.
    pub right: Side,
    /// The floor.
    pub floor: Side,
    /// The ceiling.
    pub ceiling: Side,
}

/// One of the grid's two axes, as a layout of the arrays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Axis {
    /// Cells along it, and elements from one to the next.
    pub cells: usize,
    pub step: usize,
    /// Lines along it, ghosts included, and elements from one to the next.
    pub lines: usize,
    pub across: usize,
    pub ends: [Side; 2],
    /// The wind along the lines and across them, m/s.
    pub wind: [f32; 2],
    /// Velocities of the walls at the two ends, across the lines, m/s.
    pub wall_speed: [f32; 2],
}

impl Axis {
    pub fn is_periodic(&self) -> bool {
        self.ends[0].is_periodic()
    }

    /// Calls `with` for the first element of each line, ghosts included.
    pub fn each_line(&self, with: impl FnMut(usize)) {
        (0..self.lines).map(|line| line * self.across).for_each(with);
    }
}

/// Closes the faces at the ends of an axis that are walls, and those beyond.
pub fn close_ends(open: &mut [f32], axis: &Axis) {
    let n = axis.cells;
    axis.each_line(|base| {
        let at = |number: usize| base + number * axis.step;
        open[at(0)] = 0.0;
        for (end, face) in [1, n + 1].into_iter().enumerate() {
            if axis.ends[end].rule().across == Ghost::Wall {
                open[at(face)] = 0.0;
            }
        }
        if axis.is_periodic() {
            open[at(n + 1)] = open[at(1)];
        }
    });
    let lines = axis.lines;
    for line in [0, lines - 1] {
        for number in 0..=n + 1 {
            open[line * axis.across + number * axis.step] = 0.0;
        }
    }
}
