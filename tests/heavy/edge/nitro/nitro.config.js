export default { compatibilityDate: "2026-07-01", preset: "node-server" };
