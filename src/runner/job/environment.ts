import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expandText, expandVariables } from '../../infra/expansion/index.ts'
import type { Variable } from '../protocol/payload.ts'

/** What the jobs get of this program's own environment: what finds programs, people, languages, proxies and certificates. */
const inherited =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|XDG_[A-Z_]+|(https?|no|all)_proxy|SSL_CERT_(FILE|DIR)|SYSTEMROOT)$/i

/** The part of an environment that jobs get; settings and secrets of the server are no part of it. */
export function inheritedEnvironment(own: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(own).flatMap(([key, value]) =>
    value !== undefined && inherited.test(key) ? [[key, value] as const] : [],
  )
  return Object.fromEntries(entries)
}

/** Names and values that no environment can have are left out. */
const isPossible = ({ key, value }: Variable) => key !== '' && !/[=\0]/.test(key) && !value.includes('\0')

/**
 * The variables of a job as an environment. References among them are replaced; of a variable of type file the value is the path of a
 * file with its content.
 * @param folder of the files
 */
export async function environmentOf(variables: readonly Variable[], folder: string): Promise<Record<string, string>> {
  const byKey = new Map(variables.map((variable) => [variable.key, variable]))
  const files = [...byKey.values()].filter(({ file }) => file)
  const paths = new Map(files.map(({ key }, index) => [key, join(folder, `variable-${index}`)]))
  const plain = [...byKey.values()].map((variable) => {
    const path = paths.get(variable.key)
    if (path !== undefined) return { ...variable, value: path, raw: true, file: false }
    return { ...variable, raw: variable.raw === true, file: false }
  })
  const values = expandVariables(plain)
  for (const { key, value, raw } of files) {
    const content = raw ? value : expandText(value, (name) => values.get(name))
    await writeFile(paths.get(key) as string, content, { mode: 0o600 })
  }
  const environment = plain.map((variable) => ({ ...variable, value: values.get(variable.key) ?? variable.value }))
  return Object.fromEntries(environment.filter(isPossible).map(({ key, value }) => [key, value]))
}

/** Replaces references in a text of the job's definition, such as a path of an artifact. */
export function expandIn(environment: Readonly<Record<string, string>>, text: string): string {
  return expandText(text, (name) => (Object.hasOwn(environment, name) ? environment[name] : undefined))
}
