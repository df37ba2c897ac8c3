/** Programs that are run to their end. */

import { execFile } from "node:child_process";
import process from "node:process";

export interface Output {
  status: number;
  stdout: string;
  stderr: string;
}

/** Runs a program without the tester's own settings, in a folder that is its home too unless `env` says otherwise. */
export function run(command: string, args: readonly string[], cwd: string, env = {}): Promise<Output> {
  const options = { cwd, env: { PATH: process.env["PATH"], HOME: cwd, ...OFFLINE, ...env }, maxBuffer: 2 ** 26 };
  return new Promise((resolve, reject) => {
    execFile(command, [...args], options, (error, stdout, stderr) => {
      if (error && typeof error.code !== "number") reject(error);
      else resolve({ status: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

/** Nobody listens on port 9: whoever asks for a package that is not in the tarball fails. */
const OFFLINE = { npm_config_registry: "http://127.0.0.1:9/", NPM_CONFIG_UPDATE_NOTIFIER: "false", NO_COLOR: "1" };
