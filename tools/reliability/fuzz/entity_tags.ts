import assert from "node:assert/strict";

/** The entity tags of a service, weak ones. Each content must have one tag, and each tag one content. */
export class EntityTags {
  readonly #contents = new Map<string, string>();

  /** The tag that a content has got, if any. */
  find(content: string): string | undefined {
    return [...this.#contents].find(([, known]) => known === content)?.[0];
  }

  /** Records the tag of a content. */
  learn(content: string, tag: string | null): void {
    assert.match(String(tag), /^W\/"[^"]+"$/);
    assert.equal(tag, this.find(content) ?? tag, "The same content has two entity tags");
    assert.equal(this.#contents.get(tag!) ?? content, content, `The entity tag ${tag} stands for two contents`);
    this.#contents.set(tag!, content);
  }
}
