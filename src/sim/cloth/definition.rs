//! Material and suspension of a cloth: the `[cloth]` table of a scene.

use crate::math::direction;
use crate::sim::cloth::integrator::Integrator;
use crate::sim::parameters::parameters;
use glam::Vec2;
use serde::Serialize;
use std::sync::Arc;

/// Upper limit on the nodes of all sheets of a scene together.
pub const MAX_NODES: usize = 20_000;

/// Range of the components of the wind, m/s.
const WIND_SPEEDS: std::ops::RangeInclusive<f32> = -30.0..=30.0;

parameters! {
    /// The material, and the sheets that are made of it. No parameter depends on the number of nodes. SI units. A square metre of
    /// water has mass 1. A sheet of a single row is seen edge on, and a metre of it is a square metre of cloth.
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct ClothDef {
        /// Mass, kg/m².
        pub mass: f32 = 0.2, 0.001..=100.0, 3 "weight" "How heavy a square metre of it is";
        /// Stiffness along the threads, N/m: force on a strip a metre wide at a strain of 1.
        pub stretch: f32 = 40.0, 0.1..=1.0e6, 5 "strength" "How hard it is to stretch along its threads";
        /// Stiffness along the diagonals, N/m.
        pub shear: f32 = 6.0, 0.0..=1.0e6, 8 "skew" "How hard it is to shear";
        /// Stiffness between every second node, N/m: it resists folding.
        pub bend: f32 = 2.0, 0.0..=1.0e6, 5 "crispness" "How hard it is to fold: silk has little, paper much";
        /// Damping of the springs as a time, seconds: a spring of stiffness k resists with k times this per m/s of elongation.
        pub damping: f32 = 2e-4, 0.0..=0.1, 9 "inner damping" "How soon its own vibrations die away";
        /// Rate at which the cloth loses its speed to still air, 1/s, in any direction.
        pub linear_damping: f32 = 0.4, 0.0..=100.0, 6 "slowness" "How much still air brakes it";
        /// Strain at which a spring breaks.
        pub break_strain: f32 = 0.8, 0.01..=1000.0, 4 "toughness" "The strain at which a thread tears";
        /// Fraction of the wind that varies.
        pub gusts: f32 = 0.0, 0.0..=1.0, 3 "gusts" "How much the wind varies";
        /// Half of the air's density times its drag coefficient, kg/m³: pressure per square of the air's relative speed.
        pub drag_coefficient: f32 = 0.6, 0.0..=10.0, 6 "sail" "How much of the wind it catches";
        /// Rate at which liquid that runs over a sheet seen from the front takes on its velocity, 1/s.
        pub liquid_drag: f32 = 12.0, 0.0..=1000.0,
            7 "water grip" "How strongly liquid that flows over it drags it along";
        /// Half the thickness of a sheet seen edge on, metres.
        pub thickness: f32 = 0.008, 0.001..=0.1,
            9 "thread thickness" "How thick it is drawn where it is seen edge on";
        /// Wind, m/s: to the right, up, and towards the viewer.
        pub wind: [f32; 3] = [0.0; 3] => {
            "wind right": WIND_SPEEDS, 2 "wind sideways" "How fast the wind blows to the right";
            "wind up": WIND_SPEEDS, 7 "wind upwards" "How fast the wind blows up";
            "wind towards": WIND_SPEEDS, 8 "wind forwards" "How fast the wind blows towards you";
        };
        /// How positions are advanced. Each takes the steps that Runge–Kutta needs; the others may need shorter ones.
        #[serde(skip_serializing_if = "Integrator::is_default")]
        pub integrator: Integrator = Integrator::Rk4;
        /// A label for the view, such as a colour; the simulation does not read it. A scene file calls it `color`.
        #[serde(rename = "color")]
        pub label: Option<String> = None;
        /// The file of a picture for the view; the simulation does not read it.
        pub texture: Option<String> = None;
        /// Its linear red, green, blue and opacity by node, each from 0 to 1; empty until it is read.
        #[serde(skip)]
        pub node_colors: Arc<[[f32; 4]]> = Arc::from([]);
        /// The sheets.
        pub sheet: Vec<Sheet> = Vec::new();
    }
}

/// A rectangle of cloth, and how it hangs at the start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sheet {
    /// Place of the first row, as a fraction of the tank: the point of the row that `anchor` names.
    pub at: [f32; 2],
    /// The point of the first row that is at `at`: 0 is its beginning, 1 its end.
    pub anchor: f32,
    /// Size across and down, metres: each 0.01 to 20, or 0 down for a sheet of a single row.
    pub size: [f32; 2],
    /// Number of nodes across and down; a single row is a chain, or a sheet seen edge on.
    pub nodes: [usize; 2],
    /// Distance over which the first row is hung, metres. Less than the sheet's width lays it in folds.
    pub span: Option<f32>,
    /// Number of those folds, seen from the front.
    pub folds: Option<usize>,
    /// Direction of the first row, degrees anticlockwise from the right; the others follow on its right-hand side.
    pub angle: f32,
    /// The pinned nodes.
    pub pins: Pins,
}

impl Sheet {
    /// Whether it is seen edge on.
    pub fn is_edge_on(&self) -> bool {
        self.nodes[1] == 1
    }

    /// Distance between nodes across and down, metres; 1 down for a sheet seen edge on, which is taken to be a metre wide.
    pub fn pitch(&self) -> [f64; 2] {
        let across = f64::from(self.size[0]) / (self.nodes[0] - 1) as f64;
        let down = if self.is_edge_on() { 1.0 } else { f64::from(self.size[1]) / (self.nodes[1] - 1) as f64 };
        [across, down]
    }

    /// Whether the node in this column and row is pinned.
    pub fn is_pinned(&self, column: usize, row: usize) -> bool {
        let (left, right) = (column == 0, column + 1 == self.nodes[0]);
        let (top, bottom) = (row == 0, row + 1 == self.nodes[1]);
        match &self.pins {
            Pins::Along(Edge::None) => false,
            Pins::Along(Edge::Top) => top,
            Pins::Along(Edge::Bottom) => bottom,
            Pins::Along(Edge::Left) => left,
            Pins::Along(Edge::Right) => right,
            Pins::Along(Edge::Ends) => left || right,
            Pins::Along(Edge::Corners) => (left || right) && (top || bottom),
            Pins::At(places) => places.iter().any(|&place| self.nearest(place) == [column, row]),
        }
    }

    /// The column and row of the node nearest to a place on the sheet, in fractions.
    fn nearest(&self, place: [f32; 2]) -> [usize; 2] {
        [0, 1].map(|axis| (place[axis] * (self.nodes[axis] - 1) as f32).round() as usize)
    }

    /// The directions of the first row and of the columns that hang from it.
    pub fn directions(&self) -> [Vec2; 2] {
        let along = direction(self.angle.to_radians());
        [along, -along.perp()]
    }
}

/// The nodes that keep their place.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Pins {
    /// All nodes along an edge.
    Along(Edge),
    /// The nodes nearest to these places on the sheet, as fractions across and down.
    At(Vec<[f32; 2]>),
}

named! {
    /// A row or column of nodes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Edge {
        /// No nodes.
        None => "none",
        /// All along the upper edge.
        Top => "top",
        /// All along the lower edge.
        Bottom => "bottom",
        /// All along the left edge.
        Left => "left",
        /// All along the right edge.
        Right => "right",
        /// The first and the last column.
        Ends => "ends",
        /// The four corners.
        Corners => "corners",
    }
}
