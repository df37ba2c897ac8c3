/** Performs the steps of the Dockerfile in a Debian made by debootstrap, and runs its command as a container does. */

import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, statSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { readPage, ROOT } from "../../support/pages.ts";
import { command } from "../../support/system/commands.ts";

export interface Image {
  root: string;
  env: Record<string, string>;
  /** The last instruction of each other name. */
  last: Record<string, string>;
}

const SCRIPT = readPage("Dockerfile").replaceAll(/^ *#.*\n/gm, "").replaceAll(/\\\n */g, "");

/** The release of Debian that the image is made from. */
export const DEBIAN = /^FROM debian:12-slim$/m.test(SCRIPT) ? "bookworm" : undefined;

/** @param debian The folder that debootstrap has made. */
export function build(debian: string, folder: string): Image {
  const stages: Record<string, Image> = {};
  let image: Image | undefined;
  for (const [, name = "", rest = ""] of SCRIPT.matchAll(/^([A-Z]+) (.+)$/gm)) {
    if (name === "FROM") {
      const [from = "", , stage = "final"] = rest.split(" ");
      image = stages[stage] = { root: join(folder, stage), env: {}, last: {} };
      if (from.startsWith("debian:")) command("cp", "--archive", debian, image.root);
      else copyDeno(image.root);
    } else if (name === "COPY") copy(image!, stages, rest);
    else if (name === "ENV") {
      Object.assign(
        image!.env,
        Object.fromEntries(rest.split(" ").map((pair) => pair.split("="))),
      );
    } else if (name === "RUN") perform(image!, rest);
    else image!.last[name] = rest;
    if (name === "WORKDIR") mkdirSync(join(image!.root, rest), { recursive: true });
  }
  return stages["final"]!;
}

/** In place of Deno's own image, which has one file. */
function copyDeno(root: string): void {
  mkdirSync(root);
  copyFileSync(Deno.execPath(), join(root, "deno"));
  chmodSync(join(root, "deno"), 0o755);
}

/** What a folder contains goes into the target, and a file into a target that ends with a slash. */
function copy({ root, last }: Image, stages: Record<string, Image>, rest: string): void {
  const [, stage, line = ""] = /^(?:--from=(\w+) )?(.*)$/.exec(rest) ?? [];
  const from = stage === undefined ? ROOT : stages[stage]!.root;
  const sources = line.split(" ");
  const given = sources.pop()!;
  const target = join(root, posix.resolve(last["WORKDIR"] ?? "/", given));
  for (const source of sources) {
    const isInside = given.endsWith("/") && statSync(join(from, source)).isFile();
    // The filter copies what .dockerignore leaves in.
    const filter = (path: string) => !/\/packages\/\w+\/(tests|npm)(\/|$)/.test(path);
    cpSync(join(from, source), isInside ? join(target, basename(source)) : target, { recursive: true, filter });
  }
}

const CERTIFICATES = "/etc/ssl/certs";

/** Debian's slim image has no certificates, and Deno brings its own. A network that has another shows it to the machine alone. */
function perform(image: Image, script: string): void {
  const place = join(image.root, CERTIFICATES);
  mkdirSync(place, { recursive: true });
  const mount = existsSync(CERTIFICATES) ? `mount --bind ${CERTIFICATES} ${place}\n` : "";
  const proxies = Object.entries(Deno.env.toObject()).filter(([name]) =>
    /^(https?_proxy|npm_config_registry)$/i.test(name)
  );
  const env = { DENO_TLS_CA_STORE: "mozilla,system", ...Object.fromEntries(proxies), ...image.env };
  command(...inNamespace({ ...image, env }, mount, [], ["sh", "-c", script]));
}

/** The command line of a container on a volume: without a right, and with a root that is read only. */
export function containerLine(
  image: Image,
  volume: string,
  env: Record<string, string>,
  words: string[],
  flags: string[] = [],
) {
  const mounts = `mount --bind ${volume} "$0"${image.last["VOLUME"]}\nmount -o remount,bind,ro "$0"\n`;
  const [user, group] = image.last["USER"]!.split(":");
  const rights = ["--clear-groups", "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"];
  const setUser = ["setpriv", `--reuid=${user}`, `--regid=${group}`, ...rights];
  return inNamespace({ ...image, env: { ...image.env, ...env } }, mounts, setUser, words, flags);
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The program is process 1 of its own namespace: unlike others, it ends by SIGTERM only if it listens for that. */
function inNamespace(image: Image, mounts: string, before: string[], words: string[], flags: string[] = []) {
  const script = `set -e; mount --bind "$0" "$0"; mount -t proc proc "$0"/proc; mount --rbind /dev "$0"/dev
${mounts}exec /usr/sbin/chroot "$0" "$@"`;
  const variables = Object.entries({ PATH, HOME: "/", ...image.env }).map(([name, value]) => `${name}=${value}`);
  const place = ["sh", "-c", 'cd "$0" && exec "$@"', image.last["WORKDIR"] ?? "/"];
  const line = [...before, "env", "-i", ...variables, ...place, ...words];
  const unshare = ["--mount", "--pid", "--fork", "--kill-child", ...flags];
  return ["unshare", ...unshare, "sh", "-c", script, image.root, ...line] as [string, ...string[]];
}
