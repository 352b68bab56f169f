//! Numbers of a scene, each declared once: field, default, range, and its text for the user.

use std::ops::RangeInclusive;

#[derive(Debug)]
pub struct Number<'a> {
    /// The key in a scene file: the field's name. A component of a vector has the vector's name, a blank, and its own.
    pub key: &'static str,
    pub value: &'a mut f32,
    pub range: RangeInclusive<f32>,
    /// Text of a number that may change during a run; none for one that matters at the start only.
    pub text: Option<ParameterText>,
}

#[derive(Clone, Copy, Debug)]
pub struct ParameterText {
    /// Rank among the numbers of a scene: those of low rank matter most.
    pub rank: u8,
    pub label: &'static str,
    pub about: &'static str,
}

impl Number<'_> {
    /// The vector that it is a component of.
    pub fn vector(&self) -> Option<&'static str> {
        self.key.split_once(' ').map(|(vector, _)| vector)
    }
}

pub trait Numbers {
    /// Its numbers and those of its inner structs, in the order of their declaration.
    fn numbers(&mut self) -> Vec<Number<'_>>;
}

/// Copies the numbers that may change during a run.
pub fn copy_parameters<T: Numbers + Clone>(to: &mut T, from: &T) {
    let mut from = from.clone();
    let both = to.numbers().into_iter().zip(from.numbers());
    both.filter(|(own, _)| own.text.is_some()).for_each(|(own, new)| *own.value = *new.value);
}

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
