import node from "@astrojs/node";

export default {
  output: "server",
  adapter: node({ mode: "standalone" }),
  // Otherwise Astro answers 403 to what the form of another site could have sent.
  security: { checkOrigin: false },
};
