/** Finds the visible texts of the selected elements that are hard to read, each with its contrast. Runs in the browser. */
((selector) => {
  /** WCAG 2.2 asks for 3 in large and bold text, which Swagger UI's colours are made for. */
  const LEAST = 3;

  /** The relative luminance of a colour (WCAG 2.2). */
  function brightnessOf(colour) {
    const linear = (value) => value <= 10 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4;
    const [red, green, blue] = colour.match(/[\d.]+/g).map(Number).map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  function backgroundOf(element) {
    if (!element) return "rgb(255, 255, 255)";
    const { backgroundColor } = getComputedStyle(element);
    return /, 0\)$/.test(backgroundColor) ? backgroundOf(element.parentElement) : backgroundColor;
  }

  const hasText = ({ childNodes }) => [...childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  // Colours change slowly.
  document.getAnimations().forEach((animation) => animation.finish());
  const all = [...document.querySelectorAll(selector)];
  return all.filter((each) => each.checkVisibility() && hasText(each)).flatMap((element) => {
    const values = [getComputedStyle(element).color, backgroundOf(element)].map(brightnessOf);
    const contrast = (Math.max(...values) + 0.05) / (Math.min(...values) + 0.05);
    return contrast < LEAST ? [`${element.textContent.slice(0, 40)}: ${contrast.toFixed(1)}`] : [];
  });
});
