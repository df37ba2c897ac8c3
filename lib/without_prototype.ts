/** Copies options into an object without a prototype, because an extended Object.prototype is not an option. */
export function withoutPrototype<T extends object>(options: T): T {
  return Object.assign(Object.create(null), options);
}
