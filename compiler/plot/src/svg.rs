//! The elements of SVG in plots. Lengths are in user units, and the origin is at the top left.

use std::fmt::Write;

/// The part of a text that is at its x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// The appearance of a text.
#[derive(Debug, Clone, Copy)]
pub struct Font {
    pub size: f64,
    pub is_bold: bool,
    pub color: &'static str,
}

/// Elements, in the order in which they are painted.
#[derive(Debug, Default)]
pub struct Svg {
    body: String,
}

impl Svg {
    pub fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
        self.add(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>"
        ));
    }

    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), stroke: &str, width: f64) {
        self.add(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{stroke}\" stroke-width=\"{width}\"/>"
        ));
    }

    pub fn polyline(&mut self, points: &[(f64, f64)], stroke: &str) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let points = points.join(" ");
        self.add(format_args!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"1.8\"/>"
        ));
    }

    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64, fill: &str) {
        self.add(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{fill}\"/>"));
    }

    /// A square on its corner, with a light edge that separates it from the elements under it.
    pub fn diamond(&mut self, (x, y): (f64, f64), radius: f64, fill: &str) {
        let (left, right, top, bottom) = (x - radius, x + radius, y - radius, y + radius);
        self.add(format_args!(
            "<polygon points=\"{x:.1},{top:.1} {right:.1},{y:.1} {x:.1},{bottom:.1} {left:.1},{y:.1}\" fill=\"{fill}\" \
             stroke=\"#ffffff\" stroke-width=\"1\"/>"
        ));
    }

    /// A text whose baseline is at y.
    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, font: Font, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if font.is_bold { " font-weight=\"bold\"" } else { "" };
        let (size, color, text) = (font.size, font.color, escape(text));
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{color}\"{anchor}{weight}>{text}</text>"
        ));
    }

    /// A text that begins at x, with a white edge that separates its letters from lines under it.
    pub fn text_on_lines(&mut self, (x, y): (f64, f64), font: Font, text: &str) {
        let (size, color, text) = (font.size, font.color, escape(text));
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{color}\" stroke=\"#ffffff\" stroke-width=\"3\" \
             paint-order=\"stroke\">{text}</text>"
        ));
    }

    /// The whole picture, with a label for screen readers.
    pub fn finish(self, width: f64, height: f64, label: &str) -> String {
        let label = escape(label);
        let body = self.body;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{label}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             font-family=\"system-ui, 'Segoe UI', Helvetica, Arial, sans-serif\">\n\
             <rect x=\"0\" y=\"0\" width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#ffffff\"/>\n{body}</svg>\n"
        )
    }

    fn add(&mut self, element: std::fmt::Arguments) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "{element}");
    }
}

/// An upper estimate of the width of a text in sans-serif fonts.
pub fn text_width(text: &str, size: f64) -> f64 {
    0.58 * size * text.chars().count() as f64
}

/// Escapes a text for the content of an element, or for an attribute in double quotes. Characters that XML cannot hold
/// become spaces.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
pub mod check {
    //! Checks that a text is well-formed and all elements are inside the view box.

    /// Elements in order: name, attributes, and the text up to the next tag.
    pub struct Element {
        pub name: String,
        pub attributes: Vec<(String, String)>,
        pub text: String,
    }

    impl Element {
        pub fn number(&self, name: &str) -> f64 {
            let (_, value) = self.attributes.iter().find(|(other, _)| other == name).expect(name);
            value.parse().expect(value)
        }

        fn has(&self, name: &str, value: &str) -> bool {
            self.attributes.iter().any(|(n, v)| n == name && v == value)
        }
    }

    /// The elements of a document as written by this module. Panics if it is not well-formed.
    pub fn elements(document: &str) -> Vec<Element> {
        let (mut open, mut all, mut roots) = (Vec::new(), Vec::new(), 0);
        let mut rest = document.trim();
        while let Some(after) = rest.strip_prefix('<') {
            let (tag, after) = after.split_once('>').expect("a tag ends");
            let (text, _) = after.split_once('<').unwrap_or((after, ""));
            well_escaped(text);
            rest = &after[text.len()..];
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop().as_deref(), Some(name), "what opened last closes first");
                continue;
            }
            let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
            let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
            let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
            roots += usize::from(open.is_empty());
            if !is_empty {
                open.push(name.to_owned());
            }
            all.push(Element { name: name.into(), attributes: pairs(attributes), text });
        }
        assert!(rest.is_empty() && open.is_empty() && roots == 1, "one root, and nothing after it");
        all
    }

    fn pairs(mut text: &str) -> Vec<(String, String)> {
        let mut all: Vec<(String, String)> = Vec::new();
        while !text.trim().is_empty() {
            let (name, after) = text.split_once("=\"").expect("an attribute has a value in quotes");
            let (value, after) = after.split_once('"').expect("quotes end");
            well_escaped(value);
            let name = name.trim();
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "`{name}` names an attribute");
            assert!(all.iter().all(|(other, _)| other != name), "`{name}` is given once");
            all.push((name.to_owned(), value.to_owned()));
            text = after;
        }
        all
    }

    fn well_escaped(text: &str) {
        assert!(!text.contains('<'), "`{text}`");
        for part in text.split('&').skip(1) {
            let entity = part.split_once(';').map(|(name, _)| name);
            assert!(matches!(entity, Some("amp" | "lt" | "gt" | "quot")), "`&{part}`");
        }
    }

    /// The left, top, right and bottom edges.
    type Extent = (f64, f64, f64, f64);

    /// The box of an element.
    fn extent(element: &Element) -> Extent {
        let number = |name| element.number(name);
        match element.name.as_str() {
            "rect" => (number("x"), number("y"), number("x") + number("width"), number("y") + number("height")),
            "line" => (number("x1"), number("y1"), number("x2"), number("y2")),
            "circle" => {
                let (x, y, r) = (number("cx"), number("cy"), number("r"));
                (x - r, y - r, x + r, y + r)
            }
            "polyline" | "polygon" => {
                let (_, points) = element.attributes.iter().find(|(name, _)| name == "points").expect("points");
                let points = points.split(' ').map(|point| {
                    let (x, y) = point.split_once(',').expect("a pair");
                    (x.parse::<f64>().expect(x), y.parse::<f64>().expect(y))
                });
                let empty = (f64::MAX, f64::MAX, f64::MIN, f64::MIN);
                points.fold(empty, |(l, t, r, b), (x, y)| (l.min(x), t.min(y), r.max(x), b.max(y)))
            }
            "text" => {
                let (x, y, size) = (number("x"), number("y"), number("font-size"));
                let width = super::text_width(&element.text, size);
                let left = match () {
                    () if element.has("text-anchor", "middle") => x - width / 2.0,
                    () if element.has("text-anchor", "end") => x - width,
                    () => x,
                };
                (left, y - size, left + width, y)
            }
            other => panic!("`{other}` is an element we do not write"),
        }
    }

    /// Panics unless the document is well-formed, everything is inside the picture, and no text covers another.
    pub fn is_sound(document: &str) {
        let all = elements(document);
        let (root, rest) = all.split_first().expect("a root");
        assert_eq!(root.name, "svg");
        let (width, height) = (root.number("width"), root.number("height"));
        let mut texts: Vec<(&str, Extent)> = Vec::new();
        for element in rest {
            let (left, top, right, bottom) = extent(element);
            let (name, text) = (&element.name, element.text.trim());
            let is_inside = left >= 0.0 && top >= 0.0 && right <= width && bottom <= height;
            assert!(is_inside, "{name} `{text}` at {left},{top} to {right},{bottom} of {width},{height}");
            assert!(left <= right && top <= bottom, "{name} has a size");
            if name == "text" {
                for (other, (l, t, r, b)) in &texts {
                    let is_apart = right <= *l || left >= *r || bottom <= *t || top >= *b;
                    assert!(is_apart, "`{text}` and `{other}` overlap");
                }
                texts.push((text, (left, top, right, bottom)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(escape("a < b && \"c\" > d\u{1}"), "a &lt; b &amp;&amp; &quot;c&quot; &gt; d ");
        let mut svg = Svg::default();
        let font = Font { size: 10.0, is_bold: true, color: "#000000" };
        svg.text((90.0, 20.0), Anchor::End, font, "x < y & z");
        let text = svg.finish(100.0, 30.0, "a \"plot\" <of> R&D");
        check::is_sound(&text);
        assert!(text.contains(">x &lt; y &amp; z</text>"), "{text}");
    }

    #[test]
    fn the_check_finds_what_is_wrong() {
        let wrong = |text: &str| std::panic::catch_unwind(|| check::is_sound(text)).is_err();
        let frame = |inner: &str| format!("<svg width=\"100\" height=\"50\">{inner}</svg>");
        assert!(!wrong(&frame("<circle cx=\"50\" cy=\"25\" r=\"3\"/>")));
        for inner in [
            "<circle cx=\"99\" cy=\"25\" r=\"3\"/>",
            "<circle cx=\"50\" cy=\"25\" r=\"3\">",
            "<text x=\"1\" y=\"20\" font-size=\"10\">a & b</text>",
            "<text x=\"1\" y=\"20\" font-size=\"10\">a</text><text x=\"2\" y=\"20\" font-size=\"10\">b</text>",
            "<text x=\"98\" y=\"20\" font-size=\"10\">abc</text>",
            "<rect x=1 y=\"2\" width=\"3\" height=\"4\"/>",
        ] {
            assert!(wrong(&frame(inner)), "{inner}");
        }
    }
}
