//! When the particles of an emitter are born, and how many live at once.
//!
//! Births come in rounds at exact times of the emitter's clock. A stream has one particle per round.

use crate::particles::properties::Properties;

/// The count of particles of one emitter instance, and of one evaluated system, that may live at once.
pub const MAX_ALIVE: u64 = 65_536;

/// The shortest time between bursts, in seconds.
const MIN_BURST_DELAY: f64 = 0.01;

/// Time between rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Interval {
    /// Only one round: a stream of 0 particles per second.
    Once,
    /// Rounds per second. Dividing the round by the rate is more exact than multiplying it by a rounded interval.
    Rate(f64),
    /// Seconds between rounds.
    Seconds(f64),
}

impl Interval {
    /// Of rounds per second. Only one round if there are none.
    pub(super) fn of_rate(rate: f64) -> Self {
        match rate > 0.0 {
            true => Self::Rate(rate.min(u32::MAX.into())),
            false => Self::Once,
        }
    }

    /// Of seconds between rounds.
    pub(super) fn of_seconds(seconds: f32) -> Self {
        Self::Seconds(f64::from(seconds).max(MIN_BURST_DELAY))
    }
}

/// The rounds of an emitter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rounds {
    pub(super) interval: Interval,
    pub(super) per_round: u32,
    /// Seconds from the creation of the emitter, after which there are no births.
    pub(super) stop: Option<f64>,
}

impl Rounds {
    /// No particles.
    pub(super) const NONE: Self = Self {
        interval: Interval::Once,
        per_round: 0,
        stop: None,
    };
}

/// When an instance of an emitter stops to emit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Emission {
    /// Seconds from the creation of the instance, after which there are no births. Skipped births are not stopped.
    pub(super) stopped: f64,
    /// The most rounds.
    rounds: u64,
}

impl Emission {
    /// Never.
    pub(super) const ROOT: Self = Self::until(f64::INFINITY);

    /// At its creation, after one round if that is due.
    pub(super) const AT_DEATH: Self = Self {
        stopped: 0.0,
        rounds: 1,
    };

    /// These seconds after the creation of the instance.
    pub(super) const fn until(stopped: f64) -> Self {
        Self {
            stopped,
            rounds: u64::MAX,
        }
    }
}

/// The life of a particle, in seconds, from which on it counts as endless: about 30 years. Real files have 1e27 and `FLT_MAX`.
pub const FOREVER: f64 = 1e9;

/// When the particles of an emitter are born. All times are seconds of the emitter's clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    initial_delay: f64,
    interval: Interval,
    per_round: u32,
    /// `None` if rounds are endless.
    rounds: Option<u64>,
    skip: f64,
    freeze: Option<f64>,
    /// The longest life.
    lifetime: f64,
    /// The count of particles of weather, which are all born at creation.
    weather: Option<u32>,
    /// The most rounds whose particles can live at the same time, if those are more than [`MAX_ALIVE`] particles.
    limited_period: Option<u64>,
}

impl Schedule {
    /// The schedule of an emitter. Negative times count as 0.
    pub fn new(properties: &Properties) -> Self {
        let rate = properties.particles_per_second;
        let (interval, per_round, rounds) = if properties.in_bursts {
            let bursts = u64::try_from(properties.bursts).ok();
            let bursts = bursts.filter(|bursts| *bursts > 0);
            let per_burst = properties.particles_per_burst;
            (
                Interval::of_seconds(properties.burst_delay),
                per_burst,
                bursts,
            )
        } else {
            (Interval::of_rate(rate.into()), 1, None)
        };
        Self::of_interval(properties, interval, per_round, rounds)
    }

    /// The schedule of an emitter with other rounds than those of its properties.
    pub(super) fn of_rounds(properties: &Properties, rounds: Rounds) -> Self {
        let Rounds {
            interval,
            per_round,
            stop,
        } = rounds;
        let endless = Self::of_interval(properties, interval, per_round, None);
        let rounds = stop.map(|stop| endless.rounds_before(stop));
        let rounds = rounds.filter(|rounds| *rounds < u64::MAX);
        Self::of_interval(properties, interval, per_round, rounds)
    }

    fn of_interval(
        properties: &Properties,
        interval: Interval,
        per_round: u32,
        rounds: Option<u64>,
    ) -> Self {
        let seconds = |value: f32| f64::from(value).max(0.0);
        let skip = seconds(properties.skip_time);
        let freeze = Some(seconds(properties.freeze_time));
        let rounds = match interval {
            Interval::Once => Some(rounds.unwrap_or(1).min(1)),
            _ => rounds,
        };
        let schedule = Self {
            initial_delay: seconds(properties.initial_delay),
            interval,
            per_round,
            rounds,
            skip,
            freeze: freeze.filter(|freeze| *freeze > 0.0 && *freeze >= skip),
            lifetime: seconds(properties.lifetime),
            weather: properties
                .weather
                .then_some(properties.particles_per_second),
            limited_period: None,
        };
        let period = schedule.rounds_alive();
        let particles = period.saturating_mul(per_round.into());
        Self {
            limited_period: (particles > MAX_ALIVE).then_some(period),
            ..schedule
        }
    }

    /// The clock at a time since the emitter's creation, in seconds. It starts at the skipped time and may freeze.
    #[inline]
    pub fn clock(&self, since_creation: f64) -> f64 {
        let clock = self.skip + since_creation.max(0.0);
        clock.min(self.freeze.unwrap_or(f64::INFINITY))
    }

    /// The clock at creation, in seconds.
    #[inline]
    pub fn skip(&self) -> f64 {
        self.skip
    }

    /// The clock at which it freezes.
    #[inline]
    pub fn freeze(&self) -> Option<f64> {
        self.freeze
    }

    /// The longest life of a particle, in seconds; 0 if none is ever visible.
    #[inline]
    pub fn lifetime(&self) -> f64 {
        self.lifetime
    }

    /// The particles of each round.
    pub fn per_round(&self) -> u32 {
        self.per_round
    }

    /// The count of particles if this is weather: all are born at creation, and reborn at death.
    pub fn weather(&self) -> Option<u32> {
        self.weather
    }

    /// Whether births never end.
    pub fn is_endless(&self) -> bool {
        self.freeze.is_none() && (self.rounds.is_none() || self.weather.is_some())
    }

    /// The clock of the last round; `None` if births never end or there are no rounds.
    pub fn last_round(&self) -> Option<f64> {
        let rounds = match self.freeze {
            Some(freeze) => Some(self.rounds_until(freeze)),
            None => self.rounds,
        };
        let rounds = rounds.filter(|_| self.weather.is_none())?;
        Some(self.round_time(rounds.checked_sub(1)?))
    }

    /// The count of rounds of an instance.
    pub(super) fn rounds_of(&self, emission: Emission) -> u64 {
        let skipped = self.rounds_until(self.skip);
        let before_stop = self.rounds_before(emission.stopped + self.skip);
        skipped.max(before_stop).min(emission.rounds)
    }

    /// Whether births of an instance never end.
    pub(super) fn has_endless_births(&self, emission: Emission) -> bool {
        let count = self.weather.unwrap_or(self.per_round);
        self.is_endless() && emission.stopped.is_infinite() && count > 0
    }

    /// Whether an instance has particles with a life that are born after a clock.
    pub(super) fn has_births_after(&self, clock: f64, emission: Emission) -> bool {
        if self.per_round == 0 || self.lifetime <= 0.0 {
            return false;
        }
        let mut round = self.rounds_until(clock);
        if self.born_in_round(round) == 0 {
            round = self.next_round_with_births(round);
        }
        let until_freeze = self.rounds_until(self.freeze.unwrap_or(f64::INFINITY));
        round < until_freeze.min(self.rounds_of(emission))
    }

    /// Whether particles of an instance live when the clock freezes.
    pub(super) fn lives_in_freeze(&self, emission: Emission) -> bool {
        let Some(freeze) = self.freeze else {
            return false;
        };
        match self.weather {
            // Particles that are born before the stop finish their life.
            Some(count) => {
                let is_before_end = freeze - self.skip < emission.stopped + self.lifetime;
                count > 0 && self.lifetime > 0.0 && is_before_end
            }
            None => self.has_births_after(freeze - self.lifetime, emission),
        }
    }

    /// The clock at which a round is born.
    #[inline]
    pub fn round_time(&self, round: u64) -> f64 {
        let round = round as f64;
        self.initial_delay
            + match self.interval {
                Interval::Once => 0.0,
                Interval::Rate(rate) => round / rate,
                Interval::Seconds(seconds) => round * seconds,
            }
    }

    /// The count of rounds with a time up to and including the clock.
    #[inline]
    pub fn rounds_until(&self, clock: f64) -> u64 {
        let since = clock - self.initial_delay;
        if since.is_nan() || since < 0.0 {
            return 0;
        }
        // The conversion saturates.
        let mut count = match self.interval {
            Interval::Once => 0,
            Interval::Rate(rate) => (since * rate) as u64,
            Interval::Seconds(seconds) => (since / seconds) as u64,
        };
        // The quotient is rounded, so the neighbors are compared exactly.
        if count > 0 && self.round_time(count) > clock {
            count -= 1;
        }
        count = count.saturating_add(1);
        if self.round_time(count) <= clock {
            count = count.saturating_add(1);
        }
        count.min(self.rounds.unwrap_or(u64::MAX))
    }

    /// The count of rounds with a time before the clock.
    pub fn rounds_before(&self, clock: f64) -> u64 {
        let count = self.rounds_until(clock);
        match count.checked_sub(1) {
            Some(last) if self.round_time(last) >= clock => last,
            _ => count,
        }
    }

    /// The most rounds whose particles can live at the same time.
    fn rounds_alive(&self) -> u64 {
        // The conversion saturates.
        let later = match self.interval {
            Interval::Once => 0,
            Interval::Rate(rate) => (self.lifetime * rate) as u64,
            Interval::Seconds(seconds) => (self.lifetime / seconds) as u64,
        };
        let alive = later.saturating_add(1);
        alive.min(self.rounds.unwrap_or(u64::MAX))
    }

    /// The most particles of one instance that can live at the same time, without the limit of the evaluation, but at most
    /// [`u32::MAX`]: lives can be so long that the count means nothing.
    pub fn max_alive(&self) -> u64 {
        let alive = match self.weather {
            Some(count) => count.into(),
            None if self.lifetime <= 0.0 => 0,
            None => self.rounds_alive().saturating_mul(self.per_round.into()),
        };
        alive.min(u32::MAX.into())
    }

    /// Whether particles live for ever: longer than [`FOREVER`].
    pub fn lives_forever(&self) -> bool {
        self.lifetime >= FOREVER
    }

    /// How many particles of a round are born, so that at most [`MAX_ALIVE`] live at once. The others are dropped.
    ///
    /// Births fill the limit, and the rest of the longest life passes without any.
    #[inline]
    pub fn born_in_round(&self, round: u64) -> u32 {
        let Some(period) = self.limited_period else {
            return self.per_round;
        };
        let earlier = (round % period).saturating_mul(self.per_round.into());
        let free = MAX_ALIVE.saturating_sub(earlier);
        u32::try_from(free).map_or(self.per_round, |free| free.min(self.per_round))
    }

    /// The next round after this one in which particles are born.
    #[inline]
    pub fn next_round_with_births(&self, round: u64) -> u64 {
        let next = round.saturating_add(1);
        let Some(period) = self.limited_period else {
            return next;
        };
        if self.born_in_round(next) > 0 {
            return next;
        }
        // The first round of the next period.
        next.saturating_add(period - next % period)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(rate: u32, lifetime: f32) -> Properties {
        Properties {
            particles_per_second: rate,
            lifetime,
            ..Properties::default()
        }
    }

    fn bursts(count: i32, particles: u32, delay: f32, lifetime: f32) -> Properties {
        Properties {
            in_bursts: true,
            bursts: count,
            particles_per_burst: particles,
            burst_delay: delay,
            lifetime,
            ..Properties::default()
        }
    }

    #[test]
    fn rounds_are_counted_at_their_exact_times() {
        for rate in [1, 3, 7, 10, 60, 4500] {
            let schedule = Schedule::new(&stream(rate, 1.0));
            for round in (0..100_000).step_by(17) {
                let time = schedule.round_time(round);
                assert_eq!(schedule.rounds_until(time), round + 1);
                assert_eq!(schedule.rounds_until(time.next_up()), round + 1);
                assert_eq!(schedule.rounds_until(time.next_down()), round);
                assert_eq!(schedule.rounds_before(time), round);
                assert_eq!(schedule.rounds_before(time.next_up()), round + 1);
            }
        }
        let schedule = Schedule::new(&bursts(5, 2, 0.1, 1.0));
        for round in 0..5 {
            assert_eq!(schedule.rounds_until(schedule.round_time(round)), round + 1);
        }
        assert_eq!(schedule.rounds_until(100.0), 5);
        assert_eq!(schedule.rounds_until(-0.1), 0);
        assert_eq!(schedule.rounds_until(f64::INFINITY), 5);
        assert_eq!(schedule.rounds_before(f64::INFINITY), 5);
        assert_eq!(schedule.last_round(), Some(schedule.round_time(4)));
    }

    #[test]
    fn a_rate_of_0_has_one_round() {
        let properties = Properties {
            initial_delay: 0.5,
            ..stream(0, 2.0)
        };
        let schedule = Schedule::new(&properties);
        assert_eq!(
            [0.4, 0.5, 1e9].map(|clock| schedule.rounds_until(clock)),
            [0, 1, 1]
        );
        assert_eq!(schedule.max_alive(), 1);
        assert!(!schedule.is_endless());
    }

    #[test]
    fn the_clock_starts_at_the_skipped_time_and_freezes() {
        let clock = |skip_time, freeze_time, since| {
            let properties = Properties {
                skip_time,
                freeze_time,
                ..Properties::default()
            };
            Schedule::new(&properties).clock(since)
        };
        assert_eq!(clock(0.0, 0.0, 3.0), 3.0);
        assert_eq!(clock(1.0, 0.0, 3.0), 4.0);
        assert_eq!(clock(1.0, 2.0, 0.5), 1.5);
        assert_eq!(clock(1.0, 2.0, 3.0), 2.0);
        assert_eq!(clock(1.0, 1.0, 3.0), 1.0);
        // A freeze within the skipped time has no effect.
        assert_eq!(clock(1.0, 0.5, 3.0), 4.0);
        assert_eq!(clock(-1.0, -1.0, 3.0), 3.0);
    }

    #[test]
    fn births_end_when_the_clock_is_frozen() {
        let frozen = |freeze_time| {
            let frozen = Schedule::new(&Properties {
                freeze_time,
                initial_delay: 0.25,
                ..stream(10, 1.0)
            });
            (frozen.is_endless(), frozen.last_round())
        };
        assert_eq!(frozen(0.0), (true, None));
        assert_eq!(frozen(0.5), (false, Some(0.25 + 2.0 / 10.0)));
        assert_eq!(frozen(0.125), (false, None));
    }

    #[test]
    fn max_alive_saturates_for_endless_lives() {
        for lifetime in [1e27, f32::MAX] {
            for properties in [
                stream(200_000, lifetime),
                bursts(0, u32::MAX, 0.01, lifetime),
                bursts(i32::MAX, u32::MAX, f32::MAX, lifetime),
            ] {
                let schedule = Schedule::new(&properties);
                assert_eq!(schedule.max_alive(), u32::MAX.into(), "{properties:?}");
                assert!(schedule.lives_forever());
            }
            assert_eq!(Schedule::new(&bursts(3, 5, 1.0, lifetime)).max_alive(), 15);
        }
        assert!(!Schedule::new(&stream(1, 3600.0)).lives_forever());
    }

    #[test]
    fn max_alive_counts_rounds_of_the_longest_life() {
        let alive = |properties: Properties| Schedule::new(&properties).max_alive();
        assert_eq!(alive(stream(4500, 1.5)), 6751);
        assert_eq!(alive(stream(10, 0.0)), 0);
        assert_eq!(alive(stream(10, 0.05)), 1);
        assert_eq!(alive(bursts(1, 50, 0.5, 9.0)), 50);
        assert_eq!(alive(bursts(0, 3, 0.5, 1.0)), 9);
        assert_eq!(alive(bursts(-1, 3, 0.0, 0.1)), 30 + 3);
        assert_eq!(alive(bursts(0, 0, 0.5, 1.0)), 0);
        assert_eq!(alive(stream(u32::MAX, 1e30)), u32::MAX.into());
        assert_eq!(alive(bursts(-7, u32::MAX, 0.0, f32::MAX)), u32::MAX.into());
        let weather = Properties {
            weather: true,
            ..stream(700, 0.0)
        };
        assert_eq!(alive(weather), 700);
    }

    #[test]
    fn no_more_than_the_limit_live_at_once() {
        for properties in [
            stream(100_000, 1.0),
            stream(u32::MAX, 1e30),
            bursts(0, 30_000, 0.1, 1.0),
            bursts(0, u32::MAX, 0.5, 0.1),
            stream(4500, 1.5),
        ] {
            let schedule = Schedule::new(&properties);
            // The births of any window of the longest life, round by round.
            let window = schedule.rounds_alive().min(300_000);
            for first in [0, 1, 7, 90_000] {
                let mut born = 0;
                let mut round = first;
                while round < first + window {
                    born += u64::from(schedule.born_in_round(round));
                    let next = schedule.next_round_with_births(round);
                    assert!(next > round);
                    if next < first + window {
                        assert!((round + 1..next).all(|it| schedule.born_in_round(it) == 0));
                    }
                    round = next;
                }
                assert!(born <= MAX_ALIVE, "{born}");
                if first == 0 {
                    assert_eq!(born, schedule.max_alive().min(MAX_ALIVE));
                }
            }
        }
    }
}
