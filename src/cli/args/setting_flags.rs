//! Flags for settings, generated from the declarations of the settings.

use crate::cli::args::suggestions;
use crate::cli::settings::table::{self, Flag, FlagForm, SETTINGS, SettingSpec};
use crate::data::Setting;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use clap_complete::engine::ArgValueCompleter;
use std::ffi::OsStr;

/// The flags for the settings in `GROUPS` (see [`table::group`]) that were given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SettingFlags<const GROUPS: u8> {
    given: Vec<(&'static str, String)>,
}

impl<const GROUPS: u8> SettingFlags<GROUPS> {
    pub fn value(&self, name: &str) -> Option<&str> {
        self.given.iter().find(|(given, _)| *given == name).map(|(_, value)| &**value)
    }

    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.given.iter().map(|(name, _)| *name)
    }

    pub fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.given.retain(|(given, _)| *given != name);
        self.given.push((name, value.into()));
    }

    pub fn settings(&self) -> Vec<Setting> {
        let setting = |(name, value): &(&'static str, String)| match table::find(name)?.flag.as_ref()?.form {
            FlagForm::Positional(_) => Some(Setting::from_text(name, value, "the command line")),
            FlagForm::Value(_) => Some(Setting::with_origin(name, value, &format!("--{name} {value}"))),
            FlagForm::Switch { flag, .. } => Some(Setting::with_origin(name, value, &format!("--{flag}"))),
        };
        self.given.iter().filter_map(setting).collect()
    }

    pub fn words(&self) -> Vec<String> {
        let word = |(name, value): &(&'static str, String)| match table::find(name)?.flag.as_ref()?.form {
            FlagForm::Positional(_) => Some(value.clone()),
            FlagForm::Value(_) => Some(format!("--{name}={value}")),
            FlagForm::Switch { flag, .. } => Some(format!("--{flag}")),
        };
        self.given.iter().filter_map(word).collect()
    }

    fn specs() -> impl Iterator<Item = (&'static SettingSpec, &'static Flag)> {
        let flags = SETTINGS.iter().filter_map(|spec| Some((spec, spec.flag.as_ref()?)));
        flags.filter(|(_, flag)| flag.group & GROUPS != 0)
    }
}

impl<const GROUPS: u8> Args for SettingFlags<GROUPS> {
    fn augment_args(command: Command) -> Command {
        Self::specs().map(arg).fold(command, Command::arg)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const GROUPS: u8> FromArgMatches for SettingFlags<GROUPS> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for (spec, flag) in Self::specs() {
            let given = match flag.form {
                FlagForm::Switch { value, .. } => matches.get_flag(spec.name).then_some(value),
                _ => matches.get_one(spec.name).map(String::as_str),
            };
            given.into_iter().for_each(|value| self.set(spec.name, value));
        }
        Ok(())
    }
}

fn arg((spec, flag): (&'static SettingSpec, &'static Flag)) -> Arg {
    let arg = Arg::new(spec.name).short(flag.short).help_heading(table::heading(flag.group));
    let help = format!("{} [default: {}]", spec.help, spec.default.trim_matches('"'));
    let arg = match flag.form {
        FlagForm::Positional(value_name) => arg.help(help).value_name(value_name),
        FlagForm::Value(value_name) => {
            arg.help(help).long(spec.name).value_name(value_name).allow_negative_numbers(true)
        }
        FlagForm::Switch { flag, help, .. } => return arg.help(help).long(flag).action(ArgAction::SetTrue),
    };
    match flag.values {
        // Any text is accepted here. It is checked where settings are read, so that errors of flags, variables and files have the
        // same wording.
        Some(values) => {
            arg.add(ArgValueCompleter::new(move |typed: &OsStr| suggestions::values(spec.name, values, typed)))
        }
        None => arg,
    }
}
