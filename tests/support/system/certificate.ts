/** Certificates of an authority of the tests. */

import { join } from "node:path";
import { command, skipUnless } from "./commands.ts";

export const NO_OPENSSL: string | false = skipUnless(["openssl"]);

export interface Certificate {
  ca: string;
  certificate: string;
  key: string;
}

export function makeCertificate(folder: string, authority: string): Certificate {
  const [ca, caKey, certificate, key, request, extensions] = ["ca", "ca_key", "crt", "key", "csr", "ext"]
    .map((name) => join(folder, `${authority}.${name}`)) as [string, string, string, string, string, string];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  command("openssl", "req", "-x509", ...curve, "-keyout", caKey, "-out", ca, "-subj", `/CN=${authority}`, "-days", "2");
  command("openssl", "req", ...curve, "-keyout", key, "-out", request, "-subj", "/CN=petstore");
  Deno.writeTextFileSync(extensions, "subjectAltName=DNS:localhost\n");
  const signed = ["-in", request, "-CA", ca, "-CAkey", caKey, "-CAcreateserial", "-out", certificate, "-days", "2"];
  command("openssl", "x509", "-req", ...signed, "-extfile", extensions);
  return { ca, certificate, key };
}
