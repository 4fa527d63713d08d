// Looks at a report, whose text is in `report`, as a phone and as a desk show it, and writes what is wrong with it.

const says = [];

// The relative luminance of a colour, as WCAG 2 defines it.
function luminance(colour) {
  const [red, green, blue] = colour.match(/[\d.]+/g).map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

// What lies behind a text: a chart is on its first rectangle.
function background(frame, element) {
  for (let at = element; at; at = at.parentElement) {
    const sheet = at.tagName === 'svg' && at.querySelector('rect');
    const colour = sheet ? frame.getComputedStyle(sheet).fill : frame.getComputedStyle(at).backgroundColor;
    if (!colour.endsWith(', 0)')) return colour;
  }
  return 'rgb(255, 255, 255)';
}

function look(frame, width) {
  const root = frame.document.documentElement;
  const dark = frame.matchMedia('(prefers-color-scheme: dark)').matches;
  says.push(`${dark ? 'dark' : 'light'} at ${width} px on ${background(frame, frame.document.body)}`);
  if (root.scrollWidth > root.clientWidth) {
    says.push(`WRONG: at ${width} px the page is ${root.scrollWidth} px wide`);
  }
  let texts = 0;
  for (const element of frame.document.body.querySelectorAll('*')) {
    const words = [...element.childNodes].filter((node) => node.nodeType === 3 && node.textContent.trim());
    if (words.length === 0 || element.closest('script, style')) continue;
    texts += 1;
    const style = frame.getComputedStyle(element);
    const colour = element.ownerSVGElement ? style.fill : style.color;
    const behind = background(frame, element);
    if (contrast(colour, behind) < 4.5) {
      says.push(`WRONG: at ${width} px ${colour} on ${behind} is hard to read: ${words[0].textContent.trim()}`);
    }
  }
  says.push(`${texts} texts`);
}

addEventListener('load', () => {
  let left = 2;
  for (const width of [360, 1280]) {
    const frame = document.createElement('iframe');
    frame.style.cssText = `border: 0; width: ${width}px; height: 2000px`;
    frame.addEventListener('load', () => {
      look(frame.contentWindow, width);
      left -= 1;
      if (left === 0) document.body.textContent = `SAID\n${says.join('\n')}\nEND`;
    });
    frame.srcdoc = report;
    document.body.append(frame);
  }
});
