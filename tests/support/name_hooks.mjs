/** The hooks of names.mjs for Node before 22.15, which runs them in a thread of its own. */

let sources = new Map();

export function initialize(entries) {
  sources = new Map(entries);
}

export function resolve(name, context, next) {
  return next(sources.get(name) ?? name, context);
}
