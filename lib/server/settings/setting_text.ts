/** Prepares the text of a setting, by one rule for flags, variables and files. */

import { SettingError } from "../process/start_error.ts";

/**
 * A shell removes the quotes around a value, but other programs that read such a file keep them.
 * One quotation mark is what is left of quotes around a value that was cut or joined.
 */
const QUOTE_AT_AN_END = /^["'`]|["'`]$/;

/** Texts that a program should have replaced by a value. */
const PLACEHOLDERS = [
  // `${NAME}` of a shell, and `$(NAME)` of Kubernetes, anywhere in a text.
  /\$[({]\w/,
  // `{{ name }}` of templates, anywhere in a text.
  /\{\{/,
  // `%NAME%` of Windows, as a whole text. Within an address, % may have another meaning.
  /^%\w+%$/,
  // `<name>` of a page, as a whole text.
  /^<.+>$/,
];

/**
 * Control characters and those that have no width, such as the zero width space that pages and
 * chats add to a copied text.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * Checks the text of a setting, and removes the white space around it, because `echo` and files
 * with CRLF add a line end.
 *
 * @param source The flag or variable, for messages.
 * @throws {SettingError} If the text can hardly be meant. The message does not have the text, as it
 * may be secret.
 */
export function normalize(given: string, source: string): string {
  const text = given.trim();
  if (QUOTE_AT_AN_END.test(text)) {
    throw new SettingError(`${source} begins or ends with a quotation mark; write the value without quotes`);
  }
  // Node replaces bytes that are not UTF-8 by this character.
  if (text.includes("\uFFFD")) throw new SettingError(`${source} is not text in UTF-8`);
  // Anyone can guess a key of this form.
  if (PLACEHOLDERS.some((placeholder) => placeholder.test(text))) {
    throw new SettingError(`${source} has a placeholder that was not replaced by its value`);
  }
  if (UNSEEN.test(text)) {
    throw new SettingError(`${source} must not contain control characters or other invisible characters`);
  }
  return text;
}
