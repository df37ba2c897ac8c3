/** Makes the texts of a server, and those with the key, fit to be shown. */

/**
 * The characters that no terminal may get: controls except the line feed, and those that are
 * invisible or turn a text.
 */
const UNSHOWN = /(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu;

/** The shortest secret that is hidden: a shorter one is part of other words. */
const LEAST = 8;

/**
 * Replaces secrets, also as JSON and addresses have them, and the characters that no terminal may
 * get, and then shortens the text: a part of a secret could not be found.
 */
export function show(text: string, secrets: readonly string[], most: number): string {
  let shown = text;
  for (const secret of secrets.filter(({ length }) => length >= LEAST)) {
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
      shown = shown.replaceAll(form, "<key>");
    }
  }
  shown = shown.replaceAll(UNSHOWN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
  return shown.length <= most ? shown : `${shown.slice(0, most).toWellFormed()}… (${shown.length} characters)`;
}
