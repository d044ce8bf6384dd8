import { readFileSync } from 'node:fs'

/** The version of the program, from its package: this file is two folders below, in the sources and in what is published. */
export function programVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
