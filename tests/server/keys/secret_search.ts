/** Finds a secret in the output of a program, in clear or in a usual encoding. */

/** A form, and how many of its characters make twelve characters of the secret. */
type Form = [text: string, tooMany: number];

const PART = 12;

/** The first form in which a part of the secret is in the text, or `undefined`. The secret must be random. */
export function findSecret(text: string, secret: string): string | undefined {
  // Arrays of bytes are printed in columns.
  const packed = text.replaceAll(/,\s+/g, ",");
  for (const [form, tooMany] of formsOf(secret)) {
    for (let start = 0; start + tooMany <= form.length; start++) {
      const part = form.slice(start, start + tooMany);
      if (text.includes(part) || packed.includes(part)) return part;
    }
  }
  return undefined;
}

function formsOf(secret: string): Form[] {
  const bytes = new TextEncoder().encode(secret);
  const spell = (write: (byte: number) => string) => Array.from(bytes, write).join("");
  const percent = spell((byte) => `%${byte.toString(16).padStart(2, "0")}`);
  const forms: Form[] = [
    [secret, PART],
    [secret.toUpperCase(), PART],
    [Array.from(secret).reverse().join(""), PART],
    [bytes.toHex(), 2 * PART],
    [bytes.toHex().toUpperCase(), 2 * PART],
    [percent, 3 * PART],
    [percent.toUpperCase(), 3 * PART],
    [spell((byte) => `\\u${byte.toString(16).padStart(4, "0")}`), 6 * PART],
    [Array.from(bytes).join(","), 3 * PART],
  ];
  // Base64 looks different for each of the three places in a group of bytes where the secret may begin.
  for (const skipped of [0, 1, 2]) {
    const encoded = bytes.subarray(skipped, bytes.length - (bytes.length - skipped) % 3);
    forms.push([encoded.toBase64(), 4 * PART / 3], [encoded.toBase64({ alphabet: "base64url" }), 4 * PART / 3]);
  }
  return forms;
}
