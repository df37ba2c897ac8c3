/** Entity tags by content. Each content must have one tag, and each tag one content. */

/** Tags depend on the content alone, so those of one petstore hold for all. */
export class EntityTags {
  readonly #byContent = new Map<string, string>();
  readonly #byTag = new Map<string, string>();

  find(content: string): string | undefined {
    return this.#byContent.get(content);
  }

  /** Records a content's tag and returns what is wrong with it. */
  learn(content: string, tag: string): string | undefined {
    const known = this.#byContent.get(content);
    if (known !== undefined && known !== tag) return `the same content has two entity tags, ${known} and ${tag}`;
    if ((this.#byTag.get(tag) ?? content) !== content) return `the entity tag ${tag} stands for two contents`;
    this.#byContent.set(content, tag);
    this.#byTag.set(tag, content);
    return undefined;
  }
}
