export default { test: { include: ["own_store.vitest.mjs"], globals: true } };
