//! Scales and the positions of their ticks.

/// A linear scale from values to positions.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    low: f64,
    high: f64,
    /// Positions of `low` and `high`.
    from: f64,
    to: f64,
}

impl Scale {
    /// A scale from `low` to `high`, which are separated if they are equal.
    pub fn new(low: f64, high: f64, from: f64, to: f64) -> Scale {
        let high = if high > low { high } else { low + 1.0 };
        Scale { low, high, from, to }
    }

    /// The position of a value. Values outside the scale get the position of its end.
    pub fn at(&self, value: f64) -> f64 {
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.from + share * (self.to - self.from)
    }

    /// At most about `count` round values on the scale, with their labels.
    pub fn ticks(&self, count: usize) -> Vec<(f64, String)> {
        let step = round_step((self.high - self.low) / count.max(1) as f64);
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|k| (k as f64 * step, format!("{:.decimals$}", k as f64 * step))).collect()
    }
}

/// The least number that is not below `least` among 1, 2 and 5 times the powers of ten.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|m| m * power).find(|&step| step >= least * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let labels = |low, high, count| -> Vec<String> {
            Scale::new(low, high, 0.0, 1.0).ticks(count).into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(labels(0.0, 1.7, 4), ["0.0", "0.5", "1.0", "1.5"]);
        assert_eq!(labels(0.0, 930.0, 5), ["0", "200", "400", "600", "800"]);
        assert_eq!(labels(0.93, 1.12, 4), ["0.95", "1.00", "1.05", "1.10"]);
        assert_eq!(labels(0.0, 0.0, 2), ["0.0", "0.5", "1.0"]);
    }

    #[test]
    fn values_outside_come_to_the_end() {
        let scale = Scale::new(0.0, 2.0, 10.0, 110.0);
        assert_eq!([-1.0, 0.0, 1.0, 2.0, 9.0].map(|v| scale.at(v)), [10.0, 10.0, 60.0, 110.0, 110.0]);
    }
}
