//! Numbers of a scene, each declared once: field, default, range, and its text for the user.

use std::ops::RangeInclusive;

/// A number, with its declaration.
#[derive(Debug)]
pub struct Number<'a> {
    /// The key in a scene file: the field's name. A component of a vector has the vector's name, a blank, and its own.
    pub key: &'static str,
    /// The value.
    pub value: &'a mut f32,
    /// The range of valid values.
    pub range: RangeInclusive<f32>,
    /// Text of a number that may change during a run; none for one that matters at the start only.
    pub text: Option<ParameterText>,
}

/// The text of a parameter.
#[derive(Clone, Copy, Debug)]
pub struct ParameterText {
    /// Rank among the numbers of a scene: those of low rank matter most.
    pub rank: u8,
    /// Its name for the user.
    pub label: &'static str,
    /// Its effect, in one line.
    pub about: &'static str,
}

impl Number<'_> {
    /// The vector that it is a component of.
    pub fn vector(&self) -> Option<&'static str> {
        self.key.split_once(' ').map(|(vector, _)| vector)
    }
}

/// A struct with numbers.
pub trait Numbers {
    /// Its numbers and those of its inner structs, in the order of their declaration.
    fn numbers(&mut self) -> Vec<Number<'_>>;
}

/// Declares a struct with the defaults of its fields, and implements [`Numbers`]. A field may have a range after its
/// default, and then a rank, a label and a description; a vector has these for each component. `[inner]` marks a struct
/// whose numbers count as those of this one:
///
/// ```text
/// pub mass: f32 = 0.2, 0.001..=100.0, 3 "weight" "How heavy it is";
/// pub wind: [f32; 2] = [0.0; 2] => { "wind right": -20.0..=20.0, 2 "wind" "How fast the wind blows"; … };
/// pub [inner] walls: WallParams = WallParams::default();
/// ```
macro_rules! parameters {
    ($(#[$meta:meta])* pub struct $name:ident {$(
        $(#[$about_field:meta])*
        pub $([$inner:ident])? $field:ident: $type:ty = $default:expr
            $(, $range:expr $(, $rank:literal $label:literal $about:literal)?)?
            $(=> {$($key:literal: $part_range:expr, $part_rank:literal $part_label:literal $part_about:literal;)+})?
        ;
    )+}) => {
        $(#[$meta])*
        pub struct $name {$(
            $(#[$about_field])*
            $(#[doc = concat!("\n\nRange: `", stringify!($range), "`.")])?
            pub $field: $type,
        )+}

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl crate::sim::parameters::Numbers for $name {
            #[allow(clippy::vec_init_then_push, reason = "not every field is a number")]
            fn numbers(&mut self) -> Vec<crate::sim::parameters::Number<'_>> {
                let mut numbers = Vec::new();
                $(
                    $(parameters!(@$inner numbers, self.$field);)?
                    $(numbers.push(crate::sim::parameters::Number {
                        key: stringify!($field),
                        value: &mut self.$field,
                        range: $range,
                        text: parameters!(@text $($rank $label $about)?),
                    });)?
                    $(
                        let mut components = self.$field.iter_mut();
                        $(numbers.extend(components.next().map(|value| crate::sim::parameters::Number {
                            key: $key,
                            value,
                            range: $part_range,
                            text: parameters!(@text $part_rank $part_label $part_about),
                        }));)+
                    )?
                )+
                numbers
            }
        }
    };
    (@text) => {
        None
    };
    (@text $rank:literal $label:literal $about:literal) => {
        Some(crate::sim::parameters::ParameterText { rank: $rank, label: $label, about: $about })
    };
    (@inner $numbers:ident, $field:expr) => {
        $numbers.extend(crate::sim::parameters::Numbers::numbers(&mut $field))
    };
}
pub(crate) use parameters;
