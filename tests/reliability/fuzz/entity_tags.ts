/** Which entity tag stands for what: whatever the service makes tags of, it has to be one to one. */

/** Tags are made from the content alone, so what is learnt of one petstore holds for all. */
export class EntityTags {
  readonly #byContent = new Map<string, string>();
  readonly #byTag = new Map<string, string>();

  /** The tag of a content, if it has been seen. */
  find(content: string): string | undefined {
    return this.#byContent.get(content);
  }

  /** Takes note of a content's tag, and answers what is wrong with it. */
  learn(content: string, tag: string): string | undefined {
    const known = this.#byContent.get(content);
    if (known !== undefined && known !== tag) return `the same content has two entity tags, ${known} and ${tag}`;
    if ((this.#byTag.get(tag) ?? content) !== content) return `the entity tag ${tag} stands for two contents`;
    this.#byContent.set(content, tag);
    this.#byTag.set(tag, content);
    return undefined;
  }
}
