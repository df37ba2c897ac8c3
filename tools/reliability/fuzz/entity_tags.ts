import assert from "node:assert/strict";

/** The entity tags of a service, weak ones. Each content must have one tag, and each tag one content. */
export class EntityTags {
  readonly #tags = new Map<string, string>();

  /** The tag that a content has got, if any. */
  find(content: string): string | undefined {
    return this.#tags.get(content);
  }

  /** Records the tag of a content. */
  learn(content: string, tag: string | null): void {
    assert.match(String(tag), /^W\/"[^"]+"$/);
    assert.equal(tag, this.find(content) ?? tag, "The same content has two entity tags");
    this.#tags.set(content, tag!);
    assert.equal(new Set(this.#tags.values()).size, this.#tags.size, `The entity tag ${tag} stands for two contents`);
  }
}
