export default {
  // A slash at the end is 404 for the petstore; Next.js would redirect.
  skipTrailingSlashRedirect: true,
  // Needed only here, because the packages are in a folder above.
  turbopack: { root: new URL("../../..", import.meta.url).pathname },
};
