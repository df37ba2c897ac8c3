/** Runs programs to their end. */

import { execFile } from "node:child_process";
import process from "node:process";

export interface Output {
  status: number;
  stdout: string;
  stderr: string;
}

/** Runs a program without the tester's own environment. The folder is also its home, unless `env` sets another. */
export function run(command: string, args: readonly string[], cwd: string, env = {}): Promise<Output> {
  const options = { cwd, env: { PATH: process.env["PATH"], HOME: cwd, ...OFFLINE, ...env }, maxBuffer: 2 ** 26 };
  return new Promise((resolve, reject) => {
    execFile(command, [...args], options, (error, stdout, stderr) => {
      if (error && typeof error.code !== "number") reject(error);
      else resolve({ status: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

/** Nothing listens on port 9, so a request for any other package fails. */
const OFFLINE = { npm_config_registry: "http://127.0.0.1:9/", NPM_CONFIG_UPDATE_NOTIFIER: "false", NO_COLOR: "1" };
